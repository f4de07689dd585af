"""Client of a reward server: batches, retries, and one sentence for whatever goes wrong."""

from __future__ import annotations

import http.client
import json
import random
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal, Self, get_args
from urllib.parse import urlsplit

from editscope.cases import Status
from editscope.documents import Malformed, read_json
from editscope.editors.server.site import TOKEN
from editscope.errors import BadInput, EditscopeError, Stopped
from editscope.outside import name_received, received
from editscope.training.rewards.base import Reward, RewardValue, Rollout
from editscope.training.rewards.server.messages import MOST_ROLLOUTS, PACKED, PATH, Encoding, Packer
from editscope.transport.keys import bearer, key_from, plain_address
from editscope.transport.rate_control import full_jitter, retry_after

AGAIN = (429, 502, 503, 504)
"""Statuses of a server that is busy or down; these are tried again."""
LONGEST_PAUSE_S = 30.0
"""The longest pause before another attempt, whatever the server asks for."""
LARGEST_REPLY = 64 << 20
JSON = "application/json"


class ServerStopped(Stopped):
    """A reward server that gives no more rewards: a budget of its own is spent. Asking again would not help."""


class RewardClient:
    """A connection to ``editscope serve-reward``, for any number of threads.

    ``address`` is that of the server, with or without ``/reward``. A server that is busy, gone or cut off is tried
    ``retries`` times more. Pauses are random, up to ``pause`` seconds that double with each attempt; a server may ask
    for longer ones, up to 30 seconds. The token is taken from the variable EDITSCOPE_SERVE_TOKEN.
    """

    def __init__(self, address: str, *, timeout: float = 120.0, retries: int = 8, pause: float = 0.25) -> None:
        plain = plain_address(f"the reward server {address!r}", address)
        at = urlsplit(plain.removesuffix(PATH))
        if not 0 < timeout < float("inf") or retries < 0:
            raise BadInput(
                f"the reward server {plain}: timeout is {timeout} and retries is {retries}; timeout must be above 0, "
                "and retries 0 or more"
            )
        self.address = plain.removesuffix(PATH)
        self.retries, self.pause, self.timeout = retries, pause, timeout
        self._host, self._path, self._tls = at.netloc, at.path, at.scheme == "https"
        self._headers = {"User-Agent": "editscope", **bearer(key_from(TOKEN))}
        self._idle: list[http.client.HTTPConnection] = []
        self._lock = threading.Lock()
        self._dice = random.Random()

    def health(self) -> dict[str, Any]:
        """What the server says about itself; BadInput if there is none."""
        try:
            reply = self._exchange("GET", "/health")
        except Stopped as error:
            raise BadInput(str(error)) from error
        if "rewards" not in reply:
            raise BadInput(f"{self.address} is not a reward server; start one with `editscope serve-reward`")
        return reply

    def rewards(self, rollouts: Sequence[Mapping[str, Any]]) -> list[RewardValue]:
        """The rewards of rollouts as JSON objects; BadInput if the server refuses them, Stopped if it is down."""
        values: list[RewardValue] = []
        for start in range(0, len(rollouts), MOST_ROLLOUTS):
            part = list(rollouts[start : start + MOST_ROLLOUTS])
            try:
                body = json.dumps({"rollouts": part}).encode()
            except TypeError as error:
                raise BadInput(
                    f"a rollout cannot be written as JSON ({error}); give pictures as text in base64, or "
                    "arrays to score()"
                ) from None
            values += self._rewards(len(part), body, JSON)
        return values

    def score(
        self, rollouts: Sequence[Rollout], *, by_id: bool = False, encoding: Encoding = "rgb"
    ) -> list[RewardValue]:
        """The rewards of at most 1,024 rollouts, sent in one packed request."""
        return self._rewards(len(rollouts), Packer(encoding).packed(rollouts, by_id=by_id), PACKED)

    def _rewards(self, count: int, body: bytes, kind: str) -> list[RewardValue]:
        rows = self._exchange("POST", PATH, body, kind).get("rewards")
        if not isinstance(rows, list) or len(rows) != count:
            raise EditscopeError(f"{self.address} did not return {count} rewards for {count} rollouts")
        return [_value(row) for row in rows]

    def close(self) -> None:
        """Close the connections."""
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _exchange(self, method: str, path: str, body: bytes = b"", kind: str = JSON) -> dict[str, Any]:
        why = ""
        for attempt in range(self.retries + 1):
            asked_s: float | None = None
            try:
                status, headers, content = self._sent(method, path, body, kind)
            except (OSError, http.client.HTTPException) as error:
                why = received(f"{type(error).__name__}: {error}", 200)
            else:
                reply = _read(content)
                if status == 200 and reply is not None:
                    return reply
                why = received((reply or {}).get("stopped") or (reply or {}).get("error") or f"status {status}", 500)
                if reply and reply.get("stopped"):
                    raise ServerStopped(f"the reward server {self.address} has stopped: {why}")
                if status != 200 and status not in AGAIN:
                    fix = f"; set the variable {TOKEN}" if status == 401 else ""
                    raise BadInput(f"the reward server {self.address} refuses the request: {why}{fix}")
                asked_s = retry_after(headers)
            if attempt < self.retries:
                time.sleep(self._pause(attempt, asked_s))
        raise Stopped(f"the reward server {self.address} does not answer ({self.retries + 1} attempts, last: {why})")

    def _pause(self, attempt: int, asked_s: float | None) -> float:
        """Seconds before another attempt: what the server asked for and a random part, never above the cap."""
        random_s = full_jitter(attempt, self._dice, self.pause, LONGEST_PAUSE_S)
        return min(LONGEST_PAUSE_S, (asked_s or 0.0) + random_s)

    def _sent(self, method: str, path: str, body: bytes, kind: str) -> tuple[int, Mapping[str, str], bytes]:
        """One request. The server may have closed an idle connection, so a failure there is tried on a new one."""
        with self._lock:
            connection = self._idle.pop() if self._idle else None
        if connection is not None:
            try:
                return self._over(connection, method, path, body, kind)
            except (ConnectionError, http.client.HTTPException):
                connection.close()
        to = http.client.HTTPSConnection if self._tls else http.client.HTTPConnection
        connection = to(self._host, timeout=self.timeout)
        try:
            return self._over(connection, method, path, body, kind)
        except BaseException:
            connection.close()
            raise

    def _over(
        self, connection: http.client.HTTPConnection, method: str, path: str, body: bytes, kind: str
    ) -> tuple[int, Mapping[str, str], bytes]:
        connection.request(method, self._path + path, body or None, {**self._headers, "Content-Type": kind})
        response = connection.getresponse()
        content = response.read(LARGEST_REPLY)
        headers = {name.lower(): value for name, value in response.getheaders()}
        if response.isclosed() and not response.will_close:
            with self._lock:
                self._idle.append(connection)
        else:
            connection.close()
        return response.status, headers, content


class RemoteReward(Reward):
    """The reward of a server, for a training run here.

    ``by_id`` names problems by their ids, which the server must serve, instead of sending source and answer; a rubric
    that needs more than pictures and instruction needs it. ``encoding`` is rgb, which costs no time, or png, which
    takes less bandwidth. ``batch`` is the number of rollouts of one request.
    """

    name: ClassVar[str] = "http"

    def __init__(
        self,
        address: str,
        by_id: bool = False,
        encoding: Literal["rgb", "png"] = "rgb",
        batch: int = 32,
        timeout: float = 120.0,
        retries: int = 8,
    ) -> None:
        if not 1 <= batch <= MOST_ROLLOUTS:
            raise BadInput(f"reward {address}, option batch: {batch} is not a whole number from 1 to {MOST_ROLLOUTS}")
        self.client = RewardClient(address, timeout=timeout, retries=retries)
        self.by_id, self.encoding, self.batch = by_id, encoding, batch

    def prepare(self) -> None:
        """Raise BadInput if the server is down; takes over the ends of its scale."""
        about = self.client.health()
        self.low, self.high = float(about.get("low", 0.0)), float(about.get("high", 1.0))

    def score(self, rollouts: Sequence[Rollout]) -> list[RewardValue]:
        """The values that the server returns; none if it does not answer. Raises Stopped if its budget is spent."""
        values: list[RewardValue] = []
        for start in range(0, len(rollouts), self.batch):
            part = rollouts[start : start + self.batch]
            try:
                values += self.client.score(part, by_id=self.by_id, encoding=self.encoding)
            except ServerStopped:
                raise
            except EditscopeError as error:
                values += [RewardValue(None, "error", str(error))] * len(part)
        return values

    def close(self) -> None:
        """Close the connections."""
        self.client.close()


def _read(content: bytes) -> dict[str, Any] | None:
    try:
        reply = read_json(content)
    except Malformed:
        return None
    return reply if isinstance(reply, dict) else None


def _value(row: Any) -> RewardValue:
    value = row.get("value") if isinstance(row, dict) else None
    reason = received(row.get("reason", ""), 2000) if isinstance(row, dict) else "the server gave no reward"
    if isinstance(value, int | float) and not isinstance(value, bool) and value - value == 0:
        return RewardValue(float(value), reason=reason)
    status = name_received(row.get("status", "")) if isinstance(row, dict) else ""
    known = [name for name in get_args(Status) if name == status and name != "ok"]
    return RewardValue(None, known[0] if known else "error", reason)
