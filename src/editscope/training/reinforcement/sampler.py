"""Stochastic sampler of a flow model: its ODE as an SDE of the same marginals, with a log-probability for each step."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from hashlib import sha256

import torch

from editscope.training.models.sampling import Velocity, euler, integrate
from editscope.training.reinforcement.settings import ReinforcementSettings


@dataclass(frozen=True, slots=True, eq=False)
class Trajectory:
    """How edits were sampled: clean latents, and for each stochastic step where it began, ended, and how likely it was.

    ``before`` and ``after`` have a tensor for each of ``steps``; ``log_probabilities`` is edits × stochastic steps.
    """

    clean: torch.Tensor
    steps: tuple[int, ...]
    before: tuple[torch.Tensor, ...]
    after: tuple[torch.Tensor, ...]
    log_probabilities: torch.Tensor

    def on(self, device: torch.device | str) -> Trajectory:
        """The same on another device. Where a step begins with what the one before reached, that stays one tensor."""
        moved: dict[int, torch.Tensor] = {}

        def put(value: torch.Tensor) -> torch.Tensor:
            if id(value) not in moved:
                moved[id(value)] = value.to(device)
            return moved[id(value)]

        before, after = tuple(map(put, self.before)), tuple(map(put, self.after))
        return Trajectory(put(self.clean), self.steps, before, after, put(self.log_probabilities))


def seed_of(*parts: object) -> int:
    """A seed that follows from its parts alone, so a resumed run draws the same as an uninterrupted one.

    >>> seed_of(7, "noise", 3) == seed_of(7, "noise", 3), seed_of(7, "noise", 3) == seed_of(7, "noise", 4)
    (True, False)
    """
    return int.from_bytes(sha256("|".join(map(str, parts)).encode()).digest()[:8], "big") >> 1


def generators_of(seeds: Sequence[int]) -> list[torch.Generator]:
    """A generator for each edit, on the CPU: its noise is the same on every device and in every batch."""
    return [torch.Generator().manual_seed(seed) for seed in seeds]


def noise_for(
    generators: Sequence[torch.Generator], shape: Sequence[int], device: torch.device | str = "cpu"
) -> torch.Tensor:
    """Standard normal noise, one edit of a shape from each generator."""
    return torch.stack([torch.randn(tuple(shape), generator=generator) for generator in generators]).to(device)


def noise_rate(sigma: float, next_sigma: float, noise: float) -> float:
    """How fast noise is added at a noise level: ``noise * sqrt(sigma / (1 - sigma))``.

    At 1, where this has no value, the next noise level takes its place below the line, as in Flow-GRPO's release.

    >>> noise_rate(0.5, 0.4, 0.7), noise_rate(0.5, 0.4, 0.0)
    (0.7, 0.0)
    """
    below = next_sigma if sigma >= 1 else sigma
    return noise * math.sqrt(sigma / (1 - below))


def step_gaussian(
    noisy: torch.Tensor, velocity: torch.Tensor, sigma: float, next_sigma: float, noise: float
) -> tuple[torch.Tensor, float]:
    """Mean and standard deviation of the next latents, given these (formula 9 of Flow-GRPO, Euler–Maruyama).

    With ``dt = next_sigma - sigma < 0`` and ``s = noise_rate``: the mean is
    ``x + (v + s² / (2 sigma) * (x + (1 - sigma) v)) dt``, the standard deviation ``s * sqrt(-dt)``. Without noise the
    mean is the step of the ODE.
    """
    rate = noise_rate(sigma, next_sigma, noise)
    moved = next_sigma - sigma
    if rate == 0:
        return noisy + velocity * moved, 0.0
    drift = velocity + rate**2 / (2 * sigma) * (noisy + (1 - sigma) * velocity)
    return noisy + drift * moved, rate * math.sqrt(-moved)


def log_probability(reached: torch.Tensor, mean: torch.Tensor, deviation: float) -> torch.Tensor:
    """The log-density of latents under a Gaussian of one standard deviation, for each edit; summed over its latents.

    >>> log_probability(torch.zeros(1, 1, 2, 2), torch.zeros(1, 1, 2, 2), 1.0)
    tensor([-3.6758])
    """
    squared = ((reached - mean) ** 2).flatten(1).sum(1)
    constant = math.log(deviation) + 0.5 * math.log(2 * math.pi)
    return -squared / (2 * deviation**2) - reached[0].numel() * constant


def stochastic_steps(settings: ReinforcementSettings, round_number: int) -> tuple[int, ...]:
    """The steps that are stochastic in a round: all but the last, or a window that moves.

    A window moves every ``window_every`` rounds: to a random place (Flow-GRPO-Fast), or on by one step and back to the
    beginning behind the end (MixGRPO).
    """
    places = settings.window_end - settings.window_from - settings.window_size + 1
    move = round_number // settings.window_every
    place = move % places if settings.window_moves == "slide" else seed_of(settings.seed, "window", move) % places
    first = settings.window_from + place
    return tuple(range(first, first + settings.window_size))


@torch.no_grad()
def sample(
    velocity: Velocity,
    start: torch.Tensor,
    sigmas: Sequence[float],
    generators: Sequence[torch.Generator] = (),
    noise: float = 0.0,
    stochastic: Collection[int] = (),
) -> Trajectory:
    """Sample edits from noise. Steps that are not in ``stochastic`` are those of the ODE."""
    steps: list[int] = []
    before: list[torch.Tensor] = []
    after: list[torch.Tensor] = []
    likely: list[torch.Tensor] = []

    def advance(
        step: int, noisy: torch.Tensor, predicted: torch.Tensor, sigma: float, following: float
    ) -> torch.Tensor:
        if step not in stochastic or noise == 0:
            return euler(step, noisy, predicted, sigma, following)
        mean, deviation = step_gaussian(noisy, predicted, sigma, following, noise)
        reached = mean + deviation * noise_for(generators, mean.shape[1:], mean.device)
        steps.append(step)
        before.append(noisy)
        after.append(reached)
        likely.append(log_probability(reached, mean, deviation))
        return reached

    clean = integrate(velocity, start, sigmas, advance)
    each = torch.stack(likely, dim=1) if likely else start.new_zeros(len(start), 0)
    return Trajectory(clean, tuple(steps), tuple(before), tuple(after), each)
