"""Sampler of flow editors: a plain Euler loop, and the noise that it begins with."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import torch

from editscope.training.models.base import Condition, FlowEditor
from editscope.training.models.pipeline_editor import GUIDANCE, PipelineFlowEditor


@torch.no_grad()
def sample(
    editor: FlowEditor,
    condition: Condition,
    noise: torch.Tensor,
    sigmas: torch.Tensor,
    *,
    guidance: float | None = None,
    without: Condition | None = None,
    scale: float = 1.0,
) -> torch.Tensor:
    """The clean latents that the flow leads to from noise, along noise levels that end with 0.

    ``guidance`` is what a guidance-distilled network is told. With ``without``, the condition without a text, and a
    ``scale`` above 1, each step is guided by two calls.
    """
    conditions = [condition] if without is None or scale <= 1 else [condition, without]
    if guidance is not None:
        told = torch.full([len(noise)], guidance)
        conditions = [{**one, GUIDANCE: told} for one in conditions]
    latents = noise
    levels = sigmas.tolist()
    for level, following in pairwise(levels):
        sigma = torch.full([len(noise)], level)
        velocity = editor.velocity(latents, sigma, conditions[0])
        if len(conditions) > 1:
            velocity = editor.guided(velocity, editor.velocity(latents, sigma, conditions[1]), scale)
        latents = (latents.to(velocity.device).float() + (following - level) * velocity).to(velocity.dtype)
    return latents


def first_noise(editor: PipelineFlowEditor, size: tuple[int, int], seeds: Sequence[int]) -> torch.Tensor:
    """Noise for edits of a size (height, width), drawn on the CPU as the diffusers editor draws it."""
    shape = (1, *editor.latent_shape(size))
    drawn = [
        torch.randn(shape, generator=torch.Generator("cpu").manual_seed(seed), dtype=editor.dtype) for seed in seeds
    ]
    return torch.cat(drawn)
