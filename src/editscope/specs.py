"""Specs: the grammar ``kind:target?key=value&key2=value2`` by which judges, editors and others are named."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any
from urllib.parse import quote, unquote

from editscope.errors import BadInput

_INTEGER = re.compile(r"-?(0|[1-9][0-9]*)\Z")
_FLOAT = re.compile(r"-?([0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))([eE][+-]?[0-9]+)?\Z")


@dataclass(frozen=True, slots=True)
class Spec:
    """A spec, taken apart; options are still texts."""

    kind: str
    target: str
    options: Mapping[str, Any]

    def __str__(self) -> str:
        options = sorted((quote(name, safe=""), quote(str(value), safe=":/,")) for name, value in self.options.items())
        query = "&".join(f"{name}={value}" for name, value in options)
        return f"{self.kind}:{self.target}" + (f"?{query}" if query else "")


def split_spec(text: str) -> tuple[str, str | None, str]:
    """Kind, target and query of a spec, none of them decoded; the target is None where there is no colon.

    >>> split_spec("openai:gpt-4o?temperature=0"), split_spec("openai")
    (('openai', 'gpt-4o', 'temperature=0'), ('openai', None, ''))
    """
    body, _, query = text.partition("?")
    kind, colon, target = body.partition(":")
    return kind, target if colon else None, query


def split_options(
    what: str, query: str, mark: str = "?", hint: str = "", twice: str = "; set it once"
) -> dict[str, str]:
    """The options of a query by name, values as they are written: %26, %3D … stand for signs that would end one.

    ``what`` names the spec in messages, ``mark`` is the sign before its options; ``hint`` and ``twice`` end the
    sentences about a malformed and a repeated option. Values are never repeated: one of them may be a key.

    >>> split_options("judge 'openai:gpt-4o'", "seed=7&json=off")
    {'seed': '7', 'json': 'off'}
    """
    options: dict[str, str] = {}
    for pair in query.split("&") if query else ():
        name, equals, value = pair.partition("=")
        name = unquote(name)
        if not equals or not name:
            raise BadInput(f"the options of {what} are not of the form {mark}key=value&key2=value2{hint}")
        if name in options:
            raise BadInput(f"{what} has the option {name!r} twice{twice}")
        options[name] = value
    return options


def read_options(what: str, query: str) -> dict[str, Any]:
    """The options of a query with their values read: numbers, true and false, texts.

    >>> read_options("metric python:m:C", "sigma=1.5&mode=a%26b")
    {'sigma': 1.5, 'mode': 'a&b'}
    """
    return {name: read_option(value) for name, value in split_options(what, query).items()}


def read_value(value: str) -> Any:
    """The value that a text stands for: true and false, whole and decimal numbers, else the text.

    >>> [read_value(text) for text in ("true", "40", "1e-4", "007", "row", "nan")]
    [True, 40, 0.0001, '007', 'row', 'nan']
    """
    if value.lower() in ("true", "false"):
        return value.lower() == "true"
    if _INTEGER.match(value) and len(value) < 40:
        return int(value)
    if _FLOAT.match(value) and isfinite(float(value)):
        return float(value)
    return value


def read_option(value: str) -> Any:
    """The value of an option as it is written in a query; one with a % in it is always a text.

    >>> read_option("40"), read_option("%340"), read_option("a%26b")
    (40, '40', 'a&b')
    """
    return read_value(value) if "%" not in value else unquote(value)


def write_option(value: Any) -> str:
    """A value as ``read_option`` reads it back.

    >>> write_option(40), write_option("40"), write_option("a&b"), write_option(True)
    ('40', '%340', 'a%26b', 'true')
    """
    if not isinstance(value, str):
        return str(value).lower() if isinstance(value, bool) else str(value)
    if value and not isinstance(read_value(value), str):
        return f"%{ord(value[0]):02X}{escaped(value[1:])}"
    return escaped(value)


def escaped(text: str, also: str = "") -> str:
    """A text with percent signs for what would end an option, for spaces, and for the signs of ``also``."""
    return "".join(quote(sign, safe="") if sign in f"%&#{also}" or sign.isspace() else sign for sign in text)
