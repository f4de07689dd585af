"""Gemini's batch API: requests stand in the body of a batch, and responses in the operation that it becomes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

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
)
from editscope.judges.wire.base import Answer
from editscope.transport.faults import Failed, Fault, from_reading
from editscope.transport.messages import dumps, joined

ENDED = ("SUCCEEDED", "FAILED", "CANCELLED", "EXPIRED")
STATUS = {3: 400, 5: 404, 7: 403, 8: 429, 9: 400, 16: 401}
"""The HTTP status that a code of gRPC stands for; any other one is a failure of the server."""
PAGES = 20


class GeminiBatches(BatchApi):
    """``{model}:batchGenerateContent`` with the requests in its body, which may have 20 MB."""

    most_requests = 1_000
    most_bytes = 18_000_000
    list_path = "/batches"

    async def submit(self, talk: Talk, token: str, requests: Sequence[BatchRequest]) -> str:
        """One body; our token is the batch's name for people."""
        parts = (b'{"request":' + one.body + b',"metadata":{"key":"' + one.id.encode() + b'"}}' for one in requests)
        before = b'{"batch":{"displayName":' + dumps(token) + b',"inputConfig":{"requests":{"requests":['
        path = f"/models/{talk.settings.model.removeprefix('models/')}:batchGenerateContent"
        return _name(await talk.json("POST", path, joined(parts, before, b"]}}}}")))

    async def look(self, talk: Talk, batch: str) -> BatchState:
        """State and counts; an operation that has ended holds its responses."""
        data = await talk.json("GET", f"/{batch}", most=MOST_RESULTS)
        stats = _metadata(data).get("batchStats") or {}
        done, failed = counted(stats.get("successfulRequestCount")), counted(stats.get("failedRequestCount"))
        return BatchState(bool(data.get("done")) or _ending(data) in ENDED, done, failed, data)

    async def results(
        self, talk: Talk, batch: str, state: BatchState, ids: Sequence[str]
    ) -> Mapping[str, Answer | Fault]:
        """The inlined responses: by their keys where they have them, else in the order of the requests."""
        ending, error = _ending(state.data), state.data.get("error")
        rest = EXPIRED if ending == "EXPIRED" else CANCELED if ending == "CANCELLED" else None
        if ending == "FAILED" or error:
            rest = _fault(error or {"message": "the batch failed"})
        outcomes: dict[str, Answer | Fault] = {} if rest is None else dict.fromkeys(ids, rest)
        listed = _inlined(state.data)
        for place, item in enumerate(listed):
            key = (item.get("metadata") or {}).get("key") if isinstance(item, dict) else None
            if key is None and len(listed) == len(ids):
                key = ids[place]
            if isinstance(key, str) and isinstance(item, dict):
                failed = item.get("error")
                outcomes[key] = _fault(failed) if failed else talk.read(item.get("response"))
        return outcomes

    async def find(self, talk: Talk, token: str, since: float, count: int, others: frozenset[str]) -> str | None:
        """The batch whose name for people is our token."""
        after = ""
        for _ in range(PAGES):
            page = await talk.json("GET", f"/batches?pageSize=50{after}", most=MOST_RESULTS)
            for data in page.get("operations") or page.get("batches") or ():
                if isinstance(data, dict) and _metadata(data).get("displayName") == token:
                    return _name(data)
            if not page.get("nextPageToken"):
                return None
            after = f"&pageToken={quote(str(page['nextPageToken']), safe='')}"
        return None


def _metadata(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """The description of a batch within its operation, or the batch itself."""
    metadata = data.get("metadata")
    return metadata if isinstance(metadata, dict) else data


def _ending(data: Mapping[str, Any]) -> str:
    """The state without the prefix, which has changed its name: BATCH_STATE_SUCCEEDED, JOB_STATE_SUCCEEDED."""
    return str(_metadata(data).get("state") or "").rpartition("_")[2]


def _inlined(data: Mapping[str, Any]) -> list[Any]:
    for holder in (data.get("response"), _metadata(data).get("output")):
        inlined = holder.get("inlinedResponses") if isinstance(holder, dict) else None
        listed = inlined.get("inlinedResponses") if isinstance(inlined, dict) else inlined
        if isinstance(listed, list):
            return listed
    return []


def _fault(error: Any) -> Fault:
    code = counted(error.get("code")) if isinstance(error, dict) else 0
    return as_fault(code if code >= 400 else STATUS.get(code, 500), {"error": error})


def _name(data: Mapping[str, Any]) -> str:
    """The resource name of a batch, such as ``batches/abc``, which can stand in an address."""
    name = data.get("name")
    if (
        not isinstance(name, str)
        or not name.startswith("batches/")
        or not name[8:].replace("-", "").replace("_", "").isalnum()
    ):
        raise Failed(from_reading(TypeError("name")))
    return name
