"""Outputs of a pipeline: pictures as pixels, or the reason why one is not an edit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from editscope.cases import Status
from editscope.images import Pixels, load, quantized

NAN = "the pipeline gave NaN (black picture); try ?dtype=bf16 or ?dtype=fp32"
BLACK = "the pipeline gave an all-black picture; try ?dtype=bf16 or ?dtype=fp32"
UNSAFE = "the pipeline's safety checker held the picture back"
ASKED_FOR = ("black", "dark", "night", "黑", "夜")
"""Words in an instruction after which an all-black picture may be what was asked for."""


@dataclass(frozen=True, eq=False)
class Given:
    """One picture of a pipeline, or the status and reason why there is none."""

    pixels: Pixels | None
    status: Status = "ok"
    reason: str | None = None


def read_output(output: Any, count: int) -> list[Given]:
    """The pictures of a call, in order; of a film its last frame.

    Values that are not finite, as a pipeline gives when numbers overflow, are an error and never a black picture.
    """
    pictures = _pictures(output)
    flagged = getattr(output, "nsfw_content_detected", None) or ()
    if len(pictures) < count:
        raise ValueError(f"the pipeline gave {len(pictures)} pictures for {count} edits")
    return [
        Given(None, "refused", UNSAFE) if number < len(flagged) and flagged[number] else _given(pictures[number])
        for number in range(count)
    ]


def looked_at(given: Given, source: Pixels, instruction: str) -> Given:
    """The same, or an error where a black picture came of one that was not black and nobody asked for black."""
    if given.pixels is None or given.pixels.any() or not source.any():
        return given
    if any(word in instruction.lower() for word in ASKED_FOR):
        return given
    return Given(None, "error", BLACK)


def _pictures(output: Any) -> Any:
    pictures = getattr(output, "images", None)
    if pictures is None:
        pictures = getattr(output, "frames", None)
    if pictures is None and isinstance(output, tuple) and output:
        pictures = output[0]
    if pictures is None:
        raise ValueError(f"the pipeline gave a {type(output).__name__} without images or frames")
    if hasattr(pictures, "detach"):  # a tensor: pictures have their channels first there
        pictures = np.moveaxis(pictures.detach().float().cpu().numpy(), -3, -1)
    return [pictures] if hasattr(pictures, "convert") else pictures


def _given(picture: Any) -> Given:
    while isinstance(picture, list | tuple):  # a film as a list of frames, or a list for each prompt
        picture = picture[-1]
    if hasattr(picture, "convert"):
        return Given(load(picture))
    values = np.asarray(picture)
    while values.ndim > 3:
        values = values[-1]
    if values.dtype == np.uint8:
        return Given(load(values))
    if not np.isfinite(values).all():
        return Given(None, "error", NAN)
    return Given(load(quantized(values)))
