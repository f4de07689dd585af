"""Slots of a set: which problem stands where. Light to import, since planning a run must not load Numba."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SceneSlot:
    """One place in a set. The pictures of a number are the same at all levels."""

    task: str
    level: str
    number: int

    @property
    def folder(self) -> str:
        """The folder of its task and level."""
        return f"{self.task}_{self.level}"

    @property
    def id(self) -> str:
        """``<task>_<level>/NNN``."""
        return f"{self.folder}/{self.number:03d}"

    def __str__(self) -> str:
        """The text that goes into the fingerprint of a set. It must never change, whatever this class is called."""
        return f"Slot(task={self.task!r}, level={self.level!r}, number={self.number!r})"
