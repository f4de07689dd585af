"""Objects of one color in a picture: which pixels are the one that was to change, and its shape in a few numbers."""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot

import numpy as np
import numpy.typing as npt

from editscope.images import Pixels
from editscope.scoring.offsets.change import Rgb

Mask = npt.NDArray[np.bool_]
Labels = npt.NDArray[np.int32]

REACH = 20.0
"""How far, in ΔE, the color of an object may be off before it is taken for another."""
PALETTE = 64
"""As many of the commonest colors are told from that of the object."""
SPECK = 0.02
"""Parts of less than this share of the object's area are noise."""
UNMOVED = 0.9
"""From this IoU on a part is the object at its old place."""
SIBLING = 0.5
"""From this share on a part is another object of the same color."""
JOINED = 1.25
"""Parts make up one object as long as they are not together larger than this share of its area."""
LEAST_AREA = 0.1
"""An object of less than this share of the area that it should have is not found; nor is one larger by as much."""


@dataclass(frozen=True, eq=False)
class FoundObject:
    """The pixels of an object, and its moments: area, middle, and spread along x, along y, and of both together."""

    mask: Mask
    area: int
    x: float
    y: float
    xx: float
    yy: float
    xy: float

    @classmethod
    def of(cls, mask: Mask) -> FoundObject:
        """The object of a mask that is not empty."""
        rows, columns = np.nonzero(mask)
        x, y = float(columns.mean()), float(rows.mean())
        dx, dy = columns - x, rows - y
        twelfth = 1 / 12  # the spread of a pixel itself
        xx, yy, xy = float((dx * dx).mean()) + twelfth, float((dy * dy).mean()) + twelfth, float((dx * dy).mean())
        return cls(mask, len(rows), x, y, xx, yy, xy)

    @property
    def cut_off(self) -> bool:
        """Whether it reaches the border of the picture, behind which there may be more of it."""
        mask = self.mask
        return bool(mask[0].any() or mask[-1].any() or mask[:, 0].any() or mask[:, -1].any())


def find_objects(before: Pixels, answer: Pixels, output: Pixels, color: Rgb) -> tuple[FoundObject, FoundObject] | None:
    """The object of a color in answer and output; None where one of them has none.

    Other objects of the same color are told by standing still from input to answer. In the output a pixel belongs to
    the color if it is nearer to it than to every other color of input and answer.
    """
    from editscope.scoring.offsets._kernels import components, nearest_to_first, to_lab

    is_color = np.array(color, np.uint8)
    there, wanted = ((picture == is_color).all(axis=2) for picture in (before, answer))
    others = _standing(there, wanted, components(there), components(wanted))
    target, source = wanted & ~others, there & ~others
    if not target.any():
        return None
    goal = FoundObject.of(target)
    palette = to_lab(_palette(before, answer, color)[None])[0]
    near = nearest_to_first(to_lab(np.ascontiguousarray(output)), palette, REACH)
    mask = _chosen(components(near), others, source, goal)
    return None if mask is None else (goal, FoundObject.of(mask))


def _palette(before: Pixels, answer: Pixels, color: Rgb) -> Pixels:
    """The color of the object, then the commonest others of both pictures."""
    codes = np.concatenate([_codes(picture).reshape(-1) for picture in (before, answer)])
    values, counts = np.unique(codes, return_counts=True)
    own = color[0] << 16 | color[1] << 8 | color[2]
    common = values[np.argsort(-counts, kind="stable")]
    chosen = np.array([own, *(code for code in common[: PALETTE + 1].tolist() if code != own)])
    return np.ascontiguousarray(np.stack([chosen >> 16, chosen >> 8 & 255, chosen & 255], axis=1).astype(np.uint8))


def _codes(picture: Pixels) -> npt.NDArray[np.uint32]:
    wide = picture.astype(np.uint32)
    return wide[..., 0] << np.uint32(16) | wide[..., 1] << np.uint32(8) | wide[..., 2]


def _standing(there: Mask, wanted: Mask, before: Labels, after: Labels) -> Mask:
    """The parts of a color that are the same in input and answer, pixel by pixel."""
    sizes_before, sizes_after = np.bincount(before.reshape(-1)), np.bincount(after.reshape(-1))
    both = there & wanted
    pairs, shared = np.unique(np.stack([before[both], after[both]]), axis=1, return_counts=True)
    same = [
        int(second)
        for first, second, n in zip(*pairs.tolist(), shared.tolist(), strict=True)
        if n == sizes_before[first] == sizes_after[second]
    ]
    standing: Mask = np.isin(after, same)
    return standing


def _chosen(labels: Labels, others: Mask, source: Mask, goal: FoundObject) -> Mask | None:
    """The parts of the color in the output that make up the object; None where there is none of its size."""
    flat = labels.reshape(-1)
    areas = np.bincount(flat)
    siblings, stayed = (np.bincount(flat, weights=mask.reshape(-1), minlength=len(areas)) for mask in (others, source))
    rows, columns = np.nonzero(labels)
    number = labels[rows, columns]
    n = np.maximum(areas, 1)
    xs = np.bincount(number, weights=columns, minlength=len(areas)) / n
    ys = np.bincount(number, weights=rows, minlength=len(areas)) / n
    speck = max(4.0, SPECK * goal.area)
    parts = [k for k in range(1, len(areas)) if areas[k] >= speck and siblings[k] <= SIBLING * areas[k]]
    old = int(source.sum())
    moved = [k for k in parts if stayed[k] < UNMOVED * (areas[k] + old - stayed[k])]
    if sum(areas[k] for k in moved) >= LEAST_AREA * goal.area:
        parts = moved  # it was copied: the one at the old place is not the answer
    # The largest first, but no part is better for being larger than the whole; then the nearest.
    parts.sort(key=lambda k: (-min(int(areas[k]), goal.area), hypot(xs[k] - goal.x, ys[k] - goal.y)))
    chosen: list[int] = []
    area = 0
    for k in parts:
        if not chosen or area + areas[k] <= JOINED * goal.area:
            chosen.append(k)
            area += int(areas[k])
    if not LEAST_AREA * goal.area <= area <= goal.area / LEAST_AREA:
        return None
    mask: Mask = np.isin(labels, chosen)
    return mask
