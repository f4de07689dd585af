"""A judge on loopback with three vendors' batch APIs: states, partial failures, lost replies, shuffled results."""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from random import Random
from typing import Any

import orjson
from aiohttp import web

from support.servers.judge_server import (
    Asked,
    Fault,
    JudgeServer,
    Script,
    _key,
    _response,
    agreeable,
)
from support.servers.loopback import as_json

Fate = Callable[[Asked, int], str]
"""What becomes of a request that comes for the n-th time: "ok", "errored", "expired" or "missing"."""


@dataclass
class ServedBatch:
    """A batch that the server has accepted."""

    id: str
    kind: str
    token: str
    requests: list[tuple[str, dict[str, Any]]]
    created: float = field(default_factory=time.time)
    looks: int = 0
    outcomes: list[tuple[str, str, Any]] = field(default_factory=list)


class BatchServer(JudgeServer):
    """Ordinary calls as ``JudgeServer``, and batches, each of which ends after it was looked at ``looks`` times.

    ``run`` counts how often each request was made in a batch and paid for, by the hash of its body. While ``held`` is
    true no batch ends. ``lost_replies`` submits are accepted, and their reply never comes: the connection is cut, or
    hangs where ``hangs`` is true.
    """

    def __init__(
        self,
        script: Script = agreeable,
        *,
        looks: int = 1,
        fate: Fate = lambda asked, times: "ok",
        held: bool = False,
        lost_replies: int = 0,
        hangs: bool = False,
        has_batches: bool = True,
        ends: str = "",
        **more: Any,
    ) -> None:
        super().__init__(script, **more)
        self.looks, self.fate, self.held = looks, fate, held
        self.lost_replies, self.hangs, self.has_batches = lost_replies, hangs, has_batches
        self.ends = ends
        """How the first batch ends as a whole: "" or "expired"."""
        self.batches: list[ServedBatch] = []
        self.files: dict[str, bytes] = {}
        self.run: Counter[str] = Counter()
        self.times: Counter[str] = Counter()

    async def handle(self, request: web.Request) -> web.StreamResponse:
        path = request.path
        if not any(part in path for part in ("/batches", "/files", ":batchGenerateContent")):
            return await super().handle(request)
        if not self.has_batches:
            return as_json({"error": {"message": "Not Found"}}, 404)
        if self.keys is not None and _key(request.headers) not in self.keys:
            return as_json({"error": {"message": "wrong key"}}, 401)
        kind = "anthropic" if "/messages/" in path else "gemini" if "x-goog-api-key" in request.headers else "openai"
        if path.endswith(":batchGenerateContent"):
            kind = "gemini"
        if request.method == "POST":
            return await self._take(request, kind)
        if "/files/" in path:
            return web.Response(body=self.files[path.split("/")[-2]], content_type="application/octet-stream")
        if path.endswith("/batches"):
            return self._list(kind)
        name = path.removesuffix("/results").rpartition("/")[2]
        batch = next((one for one in self.batches if one.id == name), None)
        if batch is None:
            return as_json({"error": {"message": "no such batch"}}, 404)
        if path.endswith("/results"):
            return web.Response(body=b"\n".join(map(orjson.dumps, self._lines(batch))), content_type="text/plain")
        batch.looks += 1
        return as_json(self._described(batch))

    # --- submitting -------------------------------------------------------------------------------

    async def _take(self, request: web.Request, kind: str) -> web.StreamResponse:
        if request.path.endswith("/files"):
            form = await request.post()
            assert form["purpose"] == "batch"
            content = form["file"].file.read()  # type: ignore[union-attr]
            self.files[name := f"file-{len(self.files)}"] = content
            return as_json({"id": name})
        body = orjson.loads(await request.read())
        if kind == "anthropic":
            token, requests = "", [(one["custom_id"], one["params"]) for one in body["requests"]]
            assert all(0 < len(name) <= 64 for name, _ in requests)
        elif kind == "gemini":
            listed = body["batch"]["inputConfig"]["requests"]["requests"]
            token, requests = body["batch"]["displayName"], [(one["metadata"]["key"], one["request"]) for one in listed]
        else:
            lines = [orjson.loads(line) for line in self.files[body["input_file_id"]].splitlines()]
            assert all(line["url"] == body["endpoint"] for line in lines)
            token, requests = body["metadata"]["editscope"], [(line["custom_id"], line["body"]) for line in lines]
            kind = "responses" if body["endpoint"].endswith("/responses") else "openai"
        assert len({name for name, _ in requests}) == len(requests)
        batch = ServedBatch(f"batch{len(self.batches)}", kind, token, requests)
        model = request.path.rpartition("/models/")[2].partition(":")[0] if kind == "gemini" else ""
        batch.outcomes = [self._ran(batch, name, one, model) for name, one in requests]
        Random(len(self.batches)).shuffle(batch.outcomes)
        self.batches.append(batch)
        if self.lost_replies:
            self.lost_replies -= 1
            if self.hangs:
                await self.hang()
            assert request.transport is not None
            request.transport.close()
        return as_json(self._described(batch))

    def _ran(self, batch: ServedBatch, name: str, body: dict[str, Any], model: str) -> tuple[str, str, Any]:
        asked = Asked(self.calls, batch.kind, body.get("model") or model, "", body, time.monotonic())
        digest = hashlib.sha256(orjson.dumps(body)).hexdigest()
        fate = "expired" if self.ends == "expired" and not self.batches else self.fate(asked, self.times[digest])
        self.times[digest] += 1
        if fate != "ok":
            return name, fate, None
        self.run[digest] += 1
        self.calls += 1
        self.asked.append(asked)
        outcome = self._outcome(asked)
        if isinstance(outcome, Fault):
            return name, "errored", None
        return name, "ok", _response(asked, outcome)

    # --- telling ----------------------------------------------------------------------------------

    def _ended(self, batch: ServedBatch) -> bool:
        return batch.looks >= self.looks and not self.held

    def _list(self, kind: str) -> web.Response:
        family = {"openai": ("openai", "responses")}.get(kind, (kind,))
        listed = [self._described(batch) for batch in reversed(self.batches) if batch.kind in family]
        return as_json({"operations": listed} if kind == "gemini" else {"data": listed, "has_more": False})

    def _described(self, batch: ServedBatch) -> dict[str, Any]:
        fates = Counter(fate for _, fate, _ in batch.outcomes)
        ended, ok = self._ended(batch), fates["ok"]
        bad = len(batch.outcomes) - ok
        if batch.kind == "anthropic":
            counts = {"processing": 0 if ended else ok + bad, "succeeded": ok * ended, "errored": bad * ended}
            created = datetime.fromtimestamp(batch.created, UTC).isoformat()
            status = "ended" if ended else "in_progress"
            return {"id": batch.id, "processing_status": status, "request_counts": counts, "created_at": created}
        if batch.kind == "gemini":
            return self._operation(batch, ended)
        status = ("expired" if fates["expired"] else "completed") if ended else "in_progress"
        described: dict[str, Any] = {
            "id": batch.id,
            "status": status,
            "created_at": int(batch.created),
            "metadata": {"editscope": batch.token},
            "request_counts": {"total": ok + bad, "completed": ok * ended, "failed": bad * ended},
        }
        if ended:
            lines = self._lines(batch)
            good = [line for line in lines if line["response"]]
            for name, some in (("output_file_id", good), ("error_file_id", [x for x in lines if x not in good])):
                if some:
                    self.files[f"{batch.id}-{name}"] = b"\n".join(map(orjson.dumps, some))
                    described[name] = f"{batch.id}-{name}"
        return described

    def _operation(self, batch: ServedBatch, ended: bool) -> dict[str, Any]:
        state = "BATCH_STATE_SUCCEEDED" if ended else "BATCH_STATE_RUNNING"
        metadata = {"state": state, "displayName": batch.token, "batchStats": {"requestCount": "1"}}
        operation: dict[str, Any] = {"name": f"batches/{batch.id}", "metadata": metadata, "done": ended}
        if ended:
            operation["response"] = {"inlinedResponses": {"inlinedResponses": self._lines(batch)}}
        return operation

    def _lines(self, batch: ServedBatch) -> Sequence[Mapping[str, Any]]:
        return [_LINES[batch.kind](*outcome) for outcome in batch.outcomes if outcome[1] != "missing"]


def _openai(name: str, fate: str, body: Any) -> dict[str, Any]:
    if fate == "ok":
        return {"custom_id": name, "response": {"status_code": 200, "body": body}, "error": None}
    error = {"code": "batch_expired" if fate == "expired" else "server_error", "message": fate}
    return {"custom_id": name, "response": None, "error": error}


def _anthropic(name: str, fate: str, body: Any) -> dict[str, Any]:
    if fate == "ok":
        return {"custom_id": name, "result": {"type": "succeeded", "message": body}}
    error = {"type": "error", "error": {"type": "api_error", "message": "failed"}}
    return {"custom_id": name, "result": {"type": fate, **({"error": error} if fate == "errored" else {})}}


def _gemini(name: str, fate: str, body: Any) -> dict[str, Any]:
    outcome = {"response": body} if fate == "ok" else {"error": {"code": 13, "message": fate}}
    return {"metadata": {"key": name}, **outcome}


_LINES = {"openai": _openai, "responses": _openai, "anthropic": _anthropic, "gemini": _gemini}
