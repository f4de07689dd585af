"""Stability outside of an edit: where a pair changed, and how well the rest of the picture stayed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from editscope.factory.checks.change import Floats, Mask, PixelChange, change, measured
from editscope.factory.extra import factory_package
from editscope.images import Pixels

JOIN = 0.03
"""Changes nearer to each other than this share of the longer side are one area."""
MARGIN = 0.015
"""Around an area this share of the longer side belongs to it: shadows, soft edges, blocks of coders."""
AREAS = 3
"""Separate areas that an edit may have: where an object was, where it is, and its shadow."""
HIGHEST = 99.0
NOISE_ENERGY = 9.0
"""Squared levels of detail that noise and compression may have made."""
LEAST_RICH = 0.05
"""The share of the rest that must have detail, so that it can be told whether it stayed."""


@dataclass(frozen=True, slots=True)
class Stability:
    """``inside`` is the share of the picture that belongs to the edit, ``psnr`` that of the rest, in decibels."""

    psnr: float
    inside: float
    detail: float
    """How much of the rest's fine detail stayed, from 0 to 1."""


def stability(
    before: Pixels, after: Pixels, regions: Sequence[Mapping[str, Any]] = (), areas: int = AREAS
) -> Stability:
    """How well a picture stayed outside of its edit.

    The edit is ``regions`` where they are given, else the largest ``areas`` places of change, found in the difference
    itself, each filled to its hull and with a margin. PSNR = 10 · log10(255² / mean d²) over the rest, where d is the
    difference of both pictures blurred, so that noise and compression count little. Detail = mean(a·b) /
    max(mean a², mean b²) over what of the rest has detail, where a and b are both pictures less their surroundings: a
    blurred or newly made texture has lost it although its PSNR is high.

    >>> before = np.full((200, 200, 3), 90, np.uint8)
    >>> after = before.copy()
    >>> after[20:60, 20:60] = 200
    >>> stability(before, after).psnr, stability(before, (after + 20).astype(np.uint8)).psnr < 30
    (99.0, True)
    """
    difference = change(before, after)
    height, width = difference.mask.shape
    if regions:
        scale = width / before.shape[1]
        edit = np.zeros((height, width), bool)
        for region in regions:
            top, left = int(region["y"] * scale), int(region["x"] * scale)
            bottom, right = (region["y"] + region["height"]) * scale, (region["x"] + region["width"]) * scale
            edit[top : int(np.ceil(bottom)), left : int(np.ceil(right))] = True
        edit = _wider(edit, 2)
    else:
        edit = edited_area(difference, areas)
    return _outside(difference, edit, *(_detail(measured(one)) for one in (before, after)))


def edited_area(difference: PixelChange, areas: int = AREAS) -> Mask:
    """The largest places of change, with what lies between their parts."""
    cv2 = factory_package("cv2", "measuring pictures")
    longer = max(difference.mask.shape)
    joined = _wider(difference.mask, max(1, round(JOIN * longer / 2)))
    number, labels = cv2.connectedComponents(joined.astype(np.uint8))
    sizes = np.bincount(labels[difference.mask], minlength=number)
    sizes[0] = 0
    edit = np.zeros(difference.mask.shape, np.uint8)
    for label in np.argsort(-sizes, kind="stable")[:areas]:
        if not sizes[label]:
            continue
        places = np.argwhere((labels == label) & difference.mask)[:, ::-1].astype(np.int32)
        cv2.fillConvexPoly(edit, cv2.convexHull(places), 1)
    return _wider(edit > 0, max(1, round(MARGIN * longer)))


def _detail(pixels: Pixels) -> Floats:
    cv2 = factory_package("cv2", "measuring pictures")
    gray = cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY).astype(np.float32)
    detail: Floats = cv2.GaussianBlur(gray, (0, 0), 1.0) - cv2.GaussianBlur(gray, (0, 0), 3.0)
    return detail


def _outside(difference: PixelChange, edit: Mask, first: Floats, second: Floats) -> Stability:
    rest = ~edit
    inside = float(edit.mean())
    if not rest.any():
        return Stability(0.0, 1.0, 0.0)
    error = float((difference.difference[rest] ** 2).mean())
    psnr = HIGHEST if error <= 0 else min(HIGHEST, 10 * float(np.log10(255.0**2 / error)))
    return Stability(round(psnr, 2), round(inside, 4), _stayed(first, second, rest))


def _stayed(first: Floats, second: Floats, rest: Mask) -> float:
    """The share of detail that stayed where there is more than noise makes; 1 where there is next to none."""
    cv2 = factory_package("cv2", "measuring pictures")
    energy = cv2.boxFilter(np.maximum(first * first, second * second), -1, (33, 33))
    rich = rest & (energy > NOISE_ENERGY)
    if float(rich.sum()) < LEAST_RICH * rest.sum():
        return 1.0
    a, b = first[rich], second[rich]
    detail = float((a * b).mean()) / max(float((a * a).mean()), float((b * b).mean()))
    return round(min(1.0, max(0.0, detail)), 4)


def _wider(mask: Mask, reach: int) -> Mask:
    cv2 = factory_package("cv2", "measuring pictures")
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * reach + 1, 2 * reach + 1))
    wide: Mask = cv2.dilate(mask.astype(np.uint8), kernel) > 0
    return wide
