"""Sampling from flow editors: what they predict, the loop over noise levels, and the noise that it begins with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import TypeAlias

import torch

from editscope.training.models.base import Condition, FlowEditor
from editscope.training.models.pipeline_editor import GUIDANCE, PipelineFlowEditor

Velocity: TypeAlias = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
"""What a network predicts for noisy latents and their noise levels."""
Advance: TypeAlias = Callable[[int, torch.Tensor, torch.Tensor, float, float], torch.Tensor]
"""The latents of the next noise level: from the number of the step, the latents, their velocity, and both levels."""


def velocity_of(
    editor: FlowEditor,
    condition: Condition,
    *,
    guidance: float | None = None,
    without: Condition | None = None,
    scale: float = 1.0,
    dtype: torch.dtype | None = None,
) -> Velocity:
    """The velocity under a condition. Only the network computes in bf16, if the editor says so.

    ``guidance`` is what a guidance-distilled network is told. With ``without``, the condition without a text, and a
    ``scale`` other than 1, the velocity is guided by two calls. Predictions get a ``dtype`` before that, or stay as the
    network gives them: that is how pipelines guide.
    """

    def rounded() -> torch.autocast:
        device = next(editor.network.parameters()).device
        return torch.autocast(device.type, torch.bfloat16, enabled=editor.bf16)

    def predicted(noisy: torch.Tensor, sigma: torch.Tensor, given: Condition) -> torch.Tensor:
        if guidance is not None:
            given = {**given, GUIDANCE: torch.full([len(noisy)], guidance)}
        # One context for each call: autocast remembers rounded weights, and policies put others in their place.
        with rounded():
            made = editor.velocity(noisy, sigma, given)
        return made if dtype is None else made.to(dtype)

    def velocity(noisy: torch.Tensor, sigma: torch.Tensor) -> torch.Tensor:
        conditioned = predicted(noisy, sigma, condition)
        if without is None or scale == 1:
            return conditioned
        unconditioned = predicted(noisy, sigma, without)
        with rounded():  # on a GPU, autocast takes norms in float32
            return editor.guided(conditioned, unconditioned, scale)

    return velocity


def euler(step: int, latents: torch.Tensor, velocity: torch.Tensor, sigma: float, following: float) -> torch.Tensor:
    """A step of the ODE: computed in float32, and rounded as the velocity is."""
    return (latents.to(velocity.device).float() + (following - sigma) * velocity).to(velocity.dtype)


@torch.no_grad()
def integrate(
    velocity: Velocity, noise: torch.Tensor, sigmas: Iterable[float], advance: Advance = euler
) -> torch.Tensor:
    """The clean latents that the flow leads to from noise, along noise levels that end with 0."""
    latents = noise
    for step, (sigma, following) in enumerate(pairwise(sigmas)):
        level = torch.full([len(latents)], sigma, device=latents.device)
        latents = advance(step, latents, velocity(latents, level), sigma, following)
    return latents


def first_noise(editor: PipelineFlowEditor, size: tuple[int, int], seeds: Sequence[int]) -> torch.Tensor:
    """Noise for edits of a size (height, width), drawn on the CPU as the diffusers editor draws it."""
    shape = (1, *editor.latent_shape(size))
    drawn = [
        torch.randn(shape, generator=torch.Generator("cpu").manual_seed(seed), dtype=editor.dtype) for seed in seeds
    ]
    return torch.cat(drawn)
