"""Flow-GRPO: clipped policy gradients on the steps of the stochastic sampler, and the pull back to the reference."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext

import torch

from editscope.training.models.base import FlowEditor
from editscope.training.reinforcement.learners import Learner, LossPart, part_of
from editscope.training.reinforcement.policies import Reference, reference_of
from editscope.training.reinforcement.rollouts import PaintedBatch
from editscope.training.reinforcement.sampler import log_probability, step_gaussian
from editscope.training.reinforcement.settings import ReinforcementSettings


def clipped_loss(log_ratio: torch.Tensor, advantages: torch.Tensor, clip: float) -> torch.Tensor:
    """``-min(ratio * A, clip(ratio, 1 - clip, 1 + clip) * A)`` for each element, with ``ratio = exp(log_ratio)``.

    >>> clipped_loss(torch.tensor([0.0, 1.0, 1.0]), torch.tensor([2.0, 1.0, -1.0]), 0.2)
    tensor([-2.0000, -1.2000,  2.7183])
    """
    ratio = log_ratio.exp()
    return -torch.minimum(ratio * advantages, ratio.clamp(1 - clip, 1 + clip) * advantages)


def gaussian_kl(mean: torch.Tensor, other: torch.Tensor, deviation: float) -> torch.Tensor:
    """KL divergence of two Gaussians of one standard deviation, for each edit, divided by its number of latents.

    >>> gaussian_kl(torch.ones(1, 1, 1, 2), torch.zeros(1, 1, 1, 2), 0.5)
    tensor([2.])
    """
    return ((mean - other) ** 2).flatten(1).mean(1) / (2 * deviation**2)


class FlowGrpo(Learner[PaintedBatch]):
    """The painter as a policy whose actions are the stochastic steps of its sampler.

    Log-probabilities are divided by the number of latents before they become ratios, as in Flow-GRPO's release;
    its clip of 1e-4 is meant for such ratios.
    """

    name = "painter"

    def __init__(self, editor: FlowEditor, optimizer: torch.optim.Optimizer, settings: ReinforcementSettings) -> None:
        super().__init__(editor.network, optimizer)
        self._editor = editor
        self._settings = settings
        self._reference: Reference | None = reference_of(editor.network) if settings.kl > 0 else None

    def sampling(self) -> AbstractContextManager[None]:
        """The weights as they are."""
        return nullcontext()

    @property
    def parts(self) -> int:
        """One for each stochastic step."""
        return self._settings.window_size

    def losses(self, batch: PaintedBatch, advantages: Sequence[float | None], salt: int) -> Iterator[LossPart]:
        """The loss of each stochastic step; rollouts without an advantage go through the network and are masked."""
        device = self.device
        batch = batch.on(device)
        counted = torch.tensor([float(one is not None) for one in advantages], device=device)
        values = torch.tensor([one or 0.0 for one in advantages], device=device)
        for place in range(len(batch.trajectory.steps)):
            yield self._step_loss(batch, place, values, counted)

    def _step_loss(self, batch: PaintedBatch, place: int, advantages: torch.Tensor, counted: torch.Tensor) -> LossPart:
        settings, made = self._settings, batch.trajectory
        reached = made.after[place]
        pulled = None
        if self._reference is not None:
            with self._reference.in_place():
                pulled, _ = self._gaussian(batch, place)
        mean, deviation = self._gaussian(batch, place)
        likely = log_probability(reached, mean, deviation)
        log_ratio = (likely - made.log_probabilities[:, place]) / reached[0].numel()
        loss = clipped_loss(log_ratio, advantages, settings.clip)
        ratio = log_ratio.detach().exp()
        numbers = {
            "ratio": ratio,
            "clipped": ((ratio - 1).abs() > settings.clip).float(),
            "policy_loss": loss.detach(),
        }
        if pulled is not None:
            divergence = gaussian_kl(mean, pulled, deviation)
            loss = loss + settings.kl * divergence
            numbers["kl"] = divergence.detach()
        return part_of(loss, numbers, counted)

    def _gaussian(self, batch: PaintedBatch, place: int) -> tuple[torch.Tensor, float]:
        """Mean and deviation of a stochastic step under the weights that are in place."""
        made = batch.trajectory
        step, noisy = made.steps[place], made.before[place]
        sigma, following = batch.sigmas[step], batch.sigmas[step + 1]
        velocity = batch.policy(self._editor, self._settings.guidance)
        predicted = velocity(noisy, torch.full((len(noisy),), sigma, device=noisy.device))
        return step_gaussian(noisy, predicted, sigma, following, self._settings.noise)
