"""Slots of a set: which problem stands where. Light to import, since planning a run must not load Matplotlib."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ChartSlot:
    """One place in a set."""

    chart: str
    task: str
    slot: int

    @property
    def folder(self) -> str:
        """The folder of its task."""
        return f"{self.chart}_{self.task}"

    @property
    def id(self) -> str:
        """``<chart>_<task>/NNN``."""
        return f"{self.folder}/{self.slot:03d}"

    def __str__(self) -> str:
        """The text that goes into the fingerprint of a set. It must never change, whatever this class is called."""
        return f"Slot(chart={self.chart!r}, task={self.task!r}, slot={self.slot!r})"
