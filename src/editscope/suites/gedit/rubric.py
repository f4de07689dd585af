"""GEdit-Bench: semantic consistency and perceptual quality, each the lower of two scores from 0 to 10."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import sqrt

import numpy as np

from editscope.cases import Aggregation, Case, Group, Status
from editscope.images import Pixels, load
from editscope.judges import Picture, Verdict
from editscope.scoring.rubrics.base import Measure, ScoreRow, Unit
from editscope.scoring.rubrics.combining import Combined
from editscope.scoring.rubrics.pictures import LazyPictures, PictureFormat, pixels_picture
from editscope.scoring.rubrics.scales import Ask, ScaleRubric, unanswered

PARTS = {"sc": ("following", "preservation"), "pq": ("naturalness", "artifacts")}
"""The two scores that each call gives, by the metric that is the lower of them."""
LABELS = {
    "sc": "Semantic consistency",
    "pq": "Perceptual quality",
    "overall": "Overall",
    "following": "Instruction following",
    "preservation": "Preservation",
    "naturalness": "Naturalness",
    "artifacts": "Freedom from artifacts",
}
NOTES = {
    "sc": "the lower of instruction following and preservation",
    "pq": "the lower of naturalness and freedom from artifacts",
    "overall": "the root of semantic consistency times perceptual quality, edit by edit",
}
PROMPTS = {"sc": "semantic_consistency", "pq": "perceptual_quality"}
BEST = 10.0
SUBSET = "subset"
SHARED, REST = "intersection", "rest"
"""The tag of a row that says whether every model of the paper returned this edit, and its values."""


class GEditRubric(ScaleRubric):
    """Two calls; SC and PQ are the lower of their two scores, overall is √(SC · PQ), all from 0 to 10.

    A group is the mean of its edits, a language the mean of its groups, the whole the mean of its languages. The judge
    reads the instruction that the editor got. Option ``side``: pictures are scaled, up or down, to the area of a
    square of this side; 0 leaves them as they are.
    """

    name = "gedit"
    headline = "overall"
    default_side = 512
    default_quality = 75
    temperature = None
    measures = tuple(
        Measure(name, (name,), label, best=BEST, scale=1.0, note=NOTES.get(name, "")) for name, label in LABELS.items()
    )

    def asks(self, case: Case, unit: Unit) -> tuple[Ask, ...]:
        """Both."""
        return tuple(Ask(metric, PROMPTS[metric], {name: name for name in names}) for metric, names in PARTS.items())

    def shown(self, case: Case, unit: Unit, edits: Mapping[str, Pixels]) -> LazyPictures:
        """Input and edit, each in its own shape."""
        return LazyPictures(
            source=lambda: tuple(self._picture(load(image)) for image in case.images),
            edit=lambda: (self._picture(edits[unit.variants[0]]),),
        )

    def derived(self, case: Case, unit: Unit, found: Mapping[str, Combined]) -> Mapping[str, Combined]:
        """SC, PQ and overall. A known 0 decides, whatever the missing scores would have been."""
        both = {metric: lower(*(found[name] for name in names)) for metric, names in PARTS.items()}
        return {**both, "overall": overall(both["sc"], both["pq"])}

    def rows(
        self,
        case: Case,
        unit: Unit,
        verdicts: Mapping[str, Sequence[Verdict]],
        pixels: Mapping[str, float | None],
        missing: Status | None = None,
    ) -> tuple[ScoreRow, ...]:
        """As everywhere; where the data says which edits every model of the paper returned, rows have a tag for it."""
        rows = super().rows(case, unit, verdicts, pixels, missing)
        shared = case.details.get("intersection")
        if shared is None:
            return rows
        value = SHARED if unit.name in shared else REST
        return tuple(replace(row, tags={**row.tags, SUBSET: value}) for row in rows)

    def aggregation(self, suite: Aggregation) -> Aggregation:
        """Also by subset; the overall mean is over the languages' means."""
        over = suite.overall.over
        groups = (*suite.groups, Group(SUBSET, (SUBSET,), over))
        orders = {**suite.orders, SUBSET: (SHARED, REST)}
        base = super().aggregation(replace(suite, groups=groups, orders=orders))
        return replace(base, overall=replace(base.overall, over=(*base.overall.over, "language")))

    def _picture(self, pixels: Pixels) -> Picture:
        return pixels_picture(with_area(pixels, self.side) if self.side else pixels, PictureFormat(0, self.quality))


def lower(first: Combined, second: Combined) -> Combined:
    """The lower of two scores; none, with the status that says why, where one is missing and the other is not 0.

    >>> lower(Combined(8), Combined(6)).value, lower(Combined(0), Combined(None, "refused")).value
    (6, 0)
    >>> lower(Combined(8), Combined(None, "refused"))
    Combined(value=None, status='refused', asked=0, answered=0, agreement=None)
    """
    values = [score.value for score in (first, second) if score.value is not None]
    return _certain(first, second, min(values) if len(values) == 2 else None)


def overall(consistency: Combined, quality: Combined) -> Combined:
    """The geometric mean of two scores; 0 where one is 0, whatever the other is.

    >>> round(overall(Combined(6), Combined(4)).value, 3), overall(Combined(None, "error"), Combined(0)).value
    (4.899, 0)
    """
    product = None
    if consistency.value is not None and quality.value is not None:
        product = sqrt(consistency.value * quality.value)
    return _certain(consistency, quality, product)


def _certain(first: Combined, second: Combined, value: float | None) -> Combined:
    """A value of two scores that is 0 where either is; without it, the status of the one that is missing."""
    if value is None and 0 in (first.value, second.value):
        return Combined(0)
    return Combined(value, unanswered({"first": first, "second": second}) or "ok")


def with_area(pixels: Pixels, side: int) -> Pixels:
    """The picture scaled to the area of a square, in its own shape, by Pillow's bicubic filter as the release does it.

    >>> with_area(np.zeros((600, 800, 3), np.uint8), 512).shape
    (443, 591, 3)
    """
    from PIL import Image

    height, width = pixels.shape[:2]
    wide = side * sqrt(width / height)
    size = max(1, int(wide)), max(1, int(wide * height / width))
    return pixels if size == (width, height) else np.asarray(Image.fromarray(pixels).resize(size))
