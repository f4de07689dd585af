"""Base class of batch APIs: how a vendor takes a batch, tells its state and hands out its results."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from editscope.judges.wire.base import Answer, JudgeSettings, Wire
from editscope.transport.faults import UNREADABLE, Failed, Fault, fault_of, from_exception, from_reading
from editscope.transport.messages import dumps, loads
from editscope.transport.reply import MOST_TEXT, send

MOST_RESULTS = 400_000_000
"""Bytes of the results of one batch."""
MOST_LISTED = 16_000_000
"""Bytes of one page of a list of batches."""
REQUEST_S = 900.0
"""Seconds for one request about a batch; some carry a hundred megabytes."""

EXPIRED = Fault("the batch expired before this call was answered", again=True)
CANCELED = Fault("the batch was canceled before this call was answered", again=True)


class Gone(Failed):
    """What was asked for is not there (404): a batch that was deleted, results that have expired."""


class Undecided(Exception):
    """Nobody can say yet whether a batch was accepted; ask again later."""


@dataclass(frozen=True, slots=True)
class BatchRequest:
    """One call of a batch: its id there, and the body that an ordinary call would send."""

    id: str
    body: bytes


@dataclass(frozen=True, slots=True)
class BatchState:
    """How far a batch is; ``data`` is the vendor's own description of it."""

    ended: bool
    done: int = 0
    failed: int = 0
    data: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Talk:
    """A session with the server of a judge; whatever goes wrong raises Failed."""

    session: Any
    wire: Wire
    settings: JudgeSettings

    async def send(
        self,
        method: str,
        path: str,
        data: bytes | None = None,
        *,
        headers: Mapping[str, str] | None = None,
        most: int = MOST_TEXT,
    ) -> bytes:
        """The body of a reply with status 200."""
        url = f"{self.settings.base_url}{path}"
        try:
            reply = await send(self.session, method, url, data=data, headers=headers, timeout_s=REQUEST_S, most=most)
        except Exception as error:  # whatever is not a failure of the connection is raised again
            raise Failed(from_exception(error, REQUEST_S)) from error
        if reply.status != 200:
            raise (Gone if reply.status == 404 else Failed)(fault_of(reply.status, reply.headers, reply.content))
        return reply.content

    async def json(self, method: str, path: str, body: Any = None, *, most: int = MOST_LISTED) -> dict[str, Any]:
        """The object in a reply; ``body`` is sent as JSON, or as it is where it is bytes."""
        data = body if body is None or isinstance(body, bytes) else dumps(body)
        content = await self.send(method, path, data, most=most)
        try:
            decoded = loads(content)
        except ValueError as error:
            raise Failed(from_reading(error)) from error
        if not isinstance(decoded, dict):
            raise Failed(from_reading(TypeError(path)))
        return decoded

    def read(self, data: Any) -> Answer | Fault:
        """The answer in the body of one response, as an ordinary call would read it."""
        try:
            return self.wire.read(data)
        except UNREADABLE as error:
            return from_reading(error)


class BatchApi(ABC):
    """The batch API of one vendor. It holds no state."""

    most_requests: int
    most_bytes: int
    list_path: str
    """Where batches are listed; a server without it has no batch API."""

    @abstractmethod
    async def submit(self, talk: Talk, token: str, requests: Sequence[BatchRequest]) -> str:
        """Hand in a batch under our own token; gives the vendor's id."""

    @abstractmethod
    async def look(self, talk: Talk, batch: str) -> BatchState:
        """How far a batch is."""

    @abstractmethod
    async def results(
        self, talk: Talk, batch: str, state: BatchState, ids: Sequence[str]
    ) -> Mapping[str, Answer | Fault]:
        """What came of the calls of a batch that has ended, by id; ``ids`` are those sent, in order."""

    @abstractmethod
    async def find(self, talk: Talk, token: str, since: float, count: int, others: frozenset[str]) -> str | None:
        """The batch with our token that was handed in after a time; None where there is none.

        ``count`` is how many calls it has, ``others`` are batches that are known to have another token. Raises
        Undecided where only time will tell.
        """


def as_fault(status: int, error: Any) -> Fault:
    """The fault of one call in a batch, as an ordinary call with this status would have it."""
    return fault_of(status, {}, dumps(error if isinstance(error, dict) else {"message": str(error)}))


def counted(value: Any) -> int:
    """A count that a server reports, as a number or as a text; 0 for nonsense."""
    try:
        return max(0, int(value or 0))
    except (TypeError, ValueError, OverflowError):
        return 0


def id_in(data: Any) -> str:
    """The ``id`` of an object, where it can stand in an address; Failed otherwise."""
    name = data.get("id") if isinstance(data, dict) else None
    if not isinstance(name, str) or not name.replace("-", "").replace("_", "").isalnum():
        raise Failed(from_reading(TypeError("id")))
    return name
