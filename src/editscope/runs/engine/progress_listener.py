"""Listener of a run: receives its progress, to show it."""

from __future__ import annotations

from typing import Protocol


class ProgressListener(Protocol):
    """Receives the progress of a run, to show it."""

    def step(self, status: str) -> None:
        """One more case has its score."""

    def note(self, text: str) -> None:
        """Something that the user should know now."""

    def compiling(self, done: int, total: int) -> None:
        """A worker compiles what the first run on a machine needs; so many functions of so many are compiled."""
