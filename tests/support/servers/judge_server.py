"""A judge on loopback: a real HTTP server that speaks four wire formats and does what a script tells it.

In a test::

    with JudgeServer(lambda asked: {"score": 4, "reason": "good"}) as server:
        judge = load_judge(server.spec())

For benchmarks, ``python -m support.servers.judge_server --latency 0.2`` in ``tests/`` runs it and prints its address.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import orjson
from aiohttp import web

from editscope.judges import Call, Verdict
from editscope.judges.registry import load_judge
from support.servers.loopback import Fault as Fault  # tests take it from here
from support.servers.loopback import Loopback, as_json, broken, json_bytes

KEY = "loopback-key-that-must-not-be-written-anywhere"
"""A key for tests: whatever a run writes can be searched for it."""


@dataclass(frozen=True)
class Asked:
    """One request for a verdict, as the server saw it; ``number`` counts from 0 in order of arrival."""

    number: int
    kind: str
    model: str
    key: str
    body: Mapping[str, Any]
    time: float

    @cached_property
    def parts(self) -> tuple[str | bytes, ...]:
        """Texts and pictures of the user's message, in order; pictures decoded."""
        return tuple(_part(part) for part in _user_parts(self.kind, self.body))

    @property
    def text(self) -> str:
        """All texts of the user's message, one below the other."""
        return "\n".join(part for part in self.parts if isinstance(part, str))

    @property
    def pictures(self) -> tuple[bytes, ...]:
        """The pictures, as the encoded bytes that the client had."""
        return tuple(part for part in self.parts if isinstance(part, bytes))

    @property
    def schema(self) -> Mapping[str, Any] | None:
        """The JSON schema that the reply has to satisfy, where one was sent."""
        return _schema(self.kind, self.body)


@dataclass(frozen=True)
class Reply:
    """A reply: a text or an object of values, with what a server reports beside it.

    ``refusal`` is the model's own; ``filtered`` the provider's; ``cut`` says that the limit of tokens was reached.
    """

    text: str | Mapping[str, Any] = ""
    latency: float | None = None
    snapshot: str | None = None
    input_tokens: int = 1000
    output_tokens: int = 50
    refusal: str = ""
    filtered: bool = False
    cut: bool = False

    @property
    def written(self) -> str:
        """The text of the reply."""
        return self.text if isinstance(self.text, str) else json_bytes(dict(self.text)).decode()


Outcome: TypeAlias = "Reply | Fault | str | Mapping[str, Any]"
Script: TypeAlias = "Callable[[Asked], Outcome] | Sequence[Outcome]"


def agreeable(asked: Asked) -> Outcome:
    """The best value for every field of the schema that was sent; needs a client that sends one."""
    schema = asked.schema or {"properties": {"score": {"type": "integer", "maximum": 5}}}
    return {name: _best(shape) for name, shape in schema["properties"].items()}


class JudgeServer(Loopback):
    """Runs in a thread of its own while the ``with`` block lasts.

    ``script`` is a function of what is asked, or a list of outcomes given in order of arrival (the last one again for
    all that come later). ``calls`` counts requests for verdicts, ``checks`` those about models, ``peak`` is the largest
    number at the same time; ``asked`` keeps what was asked.
    """

    def __init__(
        self,
        script: Script = agreeable,
        *,
        latency: float = 0.0,
        keys: Sequence[str] | None = None,
        models: Sequence[str] | None = None,
        lists_models: bool = True,
        takes_schema: bool = True,
        takes_object: bool = True,
        takes_temperature: bool = True,
        keep: bool = True,
        port: int = 0,
    ) -> None:
        super().__init__(port)
        self.script = script
        self.latency = latency
        self.keys = keys
        self.models = models
        self.lists_models = lists_models
        self.takes = {"json_schema": takes_schema, "json_object": takes_object, "temperature": takes_temperature}
        self.keep = keep
        self.calls = self.checks = self.in_flight = self.peak = 0
        self.asked: list[Asked] = []

    @property
    def url(self) -> str:
        """The address to give as ``?base_url=``, whatever the format."""
        return f"http://127.0.0.1:{self.port}/v1"

    def spec(self, model: str = "gpt-4o", kind: str = "openai", **options: Any) -> str:
        """The judge spec of this server."""
        more = "".join(f"&{name}={value}" for name, value in options.items())
        return f"{kind}:{model}?base_url={self.url}{more}"

    async def handle(self, request: web.Request) -> web.StreamResponse:
        key = _key(request.headers)
        if self.keys is not None and key not in self.keys:
            return _error(Fault(401, f"Incorrect API key provided: {key}"))
        if request.method == "GET":
            self.checks += 1
            return self._describe(request.path)
        kind = _kind(request.path)
        if kind is None:
            return _error(Fault(404, "Not Found"))
        self.in_flight += 1
        self.peak = max(self.peak, self.in_flight)
        try:
            return await self._judge(request, kind, key)
        finally:
            self.in_flight -= 1

    def _describe(self, path: str) -> web.Response:
        """The list of models, or one of them."""
        _, _, name = path.partition("/models/")
        if not self.lists_models:
            return _error(Fault(404, "Not Found"))
        if name:
            known = self.models is None or name in self.models
            return as_json({"id": name, "name": f"models/{name}"}) if known else _error(Fault(404, f"no model {name}"))
        return as_json({"data": [{"id": model} for model in self.models or ("gpt-4o",)]})

    async def _judge(self, request: web.Request, kind: str, key: str) -> web.StreamResponse:
        body = orjson.loads(await request.read())
        model = body.get("model") or request.path.rpartition("/models/")[2].partition(":")[0]
        if self.models is not None and model not in self.models:
            return _error(Fault(404, f"The model `{model}` does not exist", error={"code": "model_not_found"}))
        if (objection := self._objection(kind, body)) is not None:
            return _error(Fault(400, objection))
        asked = Asked(self.calls, kind, model, key, body, time.monotonic())
        self.calls += 1
        if self.keep:
            self.asked.append(asked)
        outcome = self._outcome(asked)
        latency = outcome.latency if outcome.latency is not None else self.latency
        if latency:
            await asyncio.sleep(latency)
        if isinstance(outcome, Fault):
            return await self._fail(request, outcome, asked)
        return as_json(_response(asked, outcome))

    def _objection(self, kind: str, body: Mapping[str, Any]) -> str | None:
        if not self.takes["temperature"] and "temperature" in body:
            return "Unsupported value: 'temperature' does not support 0 with this model. Only the default is supported."
        form = (body.get("response_format") or {}).get("type")
        sent = "json_schema" if form is None and _schema(kind, body) else form
        if sent is not None and not self.takes.get(sent, True):
            return f"'response_format' of type '{sent}' (or responseSchema, tool_choice) is not supported by this model"
        return None

    def _outcome(self, asked: Asked) -> Reply | Fault:
        script = self.script
        given = script(asked) if callable(script) else script[min(asked.number, len(script) - 1)]
        return given if isinstance(given, Reply | Fault) else Reply(given)

    async def _fail(self, request: web.Request, fault: Fault, asked: Asked) -> web.StreamResponse:
        whole = orjson.dumps(_response(asked, Reply({"score": 5, "answer": "Yes", "reason": "never to be counted"})))
        if fault.kind == "hang":
            await self.hang()
        return await broken(request, fault.kind, whole) or _error(fault)


def ask_all(spec: str, *calls: Call, **options: Any) -> list[Verdict]:
    """The verdicts of the judge that a spec names on these calls, all asked at once; short waits between retries."""

    async def work() -> list[Verdict]:
        judge = load_judge(spec, **{"backoff": 0.005, **options})
        try:
            done = await asyncio.gather(*(judge.ask(call) for call in calls), return_exceptions=True)
            for outcome in done:
                if isinstance(outcome, BaseException):
                    raise outcome
            return [outcome for outcome in done if isinstance(outcome, Verdict)]
        finally:
            await judge.close()

    return asyncio.run(work())


def _error(fault: Fault) -> web.Response:
    return as_json({"error": {"message": fault.message, **fault.error}}, fault.status, fault.headers)


def _key(headers: Mapping[str, str]) -> str:
    bearer = headers.get("Authorization", "").removeprefix("Bearer ")
    return bearer or headers.get("x-goog-api-key", "") or headers.get("x-api-key", "")


def _kind(path: str) -> str | None:
    endings = {"/chat/completions": "openai", "/responses": "responses", "/messages": "anthropic"}
    endings[":generateContent"] = "gemini"
    return next((kind for ending, kind in endings.items() if path.endswith(ending)), None)


def _user_parts(kind: str, body: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    if kind == "gemini":
        return body["contents"][-1]["parts"]  # type: ignore[no-any-return]
    return body["input" if kind == "responses" else "messages"][-1]["content"]  # type: ignore[no-any-return]


def _part(part: Mapping[str, Any]) -> str | bytes:
    if "text" in part:
        return str(part["text"])
    if "inlineData" in part:
        return base64.b64decode(part["inlineData"]["data"], validate=True)
    if "source" in part:
        return base64.b64decode(part["source"]["data"], validate=True)
    url = part["image_url"]
    return base64.b64decode((url if isinstance(url, str) else url["url"]).partition(",")[2], validate=True)


def _schema(kind: str, body: Mapping[str, Any]) -> Mapping[str, Any] | None:
    found: Any
    if kind == "openai":
        found = ((body.get("response_format") or {}).get("json_schema") or {}).get("schema")
    elif kind == "responses":
        found = ((body.get("text") or {}).get("format") or {}).get("schema")
    elif kind == "gemini":
        found = (body.get("generationConfig") or {}).get("responseSchema")
    else:
        found = (body.get("tools") or [{}])[0].get("input_schema")
    return found  # type: ignore[no-any-return]


def _best(shape: Mapping[str, Any]) -> Any:
    if "enum" in shape:
        return max(shape["enum"])
    return {"integer": shape.get("maximum", 5), "boolean": True}.get(str(shape.get("type")).lower(), "as asked")


def _response(asked: Asked, reply: Reply) -> dict[str, Any]:
    snapshot = reply.snapshot if reply.snapshot is not None else f"{asked.model}-2030-01-01"
    return _RESPONSES[asked.kind](asked, reply, snapshot)


def _chat(asked: Asked, reply: Reply, snapshot: str) -> dict[str, Any]:
    ended = "content_filter" if reply.filtered else "length" if reply.cut else "stop"
    content = None if reply.refusal or reply.filtered else reply.written
    message = {"role": "assistant", "content": content, "refusal": reply.refusal or None}
    usage = {"prompt_tokens": reply.input_tokens, "completion_tokens": reply.output_tokens}
    return {"model": snapshot, "choices": [{"index": 0, "message": message, "finish_reason": ended}], "usage": usage}


def _responses(asked: Asked, reply: Reply, snapshot: str) -> dict[str, Any]:
    part = {"type": "output_text", "text": reply.written}
    if reply.refusal:
        part = {"type": "refusal", "refusal": reply.refusal}
    why = "content_filter" if reply.filtered else "max_output_tokens" if reply.cut else None
    output: list[dict[str, Any]] = [{"type": "reasoning", "summary": []}]
    output += [] if reply.filtered else [{"type": "message", "content": [part]}]
    return {
        "model": snapshot,
        "status": "incomplete" if why else "completed",
        "incomplete_details": {"reason": why} if why else None,
        "output": output,
        "usage": {"input_tokens": reply.input_tokens, "output_tokens": reply.output_tokens},
    }


def _gemini(asked: Asked, reply: Reply, snapshot: str) -> dict[str, Any]:
    usage = {"promptTokenCount": reply.input_tokens, "candidatesTokenCount": reply.output_tokens}
    data: dict[str, Any] = {"modelVersion": snapshot, "usageMetadata": usage}
    if reply.filtered:
        return {**data, "promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}}
    if reply.refusal:
        return {**data, "candidates": [{"finishReason": "SAFETY"}]}
    parts = [{"text": "thinking about it", "thought": True}, {"text": reply.written}]
    ended = "MAX_TOKENS" if reply.cut else "STOP"
    return {**data, "candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": ended}]}


def _anthropic(asked: Asked, reply: Reply, snapshot: str) -> dict[str, Any]:
    content: list[dict[str, Any]] = [{"type": "text", "text": reply.refusal or reply.written}]
    if not isinstance(reply.text, str) and asked.body.get("tools") and not reply.refusal:
        content = [{"type": "tool_use", "name": "give_verdict", "input": dict(reply.text)}]
    ended = "refusal" if reply.refusal or reply.filtered else "max_tokens" if reply.cut else "end_turn"
    usage = {"input_tokens": reply.input_tokens, "output_tokens": reply.output_tokens}
    return {"model": snapshot, "content": content, "stop_reason": ended, "usage": usage}


_RESPONSES = {"openai": _chat, "responses": _responses, "gemini": _gemini, "anthropic": _anthropic}


def main() -> None:
    """Serve agreeable verdicts until interrupted."""
    parser = argparse.ArgumentParser(description="A judge on loopback that finds everything perfect.")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--latency", type=float, default=0.2, help="seconds before each reply")
    arguments = parser.parse_args()
    server = JudgeServer(latency=arguments.latency, port=arguments.port, keep=False)

    def announce() -> None:
        server.ready.wait()
        print(server.url, flush=True)

    threading.Thread(target=announce, daemon=True).start()
    try:
        server.serve()
    except KeyboardInterrupt:
        return


if __name__ == "__main__":
    main()
