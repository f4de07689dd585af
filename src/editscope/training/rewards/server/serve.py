"""Server that puts any reward behind HTTP: batches, limits, and a queue that says when it is full."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from editscope.editors.server.forms import ROOM, FormLimits, Intake, Share, Unfit, read_body
from editscope.editors.server.site import (
    Routes,
    ServerSettings,
    listening_at,
    listening_socket,
    need_aiohttp,
    said,
    serve_until_stopped,
)
from editscope.editors.server.task_queue import QueueFull, TaskQueue
from editscope.errors import BadInput, Stopped
from editscope.training.rewards.base import RewardValue, Rollout
from editscope.training.rewards.problems import Problems
from editscope.training.rewards.server.messages import (
    PACKED,
    PATH,
    PROTOCOL,
    PictureReader,
    read_rollouts,
    write_values,
)
from editscope.training.rewards.summed import RewardSum

if TYPE_CHECKING:
    from aiohttp import web

BATCH = 256
"""The most rollouts that are scored together."""
MOST_WAITING = 2048
"""How many rollouts may wait; requests with more are asked to try again."""
AT_ONCE = 4
"""Batches that are scored at the same time: one waits for a judge, another computes."""
RETRY_AFTER_S = 1

Parts: TypeAlias = "dict[str, list[RewardValue]]"


@dataclass(frozen=True, eq=False)
class ServedReward:
    """What a server serves: a sum of rewards, and the problems that requests may name."""

    reward: RewardSum
    problems: Problems


class RewardQueue(TaskQueue[Sequence[Rollout], Parts]):
    """Rollouts of several requests, scored together."""

    def __init__(self, reward: RewardSum, *, most_waiting: int = MOST_WAITING) -> None:
        super().__init__(at_once=AT_ONCE, batch=BATCH, most_waiting=most_waiting)
        self.reward = reward

    def size(self, task: Sequence[Rollout]) -> int:
        """One place for each rollout."""
        return len(task)

    def release(self) -> None:
        """Release judges."""
        self.reward.close()

    def do(self, tasks: Sequence[Sequence[Rollout]]) -> Sequence[Parts]:
        """The values of all rollouts, given back by request."""
        together = self.reward.parts([rollout for task in tasks for rollout in task])
        results, start = [], 0
        for task in tasks:
            results.append({name: values[start : start + len(task)] for name, values in together.items()})
            start += len(task)
        return results


def serve(served: ServedReward, settings: ServerSettings, tell: Callable[[str], None]) -> None:
    """Answer requests until Ctrl-C or SIGTERM; ``tell`` gets the address."""
    need_aiohttp("serve-reward")
    at = listening_socket(settings)
    try:
        queue = RewardQueue(served.reward, most_waiting=settings.most_waiting)
        queue.open()
        try:
            serve_until_stopped(queue, routes(served, queue, settings), settings, at, PATH, tell)
        finally:
            queue.close()
    finally:
        at.close()


@contextlib.asynccontextmanager
async def listening(
    served: ServedReward, queue: RewardQueue, settings: ServerSettings, at: socket.socket
) -> AsyncIterator[str]:
    """Answer at a socket while the block lasts; gives the address."""
    async with listening_at(routes(served, queue, settings), settings, at) as address:
        yield address + PATH


def routes(served: ServedReward, queue: RewardQueue, settings: ServerSettings) -> Routes:
    """The routes: ``POST /reward``, ``GET /health`` and the same at ``GET /``."""
    intake = Intake(FormLimits(settings.max_body, settings.max_pixels, settings.silent_s))
    about = {
        "protocol": PROTOCOL,
        "rewards": {name: served.reward.weights[name] for name in served.reward.on},
        "low": served.reward.low,
        "high": served.reward.high,
        "suites": {name: len(suite) for name, suite in served.problems.suites.items()},
    }

    async def health(request: web.Request) -> web.Response:
        now = {**about, "scored": queue.done}
        return said(503, {**now, "stopped": queue.stopped}) if queue.stopped else said(200, now)

    async def reward(request: web.Request) -> web.Response:
        try:
            with intake.share() as share:
                return await _answered(request, served, queue, share)
        except QueueFull as error:
            return said(503, {"error": str(error)}, {"Retry-After": str(RETRY_AFTER_S)})
        except Stopped as error:
            return said(503, {"stopped": queue.stopped} if queue.stopped else {"error": str(error)})

    return {("GET", "/"): health, ("GET", "/health"): health, ("POST", PATH): reward}


async def _answered(request: web.Request, served: ServedReward, queue: RewardQueue, share: Share) -> web.Response:
    from aiohttp import web

    body = await read_body(request, share)
    rollouts = await asyncio.to_thread(_read, body, served, share, request.content_type == PACKED)
    there = [rollout for rollout in rollouts if isinstance(rollout, Rollout)]
    transport = request.transport
    parts: Parts = {key: [] for key in served.reward.on}
    if there:
        parts = await queue.ask(there, lambda: transport is None or transport.is_closing())
    text = await asyncio.to_thread(_written, rollouts, parts, served.reward)
    return web.Response(text=text, content_type="application/json")


def _read(body: bytes, served: ServedReward, share: Share, packed: bool) -> list[Rollout | RewardValue]:
    most = share.intake.limits.max_pixels
    own = 0

    def take(pixels: int) -> None:
        nonlocal own
        own += pixels
        if own > ROOM * most:
            raise Unfit(f"the pictures of one request have more than {ROOM * most:,} pixels together; send fewer", 413)
        share.take("pixels", pixels)

    rollouts = read_rollouts(body, served.problems, PictureReader(most, take), packed=packed)
    checked: set[int] = set()
    for number, rollout in enumerate(rollouts):
        if isinstance(rollout, Rollout) and id(rollout.example) not in checked:
            checked.add(id(rollout.example))
            try:
                served.reward.check(rollout.example)
            except BadInput as error:
                raise Unfit(f"rollouts[{number}]: {error}") from error
    return rollouts


def _written(rollouts: Sequence[Rollout | RewardValue], parts: Parts, reward: RewardSum) -> str:
    """The reply, rollouts that could not be read in their places."""
    rest = {name: iter(values) for name, values in parts.items()}
    merged = {
        name: [next(values) if isinstance(one, Rollout) else one for one in rollouts] for name, values in rest.items()
    }
    totals = reward.total(merged) if rollouts else []
    lost = [one if isinstance(one, RewardValue) else total for one, total in zip(rollouts, totals, strict=True)]
    reply: Any = write_values(lost, merged)
    return json.dumps(reply, allow_nan=False)
