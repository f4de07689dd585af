"""Slots of a set: which problem stands where. Light to import, since planning a run must not load a compiler."""

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

    def __str__(self) -> str:
        """The text that goes into the fingerprint of a set. It must never change, whatever this class is called."""
        return (
            f"Slot(task={self.task!r}, mode={self.mode!r}, condition={self.condition!r}, slot={self.slot!r}, "
            f"number={self.number!r}, preservation={self.preservation!r})"
        )


@dataclass(frozen=True, slots=True)
class Overrides:
    """What a custom set changes about the conditions."""

    namespace: str = "paintbench"
    canvas: tuple[int, int] | None = None
    n: int | None = None
    points: Literal["own", "box"] = "own"
