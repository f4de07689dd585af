"""Panels of an edit, found without a judge: how many there are, which neighbors look alike, which copy the end."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import numpy.typing as npt

from editscope.images import Pixels, resize

Box = tuple[int, int, int, int]
"""Left, top, right, bottom; right and bottom exclusive."""
Floats = npt.NDArray[np.float64]

STEP = 16
"""How much a channel must change across a border between panels."""
BORDER = 0.8
"""The share of a line's length along which it must change, for the line to be a border."""
GUTTER = 0.06
"""How broad the strip between two panels may be, as a share of the side of the picture."""
NEAR = 0.03
"""How far a border may be from where equal panels have it, as a share of the side of the picture."""
MOST = 8
"""Panels beside each other, at most."""
SIDE = 48
"""Panels are compared in this size, in which noise and small shifts do not count."""
RIM, NUMBER = 0.06, 0.25
"""What is not compared, as shares of a side: the rim, and the corner at the top left, which holds the number."""
APART = 10.0
"""How far a channel may be out of the range around it before a pixel is another one."""
ALIKE = 0.02
"""Two panels of which at most this share of pixels differs are near-equal."""


def panel_checks(joined: Pixels, edit: Pixels) -> dict[str, float | None]:
    """``panels``: their number; ``alike_neighbors``: how many follow one that is near-equal; ``end_copies``: how many
    before the last are near-equal to the end picture.

    ``joined`` is the picture of start and end. An edit without a border in it is one panel, which may copy the end too;
    an edit that is near-equal to the picture of start and end copies it once.
    """
    boxes = find_panels(edit)
    small = [_small(edit[top:bottom, left:right]) for left, top, right, bottom in boxes]
    end = _small(end_picture(joined))
    alike = sum(near_equal(first, second) for first, second in pairwise(small))
    copies = sum(near_equal(panel, end) for panel in (small[:-1] or small))
    if not copies and near_equal(_small(edit), _small(joined)):
        copies = 1
    return {"panels": float(len(boxes)), "alike_neighbors": float(alike), "end_copies": float(copies)}


def find_panels(picture: Pixels) -> tuple[Box, ...]:
    """The panels from top to bottom, in each band from left to right; the whole picture where it has no borders.

    Bands are equally high, and the panels of a band equally broad; bands may differ in how many panels they have. A
    margin around all panels is left out where more are found without it.

    >>> gray = np.full((60, 100, 3), 90, np.uint8)
    >>> gray[:, 49:51] = 255
    >>> find_panels(gray)
    ((0, 0, 48, 60), (52, 0, 100, 60))
    """
    levels = picture.astype(np.int16)
    left, top, right, bottom = _without_margin(levels)
    whole, inside = _divided(levels), _divided(levels[top:bottom, left:right])
    if len(inside) <= len(whole):
        return whole
    return tuple((x0 + left, y0 + top, x1 + left, y1 + top) for x0, y0, x1, y1 in inside)


def _divided(levels: npt.NDArray[np.int16]) -> tuple[Box, ...]:
    height, width = levels.shape[:2]
    bands = _parts(levels)
    panels = [
        (left, top, right, bottom) for top, bottom in bands for left, right in _parts(levels[top:bottom].swapaxes(0, 1))
    ]
    if len(bands) == 1 and len(panels) > 1:  # columns that are divided each for itself
        panels = [
            (left, top, right, bottom) for left, _, right, _ in panels for top, bottom in _parts(levels[:, left:right])
        ]
    return tuple(sorted(panels, key=lambda box: (box[1], box[0]))) or ((0, 0, width, height),)


def _without_margin(levels: npt.NDArray[np.int16]) -> Box:
    """The picture without the lines at its edges that have one color."""
    ends = []
    for lines in (levels.swapaxes(0, 1), levels):
        mixed = np.flatnonzero(np.ptp(lines, axis=1).max(axis=1) > STEP)
        ends.append((int(mixed[0]), int(mixed[-1]) + 1) if mixed.size else (0, len(lines)))
    (left, right), (top, bottom) = ends
    return left, top, right, bottom


def end_picture(joined: Pixels) -> Pixels:
    """The end picture in the picture of start and end: right of the striped bar, or below it."""
    height, width = joined.shape[:2]
    gray = joined.mean(axis=2)
    across, down = (_striped(lines) for lines in (gray[:, _middle(width)].T, gray[_middle(height)]))
    if down > across or (down == across and height > width):
        return joined[(height + round(width * 5 / 1024)) // 2 + 1 :]
    return joined[:, (width + round(height * 5 / 1024)) // 2 + 1 :]


def near_equal(first: Floats, second: Floats) -> bool:
    """Whether two small panels show the same, but for noise and a shift by up to a pixel of their small size.

    A pixel is the same where each channel lies in the range of the 3 × 3 pixels around it in the other panel.
    """
    differs = _out_of_range(first, second) | _out_of_range(second, first)
    return float(differs[_COMPARED].mean()) <= ALIKE


def _out_of_range(panel: Floats, other: Floats) -> npt.NDArray[np.bool_]:
    windows = np.lib.stride_tricks.sliding_window_view(other, (3, 3), axis=(0, 1))
    low, high = windows.min(axis=(3, 4)) - APART, windows.max(axis=(3, 4)) + APART
    inner = panel[1:-1, 1:-1]
    outside: npt.NDArray[np.bool_] = ((inner < low) | (inner > high)).any(axis=2)
    return outside


def _parts(lines: npt.NDArray[np.int16]) -> list[tuple[int, int]]:
    """The equal stretches that borders divide lines into, as many as have a border at each of their ends."""
    side = len(lines)
    if side < 4 * MOST:
        return [(0, side)]
    changes = np.abs(lines[2:] - lines[:-2]).max(axis=2) > STEP
    borders = np.flatnonzero(changes.mean(axis=1) >= BORDER) + 1
    groups: list[list[int]] = []
    for place in borders.tolist():
        if groups and place - groups[-1][-1] <= max(3, round(GUTTER * side)):
            groups[-1].append(place)
        else:
            groups.append([place])
    for number in range(MOST, 1, -1):
        chosen = [_at(groups, side * k / number, NEAR * side) for k in range(1, number)]
        there = [group for group in chosen if group is not None]
        if len(there) == len(chosen):
            # A line between two panels changes on both sides, so that its group reaches a pixel beyond it.
            edges = [0, *(end for group in there for end in (group[0], group[-1] + 1)), side]
            return list(zip(edges[::2], edges[1::2], strict=True))
    return [(0, side)]


def _at(groups: list[list[int]], place: float, reach: float) -> list[int] | None:
    """The border nearest to a place, if it is near enough."""
    apart = {i: abs((group[0] + group[-1]) / 2 - place) for i, group in enumerate(groups)}
    nearest = min(apart, key=apart.__getitem__, default=None)
    return None if nearest is None or apart[nearest] > reach else groups[nearest]


def _small(picture: Pixels) -> Floats:
    """A panel in the size that panels are compared in."""
    return resize(np.ascontiguousarray(picture), SIDE, SIDE).astype(np.float64)


def _compared() -> npt.NDArray[np.bool_]:
    """Which pixels of a small panel, without its outermost ones, are compared."""
    rim, corner = round(RIM * SIDE), round(NUMBER * SIDE)
    compared = np.zeros((SIDE, SIDE), np.bool_)
    compared[rim:-rim, rim:-rim] = True
    compared[:corner, :corner] = False
    return compared[1:-1, 1:-1]


_COMPARED = _compared()


def _middle(side: int) -> slice:
    return slice(max(0, side // 2 - 2), side // 2 + 3)


def _striped(lines: Floats) -> float:
    """How much of the best of some lines is black or white, with some of both; 0 for a line of one of them alone."""
    dark, light = (lines < 64).mean(axis=1), (lines > 192).mean(axis=1)
    striped = np.where((dark > 0.25) & (light > 0.25), dark + light, 0.0)
    return float(striped.max(initial=0.0))
