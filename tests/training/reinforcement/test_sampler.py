"""The stochastic sampler: log-probabilities are those of the Gaussian, marginals are those of the ODE."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
import torch

from editscope.training.models.sampling import velocity_of
from editscope.training.reinforcement.sampler import (
    generators_of,
    log_probability,
    noise_for,
    noise_rate,
    sample,
    step_gaussian,
    stochastic_steps,
)
from editscope.training.reinforcement.settings import ReinforcementSettings
from support.training.tiny_flow import TinyFlow, tiny_examples

SIGMAS = [1.0, 0.9, 0.75, 0.5, 0.2, 0.0]


def normal_log_probability(mean: torch.Tensor, deviation: float, reached: torch.Tensor) -> torch.Tensor:
    normal: Any = torch.distributions.Normal(mean, deviation)
    summed: torch.Tensor = normal.log_prob(reached).sum(dim=(1, 2, 3))
    return summed


def test_log_probabilities_of_a_trajectory_are_those_of_the_gaussian() -> None:
    editor = TinyFlow()
    examples = tiny_examples(3)
    condition = editor.condition([e.instruction for e in examples], [e.pictures for e in examples])
    policy = velocity_of(editor, condition)
    generators = generators_of([1, 2, 3])
    start = noise_for(generators, (3, 8, 8))
    made = sample(policy, start, SIGMAS, generators, noise=0.7, stochastic=range(4))
    assert made.steps == (0, 1, 2, 3)
    for place, step in enumerate(made.steps):
        sigma, following = SIGMAS[step], SIGMAS[step + 1]
        x = made.before[place].double()
        with torch.no_grad():
            v = policy(made.before[place], torch.full((3,), sigma)).double()
        # Written out once more from the paper: formula 9, with t for sigma.
        rate = 0.7 * ((sigma / (1 - (SIGMAS[1] if sigma == 1 else sigma))) ** 0.5)
        dt = following - sigma
        mean = x + (v + rate**2 / (2 * sigma) * (x + (1 - sigma) * v)) * dt
        expected = normal_log_probability(mean, rate * (-dt) ** 0.5, made.after[place].double())
        torch.testing.assert_close(made.log_probabilities[:, place].double(), expected, rtol=1e-5, atol=1e-3)


def test_a_log_probability_equals_torch_distributions_for_any_numbers() -> None:
    torch.manual_seed(0)
    mean, reached = torch.randn(5, 3, 4, 4, dtype=torch.double), torch.randn(5, 3, 4, 4, dtype=torch.double)
    for deviation in (0.01, 0.3, 2.0):
        expected = normal_log_probability(mean, deviation, reached)
        torch.testing.assert_close(log_probability(reached, mean, deviation), expected, rtol=1e-12, atol=1e-9)


def test_without_noise_the_sampler_is_the_ode_bit_for_bit() -> None:
    editor = TinyFlow()
    example = tiny_examples(1)[0]
    condition = editor.condition([example.instruction], [example.pictures])
    policy = velocity_of(editor, condition)
    start = noise_for(generators_of([5]), (3, 8, 8))
    silent = sample(policy, start, SIGMAS, generators_of([6]), noise=0.0, stochastic=range(4))
    unasked = sample(policy, start, SIGMAS, generators_of([7]), noise=0.7, stochastic=())
    x = start
    with torch.no_grad():
        for sigma, following in pairwise(SIGMAS):
            x = x + policy(x, torch.full((1,), sigma)) * (following - sigma)
    assert torch.equal(silent.clean, x)
    assert torch.equal(unasked.clean, x)
    assert silent.steps == unasked.steps == ()


@pytest.mark.slow
def test_the_sde_has_the_marginals_of_the_ode() -> None:
    """For clean latents from N(0.5, 0.3²) the true velocity is known; both samplers must give that Gaussian back."""
    mean, spread = 0.5, 0.3

    def velocity(x: torch.Tensor, sigma: torch.Tensor) -> torch.Tensor:
        t = float(sigma[0])
        variance = (1 - t) ** 2 * spread**2 + t**2
        off = (x - (1 - t) * mean) / variance
        return t * off - (mean + (1 - t) * spread**2 * off)

    sigmas = torch.linspace(1, 0, 121).tolist()
    generators = generators_of(range(10))
    start = noise_for(generators, (1, 32, 32))
    for noise in (0.0, 0.7, 1.0):
        made = sample(velocity, start, sigmas, generators, noise, stochastic=range(119)).clean
        assert float(made.mean()) == pytest.approx(mean, abs=0.015)
        assert float(made.std()) == pytest.approx(spread, abs=0.015)


def test_the_noise_of_an_edit_does_not_depend_on_its_batch() -> None:
    together = noise_for(generators_of([1, 2, 3]), (3, 8, 8))
    alone = torch.cat([noise_for(generators_of([seed]), (3, 8, 8)) for seed in (1, 2, 3)])
    assert torch.equal(together, alone)


def test_guidance_goes_beyond_the_condition() -> None:
    editor = TinyFlow()
    example = tiny_examples(1)[0]
    told, untold = editor.condition(["x"], [example.pictures]), editor.no_instruction([example.pictures])
    x, sigma = torch.randn(1, 3, 8, 8), torch.tensor([0.5])
    with torch.no_grad():
        with_text, without = (velocity_of(editor, one)(x, sigma) for one in (told, untold))
        guided = velocity_of(editor, told, without=untold, scale=3.0)(x, sigma)
    torch.testing.assert_close(guided, without + 3 * (with_text - without))


def test_the_first_step_takes_the_next_noise_level_below_the_line() -> None:
    assert noise_rate(1.0, 0.9, 0.7) == pytest.approx(0.7 * (1 / 0.1) ** 0.5)
    x = torch.zeros(1, 1, 1, 1)
    assert step_gaussian(x, x, 1.0, 0.9, 0.7)[1] == pytest.approx(0.7)


def test_windows_move_at_random_or_slide_and_stay_inside() -> None:
    assert stochastic_steps(ReinforcementSettings(), 5) == tuple(range(9)), "all but the last"
    slides = ReinforcementSettings(window=3, window_to=6, window_moves="slide", window_every=2)
    assert [stochastic_steps(slides, n)[0] for n in range(10)] == [0, 0, 1, 1, 2, 2, 3, 3, 0, 0]
    random = ReinforcementSettings(window=2, window_from=1, window_to=6)
    seen = {stochastic_steps(random, n) for n in range(60)}
    assert seen == {(n, n + 1) for n in range(1, 5)}
