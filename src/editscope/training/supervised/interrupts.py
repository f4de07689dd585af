"""Ctrl-C and SIGTERM: the first one finishes the current step, the second one stops at once."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from editscope.errors import Stopped

SIGNALS = (signal.SIGINT, signal.SIGTERM)
ENDED = "stopped while waiting; to resume, run the same command with --resume"


class StepInterrupts:
    """Inside the context, the first signal only sets ``requested``; the second raises KeyboardInterrupt."""

    def __init__(self) -> None:
        self.requested = False
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
        """Inside this context nothing is lost by stopping at once: the first signal raises Stopped."""
        self._waits = True
        try:
            if self.requested:
                raise Stopped(ENDED)
            yield
        finally:
            self._waits = False

    def _ask(self, number: int, frame: FrameType | None) -> None:
        if self.requested:
            raise KeyboardInterrupt
        self.requested = True
        if self._waits:
            raise Stopped(ENDED)
