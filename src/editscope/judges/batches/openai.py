"""OpenAI's batch API: a file of requests goes up, files of results and errors come down."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from editscope.judges.batches.api import (
    CANCELED,
    EXPIRED,
    MOST_RESULTS,
    BatchApi,
    BatchRequest,
    BatchState,
    Talk,
    as_fault,
    counted,
    id_in,
)
from editscope.judges.wire.base import Answer
from editscope.transport.faults import Fault, from_reading
from editscope.transport.messages import dumps, loads

ENDED = frozenset({"completed", "failed", "expired", "cancelled"})
MARK = "editscope"
"""The name of our token in a batch's metadata."""
PAGES = 20


class OpenAIBatches(BatchApi):
    """``/files`` and ``/batches``, for chat completions and for responses. A file may have 50,000 lines, 200 MB."""

    most_requests = 1_000
    most_bytes = 150_000_000
    list_path = "/batches"

    async def submit(self, talk: Talk, token: str, requests: Sequence[BatchRequest]) -> str:
        """Upload the requests as lines of JSON, then start a batch on that file."""
        path = "/v1" + talk.wire.url(talk.settings).removeprefix(talk.settings.base_url)
        before = b'","method":"POST","url":' + dumps(path) + b',"body":'
        lines = (b'{"custom_id":"' + one.id.encode() + before + one.body + b"}\n" for one in requests)
        edge = f"editscope-{token}"
        head = (
            f'--{edge}\r\nContent-Disposition: form-data; name="purpose"\r\n\r\nbatch\r\n'
            f'--{edge}\r\nContent-Disposition: form-data; name="file"; filename="{token}.jsonl"\r\n'
            "Content-Type: application/jsonl\r\n\r\n"
        )
        form = b"".join((head.encode(), *lines, f"\r\n--{edge}--\r\n".encode()))
        content = await talk.send(
            "POST", "/files", form, headers={"Content-Type": f"multipart/form-data; boundary={edge}"}
        )
        settings = {"endpoint": path, "completion_window": "24h", "metadata": {MARK: token}}
        batch = await talk.json("POST", "/batches", {"input_file_id": id_in(loads(content)), **settings})
        return id_in(batch)

    async def look(self, talk: Talk, batch: str) -> BatchState:
        """Status and counts."""
        data = await talk.json("GET", f"/batches/{batch}")
        counts = data.get("request_counts") or {}
        done, failed = counted(counts.get("completed")), counted(counts.get("failed"))
        return BatchState(data.get("status") in ENDED, done, failed, data)

    async def results(
        self, talk: Talk, batch: str, state: BatchState, ids: Sequence[str]
    ) -> Mapping[str, Answer | Fault]:
        """The lines of both files; a batch that failed as a whole has neither."""
        status = state.data.get("status")
        rest = EXPIRED if status == "expired" else CANCELED if status == "cancelled" else None
        if status == "failed":
            rest = _turned_away(state.data.get("errors"))
        outcomes: dict[str, Answer | Fault] = {} if rest is None else dict.fromkeys(ids, rest)
        for name in ("error_file_id", "output_file_id"):
            if file := state.data.get(name):
                content = await talk.send("GET", f"/files/{id_in({'id': file})}/content", most=MOST_RESULTS)
                outcomes |= dict(_outcome(talk, line) for line in content.splitlines() if line.strip())
        return outcomes

    async def find(self, talk: Talk, token: str, since: float, count: int, others: frozenset[str]) -> str | None:
        """The batch with our token in its metadata, among those that were made since."""
        after = ""
        for _ in range(PAGES):
            page = await talk.json("GET", f"/batches?limit=100{after}")
            listed = [batch for batch in page.get("data") or () if isinstance(batch, dict)]
            for batch in listed:
                if (batch.get("metadata") or {}).get(MARK) == token:
                    return id_in(batch)
            if not listed or not page.get("has_more") or counted(listed[-1].get("created_at")) < since - 3600:
                return None
            after = f"&after={id_in(listed[-1])}"
        return None


def _outcome(talk: Talk, line: bytes) -> tuple[str, Answer | Fault]:
    try:
        data = loads(line)
        response, error = data.get("response") or {}, data.get("error")
        if error and not response:
            expired = error.get("code") == "batch_expired"
            return str(data["custom_id"]), EXPIRED if expired else as_fault(500, {"error": error})
        if response["status_code"] != 200:
            return str(data["custom_id"]), as_fault(counted(response["status_code"]), response.get("body"))
        return str(data["custom_id"]), talk.read(response["body"])
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        return "", from_reading(error)


def _turned_away(errors: Any) -> Fault:
    """Why a batch failed before any of its calls was made."""
    listed = errors.get("data") if isinstance(errors, dict) else None
    first = listed[0] if isinstance(listed, list) and listed and isinstance(listed[0], dict) else {}
    full = first.get("code") == "token_limit_exceeded"
    return as_fault(429 if full else 400, {"error": first or {"message": "the batch failed"}})
