"""User code that failed: where it raised, and what it had printed."""

from __future__ import annotations

import re
import sysconfig
from collections.abc import Sequence
from pathlib import Path

import editscope
from editscope.errors import BadInput
from editscope.outside import received
from editscope.printing import plain

LAST_LINES = 8
"""So many lines of what an editor printed stand in the message that it could not be loaded."""

_FRAME = re.compile(r'^[ |]*File "(?P<file>.+)", line (?P<line>\d+), in (?P<name>.+)$', re.MULTILINE)
_PACKAGES = ("site-packages", "dist-packages")


def raised_at(trace: str | None) -> str:
    """The place of a traceback that its reader can change: the last frame of their own code; "" where there is none.

    Frames of Editscope and the standard library are passed over, and those of installed packages too, unless there is
    nothing else.

    >>> raised_at('  File "/models/deep.py", line 14, in load\\nKeyError: 1')
    '/models/deep.py line 14, in load'
    """
    frames = [frame for frame in _FRAME.finditer(trace or "") if not _is_library(Path(frame["file"]))]
    own = [frame for frame in frames if not set(_PACKAGES) & set(Path(frame["file"]).parts)]
    if not frames:
        return ""
    frame = (own or frames)[-1]
    file = Path(frame["file"])
    here = Path.cwd()
    shown = file.relative_to(here) if file.is_relative_to(here) else file
    return f"{shown} line {frame['line']}, in {frame['name']}"


def load_failure(sentence: str, trace: str | None, printed: Sequence[str]) -> BadInput:
    """The error of an editor that could not be loaded: the reason, and the last lines that it printed.

    The folder of the run goes, and with it the logs; so the whole traceback is a note of the error.
    """
    last = [f"    {line}" for line in printed[-LAST_LINES:]]
    failure = BadInput("\n".join([sentence, *(["  the last lines that the editor printed:", *last] if last else [])]))
    if trace:
        failure.add_note(plain(received(trace)))
    return failure


def _is_library(file: Path) -> bool:
    """Whether a file is one of Editscope or of the standard library, or no file at all."""
    if not file.is_absolute():
        return True  # <frozen importlib._bootstrap>, <string>
    if file.is_relative_to(Path(editscope.__file__).parent):
        return True
    standard = {Path(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib")}
    return any(file.is_relative_to(folder) for folder in standard) and not set(_PACKAGES) & set(file.parts)
