"""Ctrl-C and the end of a job: asked for once, a step is finished first; asked for twice, not."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from editscope.errors import Stopped

SIGNALS = (signal.SIGINT, signal.SIGTERM)
ENDED = "stopped while it waited; to go on, run the same command with --resume"


class StepInterrupts:
    """While it is entered, the first signal only sets ``asked``; the second raises KeyboardInterrupt."""

    def __init__(self) -> None:
        self.asked = False
        self._waits = False
        self._before: dict[int, Any] = {}

    def __enter__(self) -> StepInterrupts:
        if threading.current_thread() is threading.main_thread():
            self._before = {number: signal.signal(number, self._ask) for number in SIGNALS}
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """While this is entered, nothing is lost by an end at once: the first signal raises Stopped."""
        self._waits = True
        try:
            if self.asked:
                raise Stopped(ENDED)
            yield
        finally:
            self._waits = False

    def _ask(self, number: int, frame: FrameType | None) -> None:
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True
        if self._waits:
            raise Stopped(ENDED)
