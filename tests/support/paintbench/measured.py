"""A made PaintBench problem as the measures of distributions see it: pictures, shapes, and how they are named."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from editscope.images import Indexed
from editscope.scoring._kernels import delta_e
from editscope.scoring.pixels import TOLERANCES
from editscope.suites.generated.suite import GeneratedProblem
from editscope.suites.paintbench.geometry import Affine, Box
from editscope.suites.paintbench.words import plural

Fields = Mapping[str, Any]
COORDINATE = re.compile(r"\(\s*[\d.]+\s*%,\s*[\d.]+\s*%\s*\)")
"""A point in percent of width and height, as instructions write it."""


@dataclass
class Measures:
    """The numbers and the labels of one problem; what a problem does not have is left out."""

    numbers: dict[str, float] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Problem:
    """A made problem with what several measures need of it."""

    made: GeneratedProblem

    @property
    def f(self) -> Fields:
        return self.made.sidecar

    @property
    def task(self) -> str:
        return str(self.f["task"])

    @property
    def mode(self) -> str:
        return str(self.f["mode"])

    @property
    def words(self) -> str:
        return str(self.f["instruction"])

    @property
    def width(self) -> float:
        return float(self.f["W"])

    @property
    def height(self) -> float:
        return float(self.f["H"])

    @property
    def shorter(self) -> float:
        return min(self.width, self.height)

    @property
    def picture(self) -> float:
        return self.width * self.height

    @property
    def canvas(self) -> Box:
        return Box(0.0, 0.0, self.width, self.height)

    @property
    def shapes(self) -> Sequence[Fields]:
        found: Sequence[Fields] = self.f["scene_shapes"]
        return found

    @cached_property
    def changed(self) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
        """ΔE of each pair of colors that an edit exchanges, and for how many pixels it does so."""
        before, after = self.made.input, self.made.answer
        assert isinstance(before, Indexed)
        if isinstance(after, Indexed):
            where = before.plane != after.plane
            codes = before.plane[where].astype(np.int64) * 256 + after.plane[where]
            counts = np.bincount(codes, minlength=256 * 256)
            pairs = np.flatnonzero(counts)
            old, new = before.palette[pairs // 256], after.palette[pairs % 256]
            counts = counts[pairs]
        else:
            first = before.rgb()
            where = (first != after).any(axis=2)
            wide = np.concatenate([first[where], after[where]], axis=1).astype(np.int64)
            packed = np.zeros(len(wide), np.int64)
            for column in range(6):
                packed = packed * 256 + wide[:, column]
            pairs, counts = np.unique(packed, return_counts=True)
            every = np.stack([(pairs >> shift) & 255 for shift in range(40, -8, -8)], axis=1).astype(np.uint8)
            old, new = every[:, :3], every[:, 3:]
        one, two = np.ascontiguousarray(old).reshape(-1), np.ascontiguousarray(new).reshape(-1)
        apart = np.array([delta_e(one, 3 * i, two, 3 * i) for i in range(len(counts))], np.float64)
        real = apart > 0
        order = np.argsort(apart[real], kind="stable")
        return apart[real][order], counts[real][order]

    @property
    def changed_pixels(self) -> int:
        return int(self.changed[1].sum())

    def own_pixels(self, index: int) -> npt.NDArray[np.float64]:
        """The outermost pixel centers of a shape in each row, as the picture before shows them."""
        x0, y0, x1, y1 = self.shapes[index]["bbox"]
        left, top = max(0, math.floor(x0)), max(0, math.floor(y0))
        before = self.made.input
        assert isinstance(before, Indexed)
        color = [int(self.shapes[index]["color"][i : i + 2], 16) for i in (1, 3, 5)]
        number = int(np.flatnonzero((before.palette == color).all(axis=1))[0])
        own = before.plane[top : math.ceil(y1), left : math.ceil(x1)] == number
        rows = np.flatnonzero(own.any(axis=1))
        first = own[rows].argmax(axis=1)
        last = own.shape[1] - 1 - own[rows][:, ::-1].argmax(axis=1)
        columns, rows = np.concatenate([first, last]), np.concatenate([rows, rows])
        return np.stack([columns + left + 0.5, rows + top + 0.5], axis=1)


def box_of(shape: Fields) -> Box:
    """The bounding box of a described shape."""
    return Box(*shape["bbox"])


def yes(value: object) -> str:
    """The label of something that is so or not."""
    return "yes" if value else "no"


# Pictures


def measure_pictures(p: Problem, found: Measures) -> None:
    apart, counts = p.changed
    total = int(counts.sum())
    found.numbers |= {"changed_pixels": total, "changed_share_percent": 100 * total / p.picture}
    edges = ((0, "0"), (32**2 - 1, "<32^2"), (64**2 - 1, "32^2-64^2"), (128**2 - 1, "64^2-128^2"))
    bins = (*edges, (256**2 - 1, "128^2-256^2"))
    found.labels["edit_region_bin"] = next((name for most, name in bins if total <= most), ">=256^2")
    if total:
        middle = np.searchsorted(counts.cumsum(), [(total - 1) // 2, total // 2], side="right")
        found.numbers["edit_deltaE_median"] = float(apart[middle].mean())
        hits = [int(counts[apart <= tolerance].sum()) / total for tolerance in TOLERANCES]
        found.numbers["noop_miou_percent"] = 100 * sum(hits) / len(hits)


# Shapes and how they are named


def measure_target(p: Problem, found: Measures) -> None:
    """The one shape that an edit is about."""
    shape = p.shapes[p.f["target"]]
    box = box_of(shape)
    found.numbers |= {
        "targets": 1,
        "target_size_percent_of_shorter": 100 * shape["size"] / p.shorter,
        "target_bbox_percent_of_picture": 100 * box.width * box.height / p.picture,
    }
    found.labels["phrase_form"] = phrase_form(p.words, shape["color_name"], shape["shape"])


def measure_targets(p: Problem, found: Measures, targets: Sequence[int]) -> None:
    """All shapes that an edit is about, several or one."""
    found.numbers |= {"targets": len(targets), "targets_share_of_shapes": len(targets) / len(p.shapes)}
    if targets:
        shapes = [p.shapes[i] for i in targets]
        boxes = [box_of(shape) for shape in shapes]
        found.numbers |= {
            "target_size_percent_of_shorter": mean_size(shapes) / p.shorter * 100,
            "target_bbox_percent_of_picture": 100 * sum(b.width * b.height for b in boxes) / p.picture,
        }


def mean_size(shapes: Sequence[Fields]) -> float:
    """The mean size of shapes, in pixels."""
    return sum(float(shape["size"]) for shape in shapes) / len(shapes)


def phrase_form(words: str, color: str, kind: str) -> str:
    """How an instruction names a shape, or several alike ones, where it does so first.

    >>> phrase_form("Move the red star to the tip of the arrow.", "red", "star")
    'color and shape'
    >>> phrase_form("Of all stars, remove the largest one.", "red", "star")
    'shape only'
    """
    kinds = f"(?:{plural(kind)}|{kind})"
    forms = {
        "color and shape": rf"\b{re.escape(color)} {kinds}\b",
        "color only": rf"\b{re.escape(color)} (?:shapes?|ones?)\b",
        "shape only": rf"(?<!{re.escape(color)} )\b{kinds}\b",
    }
    at = {form: match.start() for form, pattern in forms.items() if (match := re.search(pattern, words))}
    return min(at, key=lambda form: at[form]) if at else "other"


def measure_new_color(p: Problem, found: Measures, *colors: str) -> None:
    """Whether a shape has one of the colors already that the edit brings."""
    shown = {shape["color"].upper() for shape in p.shapes}
    found.labels["new_color_already_in_scene"] = yes(shown & {color.upper() for color in colors})


def measure_moved(p: Problem, found: Measures, affine: Affine) -> None:
    """Where the target's box lies after an affine map."""
    points = affine.outline(p.own_pixels(p.f["target"]))
    (x0, y0), (x1, y1) = points.min(axis=0).tolist(), points.max(axis=0).tolist()
    box = Box(x0, y0, x1, y1)
    share = 100 * box.shared_area(p.canvas) / max(1e-9, box.width * box.height)
    found.numbers["moved_box_in_picture_percent"] = share
    classes = ((25, "<25%"), (50, "25-50%"), (100 - 1e-6, "50-99%"))
    found.labels["moved_box_in_picture"] = next((name for most, name in classes if share < most), "whole")
    center = affine.point(box_of(p.shapes[p.f["target"]]).center)
    found.labels["moved_center_in_picture"] = yes(p.canvas.holds(center))


def measure_overlay(p: Problem, found: Measures) -> None:
    """Whether what is moved or drawn covers other shapes."""
    found.labels["overlay"] = "on top" if p.f["overlay"] else "underneath"
