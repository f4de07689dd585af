"""JSON messages to and from a service: written as bytes, read without keys, counted where they report tokens."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from editscope.outside import count, read_json


class NotAnAnswer(Exception):
    """A response with status 200 that is not what the format promises: it is asked for again."""


class NotJson(ValueError):
    """A reply that is not JSON; the text says what it is."""


def dumps(value: Any) -> bytes:
    """JSON bytes, as compact as they get."""
    import orjson

    return orjson.dumps(value)


def loads(data: bytes | str) -> Any:
    """What a server says in JSON, every text of it valid and without keys; NotJson where it is none."""
    try:
        return read_json(data)
    except ValueError as error:
        raise NotJson("something that is not JSON" if data else "nothing") from error


def joined(parts: Iterable[bytes], before: bytes, after: bytes) -> bytes:
    """A JSON array's content between what stands before and after it, copied once."""
    return b"".join((before, b",".join(parts), after))


def closing_fields(fields: Mapping[str, Any]) -> bytes:
    """The further fields of an object whose first fields are already written; None is left out.

    >>> closing_fields({"model": "m", "seed": None})
    b',"model":"m"}'
    """
    present = {name: value for name, value in fields.items() if value is not None}
    return b"," + dumps(present)[1:] if present else b"}"


def reported_tokens(usage: Any, *names: str) -> int | None:
    """The sum of the tokens that a server reports under these names; None where it reports none, or nonsense.

    The first name must be there; the others may be missing.

    >>> reported_tokens({"input_tokens": 7, "cache_read_input_tokens": 2}, "input_tokens", "cache_read_input_tokens")
    9
    >>> [reported_tokens(usage, "input_tokens") for usage in ({"input_tokens": -7}, None, {})]
    [None, None, None]
    """
    if not isinstance(usage, dict) or usage.get(names[0]) is None:
        return None
    counts = [count(usage.get(name) or 0) if name in usage else 0 for name in names]
    return None if any(value is None for value in counts) else sum(value or 0 for value in counts)
