"""Many raters at once, as their browsers do it: items in small parts, one request for each vote, again until saved."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

import aiohttp


@dataclass
class Crowd:
    """What happened: seconds of the votes that were answered at once, of those that were sent again, and the keys."""

    first: list[float] = field(default_factory=list)
    again: list[float] = field(default_factory=list)
    saved: dict[str, str] = field(default_factory=dict)
    """The key of every vote that the studio called saved, by rater and item."""


async def vote(
    address: Callable[[], str], secrets: list[str], votes: int, *, pause: float = 0.0, seed: int = 0, ahead: int = 20,
    crowd: Crowd | None = None,
) -> Crowd:  # fmt: skip
    """Let raters vote; ``pause`` is the mean of an exponential wait before each vote. ``crowd`` grows meanwhile."""
    crowd = crowd or Crowd()
    connector = aiohttp.TCPConnector(limit=0)
    timeout = aiohttp.ClientTimeout(total=30)
    async with aiohttp.ClientSession(connector=connector, timeout=timeout) as session:
        tasks = [
            _rater(session, address, secret, votes, pause, Random(f"{seed}:{secret}"), ahead, crowd)
            for secret in secrets
        ]
        await asyncio.gather(*tasks)
    return crowd


async def _rater(
    session: aiohttp.ClientSession, address: Callable[[], str], secret: str, votes: int, pause: float, rng: Random,
    ahead: int, crowd: Crowd,
) -> None:  # fmt: skip
    items: list[str] = []
    seen: set[str] = set()
    for _ in range(votes):
        if not items:
            wish = {"want": ahead, "agreed": True}
            answer, _ = await posted(session, lambda: f"{address()}/rate/{secret}/api/items", wish)
            items = [item["key"] for item in answer["items"] if item["key"] not in seen]
            if not items:
                return
        item = items.pop(0)
        seen.add(item)
        if pause:
            await asyncio.sleep(rng.expovariate(1.0 / pause))
        key = f"{rng.getrandbits(128):032x}"
        ballot = {
            "item": item,
            "key": key,
            "side": rng.choice(("left", "right")),
            "seconds": 1.0,
            "answered_at": time.time(),
        }
        started = time.perf_counter()
        answer, tries = await posted(session, lambda: f"{address()}/rate/{secret}/api/votes", {"votes": [ballot]})
        (crowd.first if tries == 1 else crowd.again).append(time.perf_counter() - started)
        (receipt,) = answer["receipts"]
        assert receipt["status"] == "saved", receipt
        crowd.saved[f"{secret}:{item}"] = key


async def posted(session: aiohttp.ClientSession, url: Callable[[], str], body: Any) -> tuple[Any, int]:
    """The answer to a request that is sent until there is one, and how often it was sent."""
    tries = 0
    while True:
        tries += 1
        try:
            async with session.post(url(), json=body) as answer:
                if answer.status == 200:
                    return await answer.json(), tries
                if answer.status < 500:
                    raise AssertionError(f"{answer.status}: {await answer.text()}")
        except (aiohttp.ClientError, TimeoutError, OSError, ValueError):
            pass
        await asyncio.sleep(0.05)
