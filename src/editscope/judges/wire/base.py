"""Base class of wire formats: a call becomes the bytes of a request, and a response becomes an answer."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal

from editscope.judges.records import Call, Picture, Schema

Mode = Literal["schema", "object", "off"]
MODES: tuple[Mode, ...] = ("schema", "object", "off")
"""How a reply is held to its shape: by a JSON schema, by "some JSON object", or by the prompt alone."""


@dataclass(frozen=True, slots=True)
class JudgeSettings:
    """What is asked of a hosted model besides the call itself. None: not sent, so that the server decides.

    Where ``temperature`` or ``detail`` is None, what the call asks for is sent, and left out where a server objects.
    """

    model: str
    base_url: str
    json: Mode = "schema"
    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None
    max_tokens: int | None = None
    detail: str | None = None
    effort: str | None = None


@dataclass(frozen=True, slots=True)
class Manner:
    """How a server wants to be talked to; it starts as the settings say and gives way where the server objects."""

    json: Mode = "schema"
    temperature: bool = True
    detail: bool = True
    seed: bool = True
    new_limit_name: bool = False
    """Chat completions: the limit of tokens is called ``max_completion_tokens``, not ``max_tokens``."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a server answered: the text, or why there is none, and what it reported about the model and the cost."""

    text: str = ""
    snapshot: str = ""
    input_tokens: int | None = None
    """None where the server reported none, or nonsense."""
    output_tokens: int | None = None
    refused: str = ""
    """Why the model or a filter before it would not answer; "" where it did."""
    cut: bool = False
    """Whether the reply stopped at the limit of tokens."""


class Wire(ABC):
    """One wire format. It holds no state: the same instance serves every judge of its kind."""

    kind: str
    home: str
    key_env: str
    needs_key: bool = True

    @abstractmethod
    def url(self, settings: JudgeSettings) -> str:
        """Where requests go."""

    @abstractmethod
    def check_url(self, settings: JudgeSettings) -> str:
        """Where one can ask, free of charge, whether the key and the model are known."""

    @abstractmethod
    def headers(self, key: str) -> dict[str, str]:
        """The headers that carry the key; nothing else ever does."""

    @abstractmethod
    def body(self, call: Call, settings: JudgeSettings, manner: Manner, seed: int | None) -> bytes:
        """The request. Pictures go in as the base64 that they already have."""

    @abstractmethod
    def read(self, data: Any) -> Answer:
        """The answer in a decoded response; NotAnAnswer (or a KeyError, TypeError …) where it is none."""

    def known(self, data: Any, settings: JudgeSettings) -> bool:
        """Whether the response from ``check_url`` shows that the model is there."""
        return True

    def gives_way(self, message: str, manner: Manner, settings: JudgeSettings) -> Manner | None:
        """The manner to try after the server objected with this message to a request (400 or 422); None: give up."""
        return gentler(message, manner, settings)


def gentler(message: str, manner: Manner, settings: JudgeSettings) -> Manner | None:
    """One step back from what a server says it does not take; only from what the user did not ask for by name.

    >>> asked = JudgeSettings("m", "http://127.0.0.1")
    >>> gentler("response_format json_schema is not supported", Manner(), asked).json
    'object'
    >>> gentler("Unsupported value: 'temperature' does not support 0", Manner(), asked).temperature
    False
    >>> gentler("image too large", Manner(), asked) is None
    True
    """
    text = message.lower()
    if "max_completion_tokens" in text and not manner.new_limit_name:
        return replace(manner, new_limit_name=True)
    if "temperature" in text and settings.temperature is None and manner.temperature:
        return replace(manner, temperature=False)
    if re.search(r"\bdetail\b", text) and settings.detail is None and manner.detail:
        return replace(manner, detail=False)
    if manner.json != "off" and any(word in text for word in SCHEMA_WORDS):
        return replace(manner, json=MODES[MODES.index(manner.json) + 1])
    return None


SCHEMA_WORDS = (
    *("response_format", "json_schema", "text.format", "responseschema", "response_schema", "responsemimetype"),
    *("json mode", "structured output", "guided", "tool_choice", "input_schema", "additionalproperties"),
)
"""What a server's objection to structured output mentions."""


def data_url(picture: Picture) -> bytes:
    """The picture as a data URL. Base64 and MIME types need no escaping in JSON."""
    return b"data:" + picture.mime.encode() + b";base64," + picture.base64


@lru_cache(maxsize=256)
def reply_schema(schema: Schema) -> dict[str, Any]:
    """The JSON schema of a reply, made once for each shape."""
    from editscope.judges.replies import json_schema

    return json_schema(schema)


def temperature_of(call: Call, settings: JudgeSettings, manner: Manner) -> float | None:
    """The temperature that is sent: the user's, else the call's, else none where the server takes none."""
    if settings.temperature is not None:
        return settings.temperature
    return call.temperature if manner.temperature else None


def detail_of(call: Call, settings: JudgeSettings, manner: Manner) -> str | None:
    """The ``detail`` of pictures that is sent, in OpenAI's formats: the user's, else the call's."""
    return settings.detail or (call.detail if manner.detail else "") or None
