"""A server of rewards in a thread of its own, as `editscope serve-reward` runs it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import asynccontextmanager
from typing import Any

from editscope.editors.server.site import ServerSettings, listening_socket
from editscope.training.rewards import Reward, RewardSum
from editscope.training.rewards.problems import Problems
from editscope.training.rewards.server.serve import RewardQueue, ServedReward, listening
from support.servers.http_editor_server import Looped


class RewardServer(Looped):
    """Serves while the ``with`` block lasts; ``url`` is where rewards are given, ``queue`` what waits."""

    def __init__(
        self, rewards: Sequence[str | Reward] = ("miou",), suites: Sequence[Any] = (), **settings: Any
    ) -> None:
        super().__init__()
        self.served = ServedReward(RewardSum(rewards), Problems(suites))
        self.settings = ServerSettings(**{"port": 0, **settings})
        self.queue = RewardQueue(self.served.reward, most_waiting=self.settings.most_waiting)

    def __enter__(self) -> RewardServer:
        self.queue.open()
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        self.queue.close()

    @asynccontextmanager
    async def life(self) -> Any:
        at = listening_socket(self.settings)
        try:
            async with listening(self.served, self.queue, self.settings, at) as url:
                yield url
        finally:
            at.close()
