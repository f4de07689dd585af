"""Rate control: concurrency that adapts, requests and tokens per minute, and pauses before another attempt."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from random import Random

GROWTH_FLOOR = 1.0


class Concurrency:
    """How many requests are in flight at once: at most ``most``, fewer after a server has had enough.

    A refusal for load (429, 503) or a time-out halves the limit, once for each burst: requests that were sent before
    the last cut say nothing new about it. Each success adds 1/limit, so that a full round of successes adds one. A
    server's Retry-After holds back everybody.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.limit = float(most)
        self.in_flight = 0
        self.peak = 0
        self._cuts = 0
        self._resume_at = 0.0
        self._queue: deque[asyncio.Future[None]] = deque()

    async def enter(self) -> int:
        """Wait for a place; gives the ticket that ``leave`` and ``cut`` want."""
        if self._queue or self.in_flight >= int(self.limit):
            place = asyncio.get_running_loop().create_future()
            self._queue.append(place)
            try:
                await place
            except asyncio.CancelledError:
                if place.done() and not place.cancelled():
                    self.in_flight -= 1  # the place was given in the moment of giving up
                    self._admit()
                raise
        else:
            self.in_flight += 1
        self.peak = max(self.peak, self.in_flight)
        return self._cuts

    async def hold(self) -> None:
        """Wait until the server's Retry-After is over; it may be prolonged meanwhile."""
        clock = asyncio.get_running_loop().time
        while (left := self._resume_at - clock()) > 0:
            await asyncio.sleep(left)

    def leave(self) -> None:
        """Give the place to the next."""
        self.in_flight -= 1
        self._admit()

    def grow(self) -> None:
        """A request succeeded."""
        self.limit = min(float(self.most), self.limit + 1.0 / max(self.limit, GROWTH_FLOOR))

    def cut(self, ticket: int, now: float, pause: float = 0.0) -> bool:
        """A request failed for load: halve the limit unless this burst has already, hold everybody for ``pause``."""
        self._resume_at = max(self._resume_at, now + pause)
        if ticket != self._cuts:
            return False
        self._cuts += 1
        self.limit = max(1.0, self.limit / 2)
        return True

    def _admit(self) -> None:
        while self._queue and self.in_flight < int(self.limit):
            place = self._queue.popleft()
            if not place.done():
                self.in_flight += 1
                place.set_result(None)


class Pace:
    """At most so many units (requests, tokens) a minute, evenly, with at most a second's worth at once.

    >>> pace = Pace(per_minute=120)
    >>> [pace.reserve(now=10.0, amount=1) for _ in range(4)]
    [0.0, 0.0, 0.5, 1.0]
    >>> pace.reserve(now=60.0, amount=1)
    0.0
    """

    def __init__(self, per_minute: float) -> None:
        self.rate = per_minute / 60.0
        self._free_at: float | None = None

    def reserve(self, now: float, amount: float) -> float:
        """Take so many units; gives the seconds to wait before they may be used."""
        burst = 1.0 - 1.0 / self.rate if self.rate > 1.0 else 0.0  # one second's worth, of which this is one
        start = now - burst
        free_at = start if self._free_at is None else max(self._free_at, start)
        self._free_at = free_at + amount / self.rate
        return max(0.0, free_at - now)

    def correct(self, amount: float) -> None:
        """So many more units were used than reserved (fewer: negative), up to a minute's worth.

        What was used is what a server says; it must not make us wait for days.
        """
        if self._free_at is not None:
            self._free_at += max(-60.0, min(60.0, amount / self.rate))


def full_jitter(attempt: int, dice: Random, base: float = 0.5, most: float = 30.0) -> float:
    """Seconds to wait before attempt + 1: uniform in 0 … min(most, base · 2^attempt), so that callers spread out.

    >>> 0 <= full_jitter(3, Random(1)) <= 4.0
    True
    """
    return dice.uniform(0.0, min(most, base * 2.0 ** min(attempt, 30)))


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """The seconds that a server asks to wait: Retry-After in seconds or as a date, or OpenAI's in milliseconds.

    >>> retry_after({"Retry-After": "7"}), retry_after({"retry-after-ms": "250"}), retry_after({"Retry-After": "soon"})
    (7.0, 0.25, None)
    >>> retry_after({"Retry-After": "Wed, 21 Oct 2015 07:28:30 GMT"}, datetime(2015, 10, 21, 7, 28, tzinfo=UTC))
    30.0
    """
    given = {name.lower(): value.strip() for name, value in headers.items()}
    milliseconds, text = given.get("retry-after-ms"), given.get("retry-after")
    if milliseconds is not None and (seconds := _number(milliseconds)) is not None:
        return seconds / 1000.0
    if text is None:
        return None
    if (seconds := _number(text)) is not None:
        return seconds
    try:
        then = parsedate_to_datetime(text)
    except ValueError:
        return None
    then = then if then.tzinfo else then.replace(tzinfo=UTC)
    return max(0.0, (then - (now or datetime.now(UTC))).total_seconds())


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0.0 <= value < float("inf") else None
