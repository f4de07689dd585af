"""Gemini's own API, generateContent."""

from __future__ import annotations

from typing import Any

from editscope.judges.records import Call, Picture
from editscope.judges.wire.base import Answer, JudgeSettings, Manner, Wire, reply_schema, temperature_of
from editscope.transport.messages import NotAnAnswer, closing_fields, dumps, joined, reported_tokens

REFUSING = frozenset({"SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY"})
"""The reasons for which Gemini ends a reply that nobody gets to see."""

KEPT = ("type", "enum", "minimum", "maximum", "description", "required", "properties", "items")
"""What of JSON schema ``responseSchema`` knows."""


class Gemini(Wire):
    """``POST {base_url}/models/{model}:generateContent``; the key goes in a header, never in the address."""

    kind = "gemini"
    home = "https://generativelanguage.googleapis.com/v1beta"
    key_env = "GEMINI_API_KEY"

    def url(self, settings: JudgeSettings) -> str:
        """Where requests go."""
        return f"{self.check_url(settings)}:generateContent"

    def check_url(self, settings: JudgeSettings) -> str:
        """The description of the model."""
        return f"{settings.base_url}/models/{settings.model.removeprefix('models/')}"

    def headers(self, key: str) -> dict[str, str]:
        """Google's key header."""
        return {"x-goog-api-key": key} if key else {}

    def body(self, call: Call, settings: JudgeSettings, manner: Manner, seed: int | None) -> bytes:
        """One content of texts and inline pictures in order."""
        generation: dict[str, Any] = {
            "temperature": temperature_of(call, settings, manner),
            "topP": settings.top_p,
            "seed": seed,
            "maxOutputTokens": settings.max_tokens,
            "mediaResolution": f"MEDIA_RESOLUTION_{settings.detail.upper()}" if settings.detail else None,
            "responseMimeType": None if manner.json == "off" else "application/json",
            "responseSchema": _plain(reply_schema(call.schema)) if manner.json == "schema" else None,
        }
        fields = {
            "systemInstruction": {"parts": [{"text": call.system}]} if call.system else None,
            "generationConfig": {name: value for name, value in generation.items() if value is not None},
        }
        before = b'{"contents":[{"role":"user","parts":['
        return joined((_part(part) for part in call.parts), before, b"]}]" + closing_fields(fields))

    def read(self, data: Any) -> Answer:
        """The first candidate's texts, its thoughts left out; a block of the prompt or of the reply is a refusal."""
        usage = data.get("usageMetadata")
        blocked = str((data.get("promptFeedback") or {}).get("blockReason") or "")
        candidate: dict[str, Any] = {} if blocked else data["candidates"][0]
        ended = str(candidate.get("finishReason") or "")
        parts = (candidate.get("content") or {}).get("parts") or ()
        text = "".join(str(part.get("text") or "") for part in parts if not part.get("thought"))
        refused = blocked or (ended if ended in REFUSING else "")
        if not text and not refused and ended not in ("STOP", "MAX_TOKENS"):
            raise NotAnAnswer(f"the reply is empty ({ended or 'no reason given'})")
        return Answer(
            text=text,
            snapshot=str(data.get("modelVersion") or ""),
            input_tokens=reported_tokens(usage, "promptTokenCount"),
            output_tokens=reported_tokens(usage, "candidatesTokenCount", "thoughtsTokenCount"),
            refused=refused,
            cut=ended == "MAX_TOKENS",
        )


def _part(part: str | Picture) -> bytes:
    if isinstance(part, str):
        return b'{"text":' + dumps(part) + b"}"
    return b'{"inlineData":{"mimeType":' + dumps(part.mime) + b',"data":"' + part.base64 + b'"}}'


def _plain(schema: dict[str, Any]) -> dict[str, Any]:
    """A JSON schema with what Gemini's dialect knows, fields in the order in which they are to be written."""
    plain = {name: value for name, value in schema.items() if name in KEPT}
    if "properties" in plain:
        plain["properties"] = {name: _plain(field) for name, field in plain["properties"].items()}
        plain["propertyOrdering"] = list(plain["properties"])
    if plain.get("type") == "integer" and (allowed := plain.pop("enum", None)):  # the dialect has enums of texts only
        plain |= {"minimum": min(allowed), "maximum": max(allowed)}
    return plain
