"""Event loop in a thread of its own, for callers that block."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class Background:
    """Runs coroutines for any number of threads; works where the caller has an event loop of its own, too."""

    def __init__(self, name: str) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name=name, daemon=True)
        self._thread.start()

    @property
    def closed(self) -> bool:
        """Whether the loop has ended."""
        return self._loop.is_closed()

    def run(self, work: Coroutine[Any, Any, T], timeout_s: float | None = None) -> T:
        """What the coroutine gives or raises; the calling thread waits for it, TimeoutError when it waited so long."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(timeout_s)

    def call(self, function: Callable[..., object], *arguments: Any) -> None:
        """Call a function in the loop, without waiting for it."""
        self._loop.call_soon_threadsafe(function, *arguments)

    def close(self, timeout_s: float | None = None) -> None:
        """End what still runs, and the thread; what does not end within ``timeout_s`` is left behind."""
        with contextlib.suppress(TimeoutError):
            self.run(_cancel_others(), timeout_s)
            self.run(self._loop.shutdown_default_executor(), timeout_s)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(timeout_s)
        if not self._thread.is_alive():
            self._loop.close()


def run_once(work: Coroutine[Any, Any, T]) -> T:
    """What a coroutine gives or raises, run in an event loop that ends with it."""
    background = Background("editscope-check")
    try:
        return background.run(work)
    finally:
        background.close()


async def _cancel_others() -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
