"""Noise levels to train at: their distribution, shift and weights."""

from __future__ import annotations

import math

import torch

from editscope.training.supervised.settings import TimestepSettings

LEAST = 1e-4
"""The noise level nearest to 0 and to 1: at the ends there is nothing to learn."""


def draw_sigma(settings: TimestepSettings, generator: torch.Generator, shift: float) -> float:
    """A noise level from 0 to 1; ``shift`` is the one of the picture's size, used where the settings say so.

    Logit-normal: ``1 / (1 + exp(-x))`` with a normal x. Shift: ``s * t / (1 + (s - 1) * t)``.
    """
    if settings.distribution == "uniform":
        level = float(torch.rand((), generator=generator, dtype=torch.float64))
    else:
        drawn = float(torch.randn((), generator=generator, dtype=torch.float64))
        level = 1 / (1 + math.exp(-(settings.mean + settings.deviation * drawn)))
    by = shift if settings.shift == "resolution" else float(settings.shift)
    return min(1 - LEAST, max(LEAST, shifted(level, by)))


def shifted(level: float, by: float) -> float:
    """A noise level moved toward noise.

    >>> shifted(0.5, 1.0), shifted(0.5, 3.0)
    (0.5, 0.75)
    """
    return by * level / (1 + (by - 1) * level)


def weight(settings: TimestepSettings, sigma: float) -> float:
    """How much the loss at a noise level counts: 1, or one of the two weightings of Stable Diffusion 3.

    >>> [round(weight(TimestepSettings(weighting=one), 0.5), 4) for one in ("none", "sigma_sqrt", "cosmap")]
    [1.0, 4.0, 1.2732]
    """
    if settings.weighting == "sigma_sqrt":
        return 1 / (sigma * sigma)
    if settings.weighting == "cosmap":
        return 2 / (math.pi * (1 - 2 * sigma + 2 * sigma**2))
    return 1.0
