"""Anthropic's message batches: requests go up in one body, results come down as lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from editscope.judges.batches.api import (
    CANCELED,
    EXPIRED,
    MOST_RESULTS,
    BatchApi,
    BatchRequest,
    BatchState,
    Talk,
    Undecided,
    as_fault,
    counted,
    id_in,
)
from editscope.judges.wire.base import Answer
from editscope.transport.faults import Failed, Fault, from_reading
from editscope.transport.messages import joined, loads

COUNTS = ("processing", "succeeded", "errored", "canceled", "expired")
SLACK_S = 300.0
"""By so much the server's clock may differ from ours."""


class AnthropicBatches(BatchApi):
    """``/messages/batches``. A batch may have 100,000 requests, 256 MB."""

    most_requests = 1_000
    most_bytes = 200_000_000
    list_path = "/messages/batches"

    async def submit(self, talk: Talk, token: str, requests: Sequence[BatchRequest]) -> str:
        """One body with all requests."""
        parts = (b'{"custom_id":"' + one.id.encode() + b'","params":' + one.body + b"}" for one in requests)
        return id_in(await talk.json("POST", self.list_path, joined(parts, b'{"requests":[', b"]}")))

    async def look(self, talk: Talk, batch: str) -> BatchState:
        """Status and counts."""
        data = await talk.json("GET", f"{self.list_path}/{batch}")
        return _state(data)

    async def results(
        self, talk: Talk, batch: str, state: BatchState, ids: Sequence[str]
    ) -> Mapping[str, Answer | Fault]:
        """The lines of the results, in whatever order they come.

        They are read below our own address, not from where the reply says: the key goes with the request.
        """
        content = await talk.send("GET", f"{self.list_path}/{batch}/results", most=MOST_RESULTS)
        return dict(_outcome(talk, line) for line in content.splitlines() if line.strip())

    async def find(self, talk: Talk, token: str, since: float, count: int, others: frozenset[str]) -> str | None:
        """The batch whose results have our token in their ids.

        A batch has no name of ours before it has ended, so one of the same time and size is waited for.
        """
        page = await talk.json("GET", f"{self.list_path}?limit=100")
        running = False
        for data in page.get("data") or ():
            if not isinstance(data, dict) or data.get("id") in others or _time(data) < since - SLACK_S:
                continue
            counts = data.get("request_counts") or {}
            if sum(counted(counts.get(name)) for name in COUNTS) != count:
                continue
            state = _state(data)
            if not state.ended:
                running = True
                continue
            try:
                results = await self.results(talk, id_in(data), state, ())
            except Failed:  # its results are gone, or it has none
                continue
            if any(name.startswith(f"{token}-") for name in results):
                return id_in(data)
        if running:
            raise Undecided
        return None


def _state(data: Mapping[str, Any]) -> BatchState:
    counts = data.get("request_counts") or {}
    failed = sum(counted(counts.get(name)) for name in ("errored", "canceled", "expired"))
    return BatchState(data.get("processing_status") == "ended", counted(counts.get("succeeded")), failed, data)


def _time(data: Mapping[str, Any]) -> float:
    try:
        return datetime.fromisoformat(str(data.get("created_at"))).timestamp()
    except ValueError:
        return float("inf")


def _outcome(talk: Talk, line: bytes) -> tuple[str, Answer | Fault]:
    try:
        data = loads(line)
        name, result = str(data["custom_id"]), data["result"]
        if result["type"] == "succeeded":
            return name, talk.read(result["message"])
        if result["type"] in ("expired", "canceled"):
            return name, EXPIRED if result["type"] == "expired" else CANCELED
        error = result["error"].get("error", result["error"])
        return name, as_fault(400 if error.get("type") == "invalid_request_error" else 500, {"error": error})
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        return "", from_reading(error)
