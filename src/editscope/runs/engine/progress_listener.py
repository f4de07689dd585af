"""Listener of a run: whoever shows how far it is."""

from __future__ import annotations

from typing import Protocol


class ProgressListener(Protocol):
    """Receives the progress of a run, to show it."""

    def step(self, status: str) -> None:
        """One more case has its score."""

    def note(self, text: str) -> None:
        """Something that the user should know now."""
