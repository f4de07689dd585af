"""A request to a judge as a person reads it: settings, texts and pictures in order, and the reply that it asks for."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from editscope.judges.records import Call, Field, Picture, TextField
from editscope.judges.replies import asked_name
from editscope.judges.tokens import picture_size

RULE = "─" * 72


def request_text(call: Call, settings: Mapping[str, Any]) -> str:
    """One request, whole; ``settings`` is what ``judge.sends(call)`` gives. A picture is a line in brackets."""
    parts = [part if isinstance(part, str) else f"[{label}]" for label, part in labeled_parts(call)]
    system = ["system:", call.system, ""] if call.system else []
    return "\n".join([*setting_lines(call, settings), RULE, *system, "\n\n".join(parts), RULE])


def setting_lines(call: Call, settings: Mapping[str, Any]) -> list[str]:
    """The prompt, what goes with the request, and the reply that is wanted: a few lines."""
    plain = [f"{name} {value}" for name, value in settings.items() if not isinstance(value, dict | list)]
    nested = [
        f"{name} {json.dumps(value, ensure_ascii=False)}"
        for name, value in settings.items()
        if isinstance(value, dict | list)
    ]
    return [f"prompt {call.prompt} {call.prompt_hash}", *([" · ".join(plain)] if plain else []), *nested, wanted(call)]


def labeled_parts(call: Call) -> Iterator[tuple[str, str | Picture]]:
    """The parts of a call in order, each picture with its name, size and format; texts with ""."""
    labels = iter(call.labels)
    for part in call.parts:
        yield ("", part) if isinstance(part, str) else (picture_label(part, next(labels, "picture")), part)


def picture_label(picture: Picture, name: str) -> str:
    """A picture in a few words.

    >>> picture_label(Picture(b"\\x89PNG\\r\\n\\x1a\\n" + bytes(8) + bytes([0, 0, 4, 0, 0, 0, 3, 0]), "image/png"), "s")
    's 1024×768, 1 kB PNG'
    """
    width, height = picture_size(picture)
    size = f"{max(1, round(len(picture.data) / 1000)):,} kB {picture.mime.rpartition('/')[2].upper()}"
    return f"{name} {width}×{height}, {size}"


def wanted(call: Call) -> str:
    """The reply that a call asks for, in words.

    >>> from editscope.judges.records import Field, Schema
    >>> wanted(Call("k", (), Schema((Field("score", "integer", 1, 5), Field("kept", "yes_no")))))
    'reply: score, an integer from 1 to 5; kept, Yes or No; reason, a text'
    """
    fields = [f"{asked_name(one)}, {_kind(one)}" for one in call.schema.fields]
    return "reply: " + "; ".join([*fields, *([f"{call.schema.reason}, a text"] if call.schema.reason else [])])


def _kind(wanted: Field) -> str:
    if not isinstance(wanted, TextField):
        return "Yes or No" if wanted.kind == "yes_no" else f"an integer from {wanted.low} to {wanted.high}"
    if wanted.shape == "choice":
        return f"one of {', '.join(wanted.options)}"
    if wanted.shape == "text":
        return "a text"
    what = "texts" if wanted.shape == "texts" else f"entries with {' and '.join(wanted.options)}"
    return f"{wanted.low} to {wanted.high} {what}"
