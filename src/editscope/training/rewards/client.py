"""Client of a server of rewards: batches, retries, and one sentence for whatever goes wrong."""

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

AGAIN = (429, 502, 503, 504)
"""Statuses of a server that is busy or not there; waiting cures them."""
LONGEST_PAUSE_S = 30.0
LARGEST_REPLY = 64 << 20
JSON = "application/json"


class RewardClient:
    """A connection to ``editscope serve-reward``, for any number of threads.

    ``address`` is that of the server, with or without ``/reward``. A server that is busy, gone or cut off is tried
    ``retries`` times more; pauses double from ``pause`` seconds, or are as long as the server asks for. The token is
    taken from the variable EDITSCOPE_SERVE_TOKEN.
    """

    def __init__(self, address: str, *, timeout: float = 120.0, retries: int = 8, pause: float = 0.25) -> None:
        plain = plain_address(f"the reward server {address!r}", address)
        at = urlsplit(plain.removesuffix(PATH))
        if not 0 < timeout < float("inf") or retries < 0:
            raise BadInput(f"the reward server {plain}: timeout is {timeout} and retries is {retries}; write 0 or more")
        self.address = plain.removesuffix(PATH)
        self.retries, self.pause, self.timeout = retries, pause, timeout
        self._host, self._path, self._tls = at.netloc, at.path, at.scheme == "https"
        self._headers = {"User-Agent": "editscope", **bearer(key_from(TOKEN))}
        self._idle: list[http.client.HTTPConnection] = []
        self._lock = threading.Lock()
        self._dice = random.Random()

    def health(self) -> dict[str, Any]:
        """What the server says of itself; BadInput where there is none."""
        try:
            said = self._exchange("GET", "/health")
        except Stopped as error:
            raise BadInput(str(error)) from error
        if "rewards" not in said:
            raise BadInput(f"{self.address} is no server of rewards; start one with `editscope serve-reward`")
        return said

    def rewards(self, rollouts: Sequence[Mapping[str, Any]]) -> list[RewardValue]:
        """The rewards of rollouts as the server takes them; BadInput where it refuses them, Stopped if it is gone."""
        values: list[RewardValue] = []
        for start in range(0, len(rollouts), MOST_ROLLOUTS):
            part = list(rollouts[start : start + MOST_ROLLOUTS])
            try:
                body = json.dumps({"rollouts": part}).encode()
            except TypeError as error:
                raise BadInput(
                    f"a rollout holds what JSON cannot ({error}); give pictures as text in base64, or arrays to score()"
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
            raise EditscopeError(f"{self.address} answered {count} rollouts with no list of as many rewards")
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
            wait: float | None = None
            try:
                status, headers, content = self._sent(method, path, body, kind)
            except (OSError, http.client.HTTPException) as error:
                why = received(f"{type(error).__name__}: {error}", 200)
            else:
                said = _read(content)
                if status == 200 and said is not None:
                    return said
                why = received((said or {}).get("stopped") or (said or {}).get("error") or f"status {status}", 500)
                if said and said.get("stopped"):
                    raise Stopped(f"the reward server {self.address} has stopped: {why}")
                if status != 200 and status not in AGAIN:
                    fix = f"; set the variable {TOKEN}" if status == 401 else ""
                    raise BadInput(f"the reward server {self.address} refuses the request: {why}{fix}")
                wait = _seconds(headers.get("retry-after"))
            if attempt < self.retries:
                self._wait(attempt, wait)
        raise Stopped(f"the reward server {self.address} does not answer ({self.retries + 1} attempts, last: {why})")

    def _wait(self, attempt: int, asked: float | None) -> None:
        pause = self.pause * 2**attempt if asked is None else asked
        time.sleep(min(LONGEST_PAUSE_S, pause) * self._dice.uniform(0.5, 1.0) + (asked or 0.0) * 0.5)

    def _sent(self, method: str, path: str, body: bytes, kind: str) -> tuple[int, Mapping[str, str], bytes]:
        """One request. A connection that has rested may be closed at the other end, so that one goes to a new one."""
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

    ``by_id`` names problems by their ids, which the server must serve, in place of sending source and answer; a rubric
    that needs more than pictures and instruction needs it. ``encoding`` is rgb, which costs no time, or png, which
    costs less network. ``batch`` is the number of rollouts of one request.
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
        """Raise BadInput where the server is not there; takes over the ends of its scale."""
        about = self.client.health()
        self.low, self.high = float(about.get("low", 0.0)), float(about.get("high", 1.0))

    def score(self, rollouts: Sequence[Rollout]) -> list[RewardValue]:
        """What the server gives; a server that does not answer gives no values."""
        values: list[RewardValue] = []
        for start in range(0, len(rollouts), self.batch):
            part = rollouts[start : start + self.batch]
            try:
                values += self.client.score(part, by_id=self.by_id, encoding=self.encoding)
            except EditscopeError as error:
                values += [RewardValue(None, "error", str(error))] * len(part)
        return values

    def close(self) -> None:
        """Close the connections."""
        self.client.close()


def _read(content: bytes) -> dict[str, Any] | None:
    try:
        said = read_json(content)
    except Malformed:
        return None
    return said if isinstance(said, dict) else None


def _value(row: Any) -> RewardValue:
    value = row.get("value") if isinstance(row, dict) else None
    reason = received(row.get("reason", ""), 2000) if isinstance(row, dict) else "the server gave no reward"
    if isinstance(value, int | float) and not isinstance(value, bool) and value - value == 0:
        return RewardValue(float(value), reason=reason)
    status = name_received(row.get("status", "")) if isinstance(row, dict) else ""
    known = [one for one in get_args(Status) if one == status and one != "ok"]
    return RewardValue(None, known[0] if known else "error", reason)


def _seconds(text: str | None) -> float | None:
    try:
        seconds = float(text or "")
    except ValueError:
        return None
    return seconds if 0 <= seconds < 3600 else None
