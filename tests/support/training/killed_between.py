"""Processes that are killed at a step of the file system, as nobody can time a signal."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any


def killed_before_rename(to: Path, do: Callable[[], object]) -> None:
    """Do something in a process of its own, which is killed just before it renames something to a path."""
    _killed(do, lambda event, about: event == "os.rename" and Path(about[1]) == to)


def killed_before_writing(name: str, do: Callable[[], object]) -> None:
    """Do something in a process of its own, which is killed just before it opens a file of this name for writing."""
    _killed(do, lambda event, about: event == "open" and "w" in (about[1] or "") and Path(about[0]).name == name)


def _killed(do: Callable[[], object], wanted: Callable[[str, tuple[Any, ...]], bool]) -> None:
    child = os.fork()
    if child == 0:

        def kill(event: str, about: tuple[Any, ...]) -> None:
            if wanted(event, about):
                os.kill(os.getpid(), signal.SIGKILL)

        try:
            sys.addaudithook(kill)
            do()
        finally:
            os._exit(1)
    assert os.waitpid(child, 0)[1] == signal.SIGKILL, "it ended by itself"
