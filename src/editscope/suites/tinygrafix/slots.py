"""Which problem stands where in a set. Light to import: planning a run must not load Matplotlib."""

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
