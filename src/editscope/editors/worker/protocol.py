"""Protocol between a worker and us: one JSON object a line, each with a ``type``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast, get_args

from editscope.cases import Status
from editscope.outside import MOST_DOLLARS, MOST_MEGABYTES, MOST_SECONDS, measure, received, received_json

PROTOCOL = 1
STATUSES: tuple[str, ...] = get_args(Status)
MARK = '{"type"'
MOST_IN_BATCH = 4096
Message = Mapping[str, Any]


class NotOfTheProtocol(Exception):
    """A message that is one of the protocol's by its type, but not by its fields."""


@dataclass(frozen=True, slots=True)
class Ready:
    """What a worker says of itself when it can take edits."""

    name: str = ""
    max_images: int | None = None
    batch: int = 1
    model: str = ""


@dataclass(frozen=True, slots=True)
class Done:
    """What a worker says of one edit; ``image`` is the path of a file in the folder that it was given."""

    id: str
    image: str | None = None
    status: Status = "ok"
    reason: str | None = None
    trace: str | None = None
    latency_s: float | None = None
    memory_mb: float | None = None
    cost_usd: float | None = None
    model: str = ""


def written(message: Message) -> bytes:
    """A message as the line that goes through the pipe."""
    return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace") + b"\n"


def read(line: str) -> Message | None:
    """The message in a line; None where it is something else, such as what a library prints.

    A print without a line break may stand before it:

    >>> read('Loading weights... {"type": "ready"}')
    {'type': 'ready'}
    >>> read("Loading weights...") is None
    True
    """
    starts = [0] if line.lstrip().startswith("{") else []
    last = line.rfind(MARK)
    for start in (*starts, *([last] if last > 0 else [])):
        try:
            message = received_json(json.loads(line[start:]))
        except (ValueError, RecursionError):
            continue
        if isinstance(message, dict) and isinstance(message.get("type"), str):
            return message
    return None


def ready_of(message: Message) -> Ready:
    """What a ``ready`` says; NotOfTheProtocol where it speaks another version or its numbers make no sense."""
    version = message.get("protocol", PROTOCOL)
    if version != PROTOCOL:
        raise NotOfTheProtocol(f"it speaks version {version!r} of the protocol, not {PROTOCOL}")
    most, batch = message.get("max_images"), message.get("batch", 1)
    for name, value in (("max_images", most), ("batch", batch)):
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
            raise NotOfTheProtocol(f"its {name} is {value!r}, not a whole number above 0")
    return Ready(_text(message, "name") or "", most, min(batch or 1, MOST_IN_BATCH), _text(message, "model") or "")


def done_of(message: Message) -> Done:
    """What a ``done`` says; NotOfTheProtocol where it has no id or a status that nobody knows."""
    if "id" not in message:
        raise NotOfTheProtocol("it has no id")
    status = message.get("status") or "ok"
    if status not in STATUSES:
        raise NotOfTheProtocol(f"its status is {status!r}, not one of {', '.join(STATUSES)}")
    return Done(
        id=str(message["id"]),
        image=_text(message, "image"),
        status=cast("Status", status),
        reason=_text(message, "reason"),
        trace=_text(message, "trace"),
        latency_s=measure(message.get("latency_s"), MOST_SECONDS),
        memory_mb=measure(message.get("memory_mb"), MOST_MEGABYTES),
        cost_usd=measure(message.get("cost_usd"), MOST_DOLLARS),
        model=_text(message, "model") or "",
    )


def _text(message: Message, name: str) -> str | None:
    value = message.get(name)
    if value is None or value == "":
        return None
    return received(value)
