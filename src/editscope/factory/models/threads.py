"""Models whose calls block, behind an event loop: each call in a thread, as many at once as the model bears."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypeVar

from editscope.factory.models.base import VideoModel, ready_for_pictures
from editscope.factory.models.mp4 import ready_for_videos
from editscope.plugins import one_sentence

if TYPE_CHECKING:
    from editscope.transport.account import Account

T = TypeVar("T")


class ThreadedModel:
    """A model that draws, animates or edits, asked from an event loop.

    ``make`` makes it. A copy in another process makes its own: no connections, threads or weights go along.
    """

    def __init__(self, make: Callable[[], Any], role: str, spec: str) -> None:
        self.role, self.spec = role, spec
        self._make = make
        self._begin(make())

    def _begin(self, model: Any = None) -> None:
        self._model = model
        self._pool: ThreadPoolExecutor | None = None
        self._loading = threading.Lock()
        self._loaded = False
        self._account: Account | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {"role": self.role, "spec": self.spec, "_make": self._make, "_account": self._account}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._begin()
        self.__dict__.update(state)

    @property
    def model(self) -> Any:
        """The model itself."""
        if self._model is None:
            self._model = self._make()
            self._model.use_account(self._account)
        return self._model

    def use_account(self, account: Account | None) -> None:
        """Spend no more than the budget of the build allows."""
        self._account = account
        self.model.use_account(account)

    async def check(self) -> None:
        """Raise BadInput where the model cannot be asked, or where its check itself fails; get ready for answers."""
        with one_sentence(f"{self.role} {self.spec}: its check failed"):
            await asyncio.to_thread(self.model.check)
        await asyncio.to_thread(ready_for_pictures)
        if isinstance(self.model, VideoModel):
            await asyncio.to_thread(ready_for_videos)

    async def call(self, function: Callable[[Any], T]) -> T:
        """What a function makes of the model, in a thread."""
        if self._pool is None:
            self._pool = ThreadPoolExecutor(max(1, self.model.at_once), f"editscope-{self.role.replace(' ', '-')}")
        return await asyncio.get_running_loop().run_in_executor(self._pool, self._called, function)

    def _called(self, function: Callable[[Any], T]) -> T:
        with self._loading:
            if not self._loaded:
                self.model.load()
                self._loaded = True
        return function(self.model)

    async def close(self) -> None:
        """Wait for what is being made, and release the model."""
        pool, self._pool = self._pool, None
        if pool is not None:
            await asyncio.to_thread(pool.shutdown)
        if self._loaded:
            self._loaded = False
            await asyncio.to_thread(self.model.close)
