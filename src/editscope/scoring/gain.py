"""Linear light, and the gain per channel that takes a tone shift out of an edit."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from editscope.images import Pixels
from editscope.scoring._lab import LINEAR64

Gain: TypeAlias = tuple[float, float, float]
"""A factor for each channel, in linear light."""

NO_GAIN: Gain = (1.0, 1.0, 1.0)
MOST_GAIN = 3.0
"""The factor up to which, in linear light, a difference is one of tone."""


def best_gain(answer: Pixels, output: Pixels, mask: npt.NDArray[np.bool_]) -> Gain:
    """The factor of each channel that brings the output nearest to the answer: Σ O·A / Σ O² over the mask.

    It is a least-squares fit in linear light. Pass pixels that the edit should leave alone. Pixels that should change
    must stay out of the fit: a dimmed lamp would look like a tone shift, and the input would gain recovery for
    nothing. Where output and answer agree the gain is exactly 1, so that input and answer keep their scores. A channel
    that is black in the output, and a mask without pixels, have gain 1.

    >>> answer = np.full((1, 2, 3), 188, np.uint8)
    >>> dark = np.full((1, 2, 3), 137, np.uint8)
    >>> [round(factor, 2) for factor in best_gain(answer, dark, np.ones((1, 2), bool))]
    [2.01, 2.01, 2.01]
    >>> best_gain(answer, 0 * dark, np.ones((1, 2), bool))
    (1.0, 1.0, 1.0)
    """
    wanted, got = LINEAR64[answer[mask]], LINEAR64[output[mask]]
    shared, own = (wanted * got).sum(axis=0), (got * got).sum(axis=0)
    red, green, blue = (float(a / b) if b else 1.0 for a, b in zip(shared, own, strict=True))
    return red, green, blue


def linear_light(pixels: Pixels) -> npt.NDArray[np.float64]:
    """Linear red, green and blue, 0 … 1.

    >>> linear_light(np.array([[[0, 137, 255]]], np.uint8)).round(3).tolist()
    [[[0.0, 0.25, 1.0]]]
    """
    return LINEAR64[pixels]


def srgb_bytes(linear: npt.NDArray[np.float64]) -> npt.NDArray[np.uint8]:
    """Linear light as 8-bit sRGB, cut to its range: the inverse of ``LINEAR64``.

    >>> srgb_bytes(np.array([-1.0, 0.0, 0.25, 1.0, 2.0])).tolist(), bool((srgb_bytes(LINEAR64) == np.arange(256)).all())
    ([0, 0, 137, 255, 255], True)
    """
    light = linear.clip(0.0, 1.0)
    encoded = np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055)
    levels: npt.NDArray[np.uint8] = np.rint(255 * encoded).astype(np.uint8)
    return levels


def with_gain(output: Pixels, gain: Gain) -> Pixels:
    """The output with each channel multiplied in linear light, as an 8-bit picture again.

    >>> with_gain(np.full((1, 1, 3), 137, np.uint8), (1.0, 2.0, 100.0)).tolist()
    [[[137, 188, 255]]]
    """
    if gain == NO_GAIN:
        return output
    tables = srgb_bytes(LINEAR64[:, None] * np.array(gain))
    return np.stack([tables[output[..., channel], channel] for channel in range(3)], axis=-1)
