"""Ctrl-C and SIGTERM as something that a loop can wait for."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from types import FrameType
from typing import Any


class Interrupts:
    """Counts Ctrl-C and SIGTERM while it is entered; ``fd`` becomes readable when one comes.

    Outside the main thread Python delivers no signals, and this does nothing.
    """

    def __init__(self) -> None:
        self.count = 0
        self.fd, self._write_end = os.pipe()
        os.set_blocking(self.fd, False)
        os.set_blocking(self._write_end, False)
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Interrupts:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self._before[number] = signal.signal(number, self._came)
        return self

    def __exit__(self, *exception: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        os.close(self.fd)
        os.close(self._write_end)

    def drain(self) -> None:
        """Make ``fd`` quiet again."""
        with contextlib.suppress(BlockingIOError):
            while os.read(self.fd, 64):
                continue

    def _came(self, number: int, frame: FrameType | None) -> None:
        self.count += 1
        with contextlib.suppress(OSError):
            os.write(self._write_end, b".")
