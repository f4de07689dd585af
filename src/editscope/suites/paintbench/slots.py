"""Which problem stands where in a set. Light to import: planning a run must not load a compiler."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from editscope.suites.paintbench.catalog import PRESERVATION


@dataclass(frozen=True, slots=True)
class PaintSlot:
    """One place in a set: what is made there, and under which number it is filed."""

    task: str
    mode: str
    condition: str
    slot: int
    number: int
    preservation: bool = False

    @property
    def id(self) -> str:
        """``<task>/NNN``."""
        return f"{PRESERVATION if self.preservation else self.task}/{self.number:03d}"


@dataclass(frozen=True, slots=True)
class Overrides:
    """What a custom set changes about the conditions."""

    namespace: str = "paintbench"
    canvas: tuple[int, int] | None = None
    n: int | None = None
    points: Literal["own", "box"] = "own"
