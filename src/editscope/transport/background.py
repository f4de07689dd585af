"""An event loop in a thread of its own, for editors whose callers block."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class Background:
    """Runs coroutines for any number of threads; works where the caller has an event loop of its own, too."""

    def __init__(self, name: str) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name=name, daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """What the coroutine gives or raises; the calling thread waits for it."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def close(self) -> None:
        """End what still runs, and the thread."""
        self.run(_cancel_others())
        self.run(self._loop.shutdown_default_executor())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
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
