"""Sizes of pictures for a model: how one of another size is sent, and how the output is mapped back."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import log, sqrt
from typing import Literal, TypeAlias

import numpy as np

from editscope.errors import BadInput
from editscope.images import Pixels, Resample, resize

Size: TypeAlias = "tuple[int, int]"
"""Width and height in pixels."""

How = Literal["auto", "stretch", "pad"]

SLIGHT = 0.03
"""An aspect ratio that is off by no more than this share is stretched: nobody sees it, and no border has to be made."""


@dataclass(frozen=True, slots=True)
class SizeMapping:
    """A picture of ``source`` size is scaled to ``inner``, which lies in the middle of ``sent``.

    Around ``inner`` the border of the picture is repeated; where both are equal there is nothing around it.
    """

    source: Size
    inner: Size
    sent: Size
    resample: Resample = "lanczos"

    @property
    def same(self) -> bool:
        """Whether pictures go out as they are."""
        return self.source == self.inner == self.sent

    def apply(self, pixels: Pixels) -> Pixels:
        """The picture as it is sent: any picture, whatever its size, becomes one of ``sent``."""
        scaled = resize(pixels, *self.inner, self.resample)
        if self.inner == self.sent:
            return scaled
        left, top = self._corner
        beside = ((top, self.sent[1] - self.inner[1] - top), (left, self.sent[0] - self.inner[0] - left), (0, 0))
        return np.pad(scaled, beside, mode="edge")

    def back(self, pixels: Pixels) -> Pixels:
        """What came back, in the size of the source: without what lies around ``inner``, scaled.

        A picture of another size than ``sent`` is taken to show the same, larger or smaller.

        >>> fit = fit_to((10, 6), multiple=4, how="pad")
        >>> fit.sent, fit.back(fit.apply(np.zeros((6, 10, 3), np.uint8))).shape
        ((12, 8), (6, 10, 3))
        """
        height, width = pixels.shape[:2]
        if self.inner == self.sent:
            return resize(pixels, *self.source, self.resample)
        across, down = width / self.sent[0], height / self.sent[1]
        left, top = self._corner
        x, y = round(left * across), round(top * down)
        right, bottom = round((left + self.inner[0]) * across), round((top + self.inner[1]) * down)
        part = pixels[y : max(bottom, y + 1), x : max(right, x + 1)]
        return resize(np.ascontiguousarray(part), *self.source, self.resample)

    def __str__(self) -> str:
        text = f"{_said(self.source)} sent as {_said(self.sent)}"
        return text if self.inner == self.sent else f"{text} with {_said(self.inner)} in the middle"

    @property
    def _corner(self) -> Size:
        return (self.sent[0] - self.inner[0]) // 2, (self.sent[1] - self.inner[1]) // 2


def fit_to(
    size: Size,
    *,
    multiple: int = 16,
    area: int | None = None,
    longest: int | None = None,
    sizes: Iterable[Size] | None = None,
    how: How = "auto",
    resample: Resample = "lanczos",
) -> SizeMapping:
    """How a picture of ``size`` (width, height) goes to a model.

    ``area`` scales it to about so many pixels, ``longest`` its longer side to so many; without both it keeps its size.
    Then each side becomes the nearest multiple of ``multiple``. Or the model knows only some ``sizes``: the one with
    the nearest aspect ratio is taken, and among those the one with the nearest area (``area``, else the picture's own).
    ``stretch`` changes the aspect ratio a little, ``pad`` keeps it and repeats the border; ``auto`` stretches
    where it is off by at most 3 %.

    >>> fit_to((1000, 600)).sent, fit_to((1000, 600), longest=1024).sent, fit_to((1000, 600), area=1024 * 1024).sent
    ((1008, 608), (1024, 608), (1328, 800))
    >>> print(fit_to((1024, 576), sizes=[(1024, 1024), (1536, 1024), (1024, 1536)]))
    1024x576 sent as 1536x1024 with 1536x864 in the middle
    """
    if min(size) < 1 or multiple < 1:
        raise BadInput(f"a picture of {_said(size)} cannot be fitted to multiples of {multiple}")
    if sizes is not None:
        sent = _nearest(size, tuple(sizes), area)
    else:
        sent = _snapped(size, multiple, area, longest, up=how == "pad")
    off = abs(log(sent[0] * size[1] / (sent[1] * size[0])))
    if how == "stretch" or (how == "auto" and off <= SLIGHT):
        return SizeMapping(size, sent, sent, resample)
    unscaled = area is None and longest is None and sizes is None
    inner = size if unscaled and size[0] <= sent[0] and size[1] <= sent[1] else _inside(size, sent)
    return SizeMapping(size, inner, sent, resample)


def _snapped(size: Size, multiple: int, area: int | None, longest: int | None, up: bool) -> Size:
    scale = 1.0
    if longest is not None:
        scale = longest / max(size)
    if area is not None:
        scale = (
            min(scale, sqrt(area / (size[0] * size[1]))) if longest is not None else sqrt(area / (size[0] * size[1]))
        )
    width, height = (_multiple(side * scale, multiple, up) for side in size)
    return width, height


def _multiple(side: float, multiple: int, up: bool) -> int:
    """The nearest multiple, or for a picture that is padded the next one above, so that no pixel is lost."""
    steps = -(-round(side) // multiple) if up else int(side / multiple + 0.5)
    return max(1, steps) * multiple


def _nearest(size: Size, sizes: tuple[Size, ...], area: int | None) -> Size:
    if not sizes:
        raise BadInput("a model that knows only some sizes needs at least one of them, such as 1024x1024")
    wanted = area or size[0] * size[1]
    aspect = log(size[0] / size[1])
    return min(
        sizes, key=lambda one: (round(abs(log(one[0] / one[1]) - aspect), 6), abs(log(one[0] * one[1] / wanted)))
    )


def _inside(size: Size, sent: Size) -> Size:
    """The largest size of the same aspect ratio that fits."""
    scale = min(sent[0] / size[0], sent[1] / size[1])
    return min(sent[0], max(1, round(size[0] * scale))), min(sent[1], max(1, round(size[1] * scale)))


def _said(size: Size) -> str:
    return f"{size[0]}x{size[1]}"
