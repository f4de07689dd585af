"""Errors of an edit whose case says what was to change: pixels, degrees, percent, and difference of color."""

from __future__ import annotations

from dataclasses import dataclass
from math import atan, degrees, hypot, sqrt

import numpy as np
import numpy.typing as npt

from editscope.images import Pixels
from editscope.scoring.offsets.change import AskedChange, Rgb
from editscope.scoring.offsets.objects import REACH, FoundObject, Mask, find_objects

RECOGNIZED = 0.5
"""An output in which less than this share of what should stay has its color is another picture."""
POINTS = 4000
"""As many points of an object are turned and laid over the other."""
COARSE, FINE, AROUND = 2.0, 0.25, 8.0
"""Steps of the search for an angle, and how far around the best one it is repeated, in degrees."""
BESIDE = 3
"""An angle of the first search is that of a peak where as many steps to each side are no better."""
ROUND = 0.02
"""Where turning changes the overlap by less than this share, an object looks the same from all sides."""
ALIKE = 0.8
"""Two shapes of which less than this share coincides at best are not the same shape, turned."""
AS_GOOD = 0.03
"""Angles whose overlap is within this share of the best are those of a symmetric shape; the smallest counts."""


@dataclass(frozen=True, slots=True)
class ChangeErrors:
    """How far an edit is off, each at least 0, and None where it cannot be measured.

    ``position`` is the distance of the middles in pixels, ``angle`` in degrees, ``size`` in percent, ``color`` a ΔE76.
    """

    position: float | None = None
    angle: float | None = None
    size: float | None = None
    color: float | None = None


def change_errors(before: Pixels, answer: Pixels, output: Pixels, change: AskedChange) -> ChangeErrors:
    """The errors of an output that has the size of its answer.

    >>> before = np.zeros((40, 40, 3), np.uint8)
    >>> after, output = before.copy(), before.copy()
    >>> before[4:10, 4:12] = after[14:20, 20:28] = output[14:20, 27:35] = (255, 0, 0)
    >>> change_errors(before, after, output, AskedChange((255, 0, 0), size="sides"))
    ChangeErrors(position=7.0, angle=None, size=0.0, color=0.0)
    """
    if change.color is None:
        return ChangeErrors(color=_region_color(before, answer, output))
    both = find_objects(before, answer, output, change.color) if _same_picture(before, answer, output) else None
    if both is None:
        return ChangeErrors()
    goal, found = both
    color = _object_color(output, found.mask, change.color)
    if goal.cut_off:  # nobody knows where the middle of the whole is
        return ChangeErrors(color=color)
    return ChangeErrors(
        position=round(hypot(found.x - goal.x, found.y - goal.y), 4),
        angle=_angle(goal, found, change),
        size=_size(goal, found, change),
        color=color,
    )


def _same_picture(before: Pixels, answer: Pixels, output: Pixels) -> bool:
    """Whether enough of what should stay is there to look for an object in it; every fourth pixel is looked at."""
    from editscope.images.lab import differences

    was, wanted, got = (picture[::4, ::4] for picture in (before, answer, output))
    kept = (was == wanted).all(axis=2)
    return not kept.any() or float((differences(got[kept], wanted[kept]) <= REACH).mean()) >= RECOGNIZED


def _size(goal: FoundObject, found: FoundObject, change: AskedChange) -> float | None:
    """By how many percent the object is too large or too small: by area, or along the worse of its two sides."""
    if change.size == "area":
        return round(100 * abs(sqrt(found.area / goal.area) - 1), 4)
    if change.size == "sides":
        return round(100 * max(abs(sqrt(found.xx / goal.xx) - 1), abs(sqrt(found.yy / goal.yy) - 1)), 4)
    return None


def _angle(goal: FoundObject, found: FoundObject, change: AskedChange) -> float | None:
    if change.angle == "turn":
        turn = turned_by(goal, found)
        return None if turn is None else round(abs(turn), 4)
    if change.angle == "slant_x":  # x + k·y has the covariance xy + k·yy
        return round(degrees(atan(abs(found.xy / found.yy - goal.xy / goal.yy))), 4)
    if change.angle == "slant_y":
        return round(degrees(atan(abs(found.xy / found.xx - goal.xy / goal.xx))), 4)
    return None


def turned_by(goal: FoundObject, found: FoundObject) -> float | None:
    """By how many degrees, -180 to 180, a shape must be turned to lie on another best, sizes and middles made equal.

    Of a symmetric shape it is the smallest such angle; None for a round one, or where the shapes differ.
    """
    points = _points(goal)
    scale = sqrt(found.area / goal.area)
    angles = np.arange(-180.0, 180.0, COARSE)
    shares = _overlaps(points, found, scale, angles)
    best = float(shares.max())
    if best < ALIKE or best - float(shares.min()) < ROUND:
        return None
    around = np.stack([np.roll(shares, step) for step in range(-BESIDE, BESIDE + 1)])
    peaks = (shares >= best - AS_GOOD) & (shares >= around.max(axis=0))
    near = min(angles[peaks].tolist(), key=abs) + np.arange(-AROUND, AROUND + FINE / 2, FINE)
    peak = _peak(near, _overlaps(points, found, scale, near))
    return (peak + 180.0) % 360.0 - 180.0


def _peak(angles: npt.NDArray[np.float64], shares: npt.NDArray[np.float64]) -> float:
    """The middle of where the overlap is high, which is surer than where it happens to be highest."""
    top = int(shares.argmax())
    level = (float(shares[top]) + float(max(shares[0], shares[-1]))) / 2
    if level in (shares[top], shares[0], shares[-1]):  # no peak, but a slope or a plain
        return float(angles[top])
    left = right = top
    while shares[left - 1] >= level:
        left -= 1
    while shares[right + 1] >= level:
        right += 1
    return (_crossing(angles, shares, left, -1, level) + _crossing(angles, shares, right, 1, level)) / 2


def _crossing(
    angles: npt.NDArray[np.float64], shares: npt.NDArray[np.float64], place: int, step: int, level: float
) -> float:
    """Where the overlap passes a level between a place and its neighbor."""
    inside, outside = shares[place], shares[place + step]
    share = (inside - level) / (inside - outside)
    return float(angles[place] + share * (angles[place + step] - angles[place]))


def _points(goal: FoundObject) -> npt.NDArray[np.float64]:
    rows, columns = np.nonzero(goal.mask)
    chosen = np.linspace(0, len(rows) - 1, min(POINTS, len(rows))).astype(np.int64)
    return np.ascontiguousarray(np.stack([columns[chosen] - goal.x, rows[chosen] - goal.y], axis=1).astype(np.float64))


def _overlaps(
    points: npt.NDArray[np.float64], found: FoundObject, scale: float, angles: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    from editscope.scoring.offsets._kernels import overlaps

    return overlaps(points, np.ascontiguousarray(found.mask), found.x, found.y, scale, angles)


def _object_color(output: Pixels, mask: Mask, color: Rgb) -> float:
    """The median ΔE of an object from its color, its rim left out."""
    from editscope.images.lab import differences

    pixels = output[_inner(mask)]
    return _median(differences(pixels, np.broadcast_to(np.array(color, np.uint8), pixels.shape)))


def _region_color(before: Pixels, answer: Pixels, output: Pixels) -> float | None:
    """The median ΔE of the output from the answer where that has new colors, rims left out."""
    from editscope.images.lab import differences

    region = (before != answer).any(axis=2)
    if not region.any():
        return None
    inner = _inner(region)
    return _median(differences(output[inner], answer[inner]))


def _inner(mask: Mask) -> Mask:
    """A mask without its rim of one pixel; the mask itself where nothing else is left."""
    inner = mask.copy()
    inner[0], inner[-1], inner[:, 0], inner[:, -1] = False, False, False, False
    inner[1:-1, 1:-1] &= mask[:-2, 1:-1] & mask[2:, 1:-1] & mask[1:-1, :-2] & mask[1:-1, 2:]
    return inner if inner.any() else mask


def _median(values: npt.NDArray[np.float64]) -> float:
    return round(float(np.median(values)), 4)
