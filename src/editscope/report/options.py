"""Options of a report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

FILE_BYTES = 24_000_000
"""How large a page may become; pictures that find no room in it stay beside it."""


def _say_nothing(doing: str, done: int, total: int) -> None:
    pass


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """How to write a report: published rows beside the runs, full-size pictures in a folder beside the page.

    ``say`` is told what takes long, and how far it is:
    ``say("making inputs and answers", 120, 1920)``.
    """

    published: bool = False
    bundle: bool = False
    file_bytes: int = FILE_BYTES
    say: Callable[[str, int, int], None] = field(default=_say_nothing, compare=False)
