"""OpenAI's Responses API."""

from __future__ import annotations

from typing import Any

from editscope.judges.records import Call, Picture
from editscope.judges.wire.base import Answer, JudgeSettings, Manner, data_url, detail_of, reply_schema, temperature_of
from editscope.judges.wire.chat import Chat
from editscope.transport.messages import NotAnAnswer, closing_fields, dumps, joined, reported_tokens


class Responses(Chat):
    """``POST {base_url}/responses``; key, headers and list of models are those of chat completions.

    The API takes no seed, and nothing is stored on the server (``store`` is false).
    """

    kind = "responses"

    def url(self, settings: JudgeSettings) -> str:
        """Where requests go."""
        return f"{settings.base_url}/responses"

    def body(self, call: Call, settings: JudgeSettings, manner: Manner, seed: int | None) -> bytes:
        """One user message of texts and pictures in order."""
        fields = {
            "model": settings.model,
            "store": False,
            "instructions": call.system or None,
            "temperature": temperature_of(call, settings, manner),
            "top_p": settings.top_p,
            "max_output_tokens": settings.max_tokens,
            "reasoning": {"effort": settings.effort} if settings.effort else None,
            "text": _text_format(call, manner),
        }
        detail = detail_of(call, settings, manner)
        parts = (_part(part, detail) for part in call.parts)
        return joined(parts, b'{"input":[{"role":"user","content":[', b"]}]" + closing_fields(fields))

    def read(self, data: Any) -> Answer:
        """The texts of all messages in the output; a refusal or a filter where there is one."""
        contents = [part for item in data["output"] if item.get("type") == "message" for part in item["content"]]
        text = "".join(str(part.get("text") or "") for part in contents if part.get("type") == "output_text")
        refused = "".join(str(part.get("refusal") or "") for part in contents if part.get("type") == "refusal")
        why = str((data.get("incomplete_details") or {}).get("reason") or "")
        if why == "content_filter":
            refused = refused or "content filter"
        if data.get("status") == "failed":
            raise NotAnAnswer(str((data.get("error") or {}).get("message") or "the response failed"))
        if not text and not refused and not why and data.get("status") != "completed":
            raise NotAnAnswer("the reply is empty")
        usage = data.get("usage")
        return Answer(
            text=text,
            snapshot=str(data.get("model") or ""),
            input_tokens=reported_tokens(usage, "input_tokens"),
            output_tokens=reported_tokens(usage, "output_tokens"),
            refused=refused,
            cut=why == "max_output_tokens",
        )


def _part(part: str | Picture, detail: str | None) -> bytes:
    if isinstance(part, str):
        return b'{"type":"input_text","text":' + dumps(part) + b"}"
    return b'{"type":"input_image","detail":' + dumps(detail or "auto") + b',"image_url":"' + data_url(part) + b'"}'


def _text_format(call: Call, manner: Manner) -> dict[str, Any] | None:
    if manner.json == "schema":
        shape = {"type": "json_schema", "name": "verdict", "strict": True, "schema": reply_schema(call.schema)}
        return {"format": shape}
    return {"format": {"type": "json_object"}} if manner.json == "object" else None
