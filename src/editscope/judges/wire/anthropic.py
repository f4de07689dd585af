"""Anthropic's messages API."""

from __future__ import annotations

from typing import Any

from editscope.judges.records import Call, Picture
from editscope.judges.wire.base import Answer, JudgeSettings, Manner, Wire, reply_schema, temperature_of
from editscope.transport.messages import NotAnAnswer, closing_fields, dumps, joined, reported_tokens

VERSION = "2023-06-01"
TOKENS = 1024
"""The limit of tokens where the user gives none; the API wants one."""


class Anthropic(Wire):
    """``POST {base_url}/messages``; the schema is the input of a tool that the model has to use."""

    kind = "anthropic"
    home = "https://api.anthropic.com/v1"
    key_env = "ANTHROPIC_API_KEY"

    def url(self, settings: JudgeSettings) -> str:
        """Where requests go."""
        return f"{settings.base_url}/messages"

    def check_url(self, settings: JudgeSettings) -> str:
        """The description of the model."""
        return f"{settings.base_url}/models/{settings.model}"

    def headers(self, key: str) -> dict[str, str]:
        """Key and version of the API."""
        return {"anthropic-version": VERSION, **({"x-api-key": key} if key else {})}

    def body(self, call: Call, settings: JudgeSettings, manner: Manner, seed: int | None) -> bytes:
        """One user message of texts and pictures in order. There is no seed, and no "some JSON object"."""
        forced = manner.json == "schema"
        tool = {
            "name": "give_verdict",
            "description": "Hands in the verdict. Always used, exactly once.",
            "input_schema": reply_schema(call.schema) if forced else None,
        }
        fields = {
            "model": settings.model,
            "max_tokens": settings.max_tokens or TOKENS,
            "temperature": temperature_of(call, settings, manner),
            "top_p": settings.top_p,
            "system": call.system or None,
            "tools": [tool] if forced else None,
            "tool_choice": {"type": "tool", "name": tool["name"]} if forced else None,
        }
        before = b'{"messages":[{"role":"user","content":['
        return joined((_part(part) for part in call.parts), before, b"]}]" + closing_fields(fields))

    def read(self, data: Any) -> Answer:
        """The tool's input as JSON where the tool was used (two uses: two objects, so no verdict), else the texts."""
        ended = data.get("stop_reason")
        used = [block["input"] for block in data["content"] if block.get("type") == "tool_use"]
        texts = "".join(str(block.get("text") or "") for block in data["content"] if block.get("type") == "text")
        text = "\n".join(dumps(given).decode() for given in used) if used else texts
        refused = (texts or "refused") if ended == "refusal" else ""
        if not text and not refused and ended not in ("end_turn", "max_tokens"):
            raise NotAnAnswer("the reply is empty")
        usage = data.get("usage")
        read = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
        return Answer(
            text=text,
            snapshot=str(data.get("model") or ""),
            input_tokens=reported_tokens(usage, *read),
            output_tokens=reported_tokens(usage, "output_tokens"),
            refused=refused,
            cut=ended == "max_tokens",
        )


def _part(part: str | Picture) -> bytes:
    if isinstance(part, str):
        return b'{"type":"text","text":' + dumps(part) + b"}"
    before = b'{"type":"image","source":{"type":"base64","media_type":' + dumps(part.mime) + b',"data":"'
    return before + part.base64 + b'"}}'
