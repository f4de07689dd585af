"""Metrics that say how far off an edit is: mIoU within a distance, and errors of what was to change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import nan
from typing import Literal

from editscope.scoring.classic.metric import ImagePair, Metric
from editscope.scoring.offsets.tolerant import RADII

VERSION = "1"
"""Goes up whenever the same edit would get another value, so that stored values are measured again."""


class _Offset(Metric):
    """A metric of edit, answer and input together; outside the edit region there is nothing to measure."""

    def made_with(self) -> Mapping[str, str]:
        """The version of how it is measured."""
        return {"version": VERSION}

    def measure_batch(self, pairs: Sequence[ImagePair]) -> list[float]:
        """The values to four digits."""
        return [nan if pair.source is None else self._of(pair) for pair in pairs]

    def _of(self, pair: ImagePair) -> float:
        raise NotImplementedError


class MiouWithin(_Offset):
    """mIoU, in percent, where pixels that are right within a distance count."""

    unit = "%"

    def __init__(self, radius: int) -> None:
        self.radius = radius
        self.name, self.label = f"miou_within_{radius}", f"mIoU within {radius} px"

    def _of(self, pair: ImagePair) -> float:
        return round(100 * pair.miou_within[RADII.index(self.radius)], 4)


class ChangeError(_Offset):
    """How far what was to change is off, by one of four kinds; only for cases that say what was to change."""

    higher_is_better = False

    def __init__(self, kind: Literal["position", "angle", "size", "color"]) -> None:
        self.kind = kind
        self.name, self.label, self.unit = f"{kind}_error", f"{kind.capitalize()} error", UNITS[kind]

    def _of(self, pair: ImagePair) -> float:
        if pair.change is None:
            return nan
        value: float | None = getattr(pair.change_errors, self.kind)
        if value is None or (self.kind in ("angle", "size") and not getattr(pair.change, self.kind)):
            return nan
        return value


UNITS = {"position": "px", "angle": "°", "size": "%", "color": "ΔE"}

WITHIN = tuple(MiouWithin(radius) for radius in RADII)
ERRORS = (ChangeError("position"), ChangeError("angle"), ChangeError("size"), ChangeError("color"))
