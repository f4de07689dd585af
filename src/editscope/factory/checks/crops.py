"""Center crops of a picture to a ratio of width to height."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from editscope.errors import BadInput

_RATIO = re.compile(r"(\d{1,4}):(\d{1,4})")


@dataclass(frozen=True, slots=True)
class CropBox:
    """A part of a picture in its pixels."""

    left: int
    top: int
    width: int
    height: int


def ratio_of(text: str) -> tuple[int, int]:
    """Width and height of a ratio.

    >>> ratio_of("2:3")
    (2, 3)
    """
    found = _RATIO.fullmatch(text)
    if found is None or not int(found[1]) or not int(found[2]):
        raise BadInput(f"{text!r} is not a ratio; write width and height, such as '2:3'")
    return int(found[1]), int(found[2])


def center_crop(width: int, height: int, ratio: tuple[int, int]) -> CropBox:
    """The largest part of a picture that has the ratio and the same center.

    >>> center_crop(900, 900, (2, 3)), center_crop(900, 900, (3, 2))
    (CropBox(left=150, top=0, width=600, height=900), CropBox(left=0, top=150, width=900, height=600))
    """
    across, down = ratio
    if width * down > height * across:
        inner = max(1, height * across // down)
        return CropBox((width - inner) // 2, 0, inner, height)
    inner = max(1, width * down // across)
    return CropBox(0, (height - inner) // 2, width, inner)


def nearest_ratio(width: int, height: int, ratios: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """The ratio whose crop keeps the most of a picture; the first of those that keep the same.

    >>> nearest_ratio(1600, 900, [(2, 3), (3, 2)])
    (3, 2)
    """

    def area(ratio: tuple[int, int]) -> int:
        box = center_crop(width, height, ratio)
        return box.width * box.height

    return max(ratios, key=area)


def moved_regions(regions: Sequence[Mapping[str, Any]], box: CropBox) -> list[dict[str, Any]]:
    """Regions in the pixels of a crop, cut at its edges; those outside are left out.

    >>> moved_regions([{"name": "cup", "x": 10, "y": 0, "width": 30, "height": 5}], CropBox(20, 0, 50, 50))
    [{'name': 'cup', 'x': 0, 'y': 0, 'width': 20, 'height': 5}]
    """
    moved = []
    for region in regions:
        left, top = max(0, region["x"] - box.left), max(0, region["y"] - box.top)
        right = min(box.width, region["x"] + region["width"] - box.left)
        bottom = min(box.height, region["y"] + region["height"] - box.top)
        if right > left and bottom > top:
            moved.append({**region, "x": left, "y": top, "width": right - left, "height": bottom - top})
    return moved
