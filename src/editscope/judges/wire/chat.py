"""OpenAI's chat completions, the format that vLLM, Qwen, Gemini's compatible endpoint and many others speak too."""

from __future__ import annotations

from typing import Any

from editscope.judges.records import Call, Picture
from editscope.judges.wire.base import (
    Answer,
    JudgeSettings,
    Manner,
    Wire,
    data_url,
    detail_of,
    reply_schema,
    temperature_of,
)
from editscope.transport.keys import bearer
from editscope.transport.messages import NotAnAnswer, closing_fields, dumps, joined, reported_tokens


class Chat(Wire):
    """``POST {base_url}/chat/completions``."""

    kind = "openai"
    home = "https://api.openai.com/v1"
    key_env = "OPENAI_API_KEY"

    def url(self, settings: JudgeSettings) -> str:
        """Where requests go."""
        return f"{settings.base_url}/chat/completions"

    def check_url(self, settings: JudgeSettings) -> str:
        """The list of models; most compatible servers have it."""
        return f"{settings.base_url}/models"

    def headers(self, key: str) -> dict[str, str]:
        """A bearer token; none for a server that wants none."""
        return bearer(key)

    def known(self, data: Any, settings: JudgeSettings) -> bool:
        """Whether the model is listed; Google's compatible endpoint lists it with a prefix."""
        names = {str(model["id"]).removeprefix("models/") for model in data["data"]}
        return settings.model.removeprefix("models/") in names

    def body(self, call: Call, settings: JudgeSettings, manner: Manner, seed: int | None) -> bytes:
        """System message (where there is one) and one user message of texts and pictures in order."""
        system = b'{"role":"system","content":' + dumps(call.system) + b"}," if call.system else b""
        limit = "max_completion_tokens" if manner.new_limit_name else "max_tokens"
        fields = {
            "model": settings.model,
            "temperature": temperature_of(call, settings, manner),
            "top_p": settings.top_p,
            "seed": seed,
            limit: settings.max_tokens,
            "reasoning_effort": settings.effort,
            "response_format": _response_format(call, manner),
        }
        detail = detail_of(call, settings, manner)
        before = b'{"messages":[' + system + b'{"role":"user","content":['
        return joined((_part(part, detail) for part in call.parts), before, b"]}]" + closing_fields(fields))

    def read(self, data: Any) -> Answer:
        """The first choice: its text, or its refusal."""
        choice = data["choices"][0]
        message, ended = choice["message"], choice.get("finish_reason")
        refused = message.get("refusal") or ("content filter" if ended == "content_filter" else "")
        text = _text(message.get("content"))
        if not text and not refused and ended not in ("stop", "length"):
            raise NotAnAnswer("the reply is empty")
        usage = data.get("usage")
        return Answer(
            text=text,
            snapshot=str(data.get("model") or ""),
            input_tokens=reported_tokens(usage, "prompt_tokens"),
            output_tokens=reported_tokens(usage, "completion_tokens"),
            refused=str(refused),
            cut=ended == "length",
        )


def _part(part: str | Picture, detail: str | None) -> bytes:
    if isinstance(part, str):
        return b'{"type":"text","text":' + dumps(part) + b"}"
    ending = b'","detail":' + dumps(detail) + b"}}" if detail else b'"}}'
    return b'{"type":"image_url","image_url":{"url":"' + data_url(part) + ending


def _response_format(call: Call, manner: Manner) -> dict[str, Any] | None:
    if manner.json == "schema":
        shape = {"name": "verdict", "strict": True, "schema": reply_schema(call.schema)}
        return {"type": "json_schema", "json_schema": shape}
    return {"type": "json_object"} if manner.json == "object" else None


def _text(content: Any) -> str:
    """Content is a text, or (some compatible servers) a list of parts with texts."""
    if isinstance(content, list):
        return "".join(str(part.get("text") or "") for part in content)
    return str(content or "")
