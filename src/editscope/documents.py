"""JSON and TOML from outside, read strictly: no key twice, no nesting without end."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from json.decoder import JSONObject  # type: ignore[attr-defined]
from json.scanner import py_make_scanner  # type: ignore[attr-defined]
from typing import Any

DEEPEST = 64
"""Levels of lists and objects inside each other; no data has as many, and what walks through them stays safe."""

_SHOWN = 60
_NAME = r"""(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')"""
_DOTTED = re.compile(rf"(?<![\w-]){_NAME}(?:[ \t]*+\.[ \t]*+{_NAME}){{{DEEPEST}}}")
"""More names than DEEPEST, joined by dots."""


class Malformed(ValueError):
    """A text that is not usable JSON or TOML; the message says why, for a sentence that names the file."""


class Twice(Malformed):
    """A key that stands twice in one object, so that nobody can say which value was meant."""

    def __init__(self, key: str, line: int | None = None) -> None:
        self.key = key
        shown = key if len(key) <= _SHOWN else key[:_SHOWN] + "…"
        where = "one object" if line is None else f"the object that begins at line {line}"
        super().__init__(f"the key {shown!r} stands twice in {where}")


def read_json(text: str | bytes) -> Any:
    """The value of a JSON text; Malformed, in a few words, where it is none that can be trusted.

    >>> read_json('{"a": [1, 2]}')
    {'a': [1, 2]}
    >>> read_json('{"a": 1, "a": 2}')
    Traceback (most recent call last):
    editscope.documents.Twice: the key 'a' stands twice in the object that begins at line 1
    >>> read_json("[" * 100_000)
    Traceback (most recent call last):
    editscope.documents.Malformed: it is nested more than 64 levels deep
    """
    try:
        value = json.loads(text, object_pairs_hook=unique)
    except Twice as error:
        decoded = text if isinstance(text, str) else text.decode(json.detect_encoding(text), "replace")
        raise Twice(error.key, _line_of_repeated(decoded)) from None
    except RecursionError:
        raise _too_deep() from None
    except UnicodeDecodeError as error:
        raise Malformed(f"byte {error.start} is not UTF-8") from None
    except ValueError as error:
        raise Malformed(str(error)) from None
    if _brackets(text) > DEEPEST:  # with fewer, nothing can be nested so deep
        check_depth(value)
    return value


def read_toml(text: str) -> dict[str, Any]:
    """The tables of a TOML text; Malformed where it is none, or is nested without end. (TOML knows no key twice.)

    >>> read_toml("a = 1")
    {'a': 1}
    """
    if _DOTTED.search(text):  # the parser takes time and memory with the square of a key's length
        raise _too_deep()
    try:
        value = tomllib.loads(text)
    except RecursionError:
        raise _too_deep() from None
    except ValueError as error:  # also for whole numbers of thousands of digits
        raise Malformed(str(error)) from None
    check_depth(value)
    return value


def toml_value(value: Any) -> str:
    """A value as TOML writes it.

    >>> toml_value(True), toml_value(0.5), toml_value(["a", 2]), toml_value({"a b": 1})
    ('true', '0.5', '["a", 2]', '{ "a b" = 1 }')
    >>> toml_value("ü\\n")
    '"ü\\\\n"'
    """
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(toml_value, value))}]"
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{json.dumps(str(name))} = {toml_value(one)}' for name, one in value.items())} }}"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return json.dumps(value)


def toml_text(tables: Mapping[str, Any]) -> str:
    """Tables as a TOML file; entries that are None are left out.

    >>> print(toml_text({"name": "mine", "model": {"rank": 4, "device": None}}), end="")
    "name" = "mine"
    <BLANKLINE>
    ["model"]
    "rank" = 4
    """
    plain = {name: value for name, value in tables.items() if value is not None and not isinstance(value, Mapping)}
    lines = [f"{json.dumps(name)} = {toml_value(value)}" for name, value in plain.items()]
    for name, table in tables.items():
        if isinstance(table, Mapping):
            entries = {one: value for one, value in table.items() if value is not None}
            lines += ["", f"[{json.dumps(name)}]"]
            lines += [f"{json.dumps(one)} = {toml_value(value)}" for one, value in entries.items()]
    return "\n".join(lines) + "\n"


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The members of a JSON object; Twice where two have the same name. For ``json.loads(object_pairs_hook=…)``."""
    members = dict(pairs)
    if len(members) < len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise Twice(key)
            seen.add(key)
    return members


def check_depth(value: Any) -> None:
    """Malformed where lists and objects lie more than DEEPEST levels inside each other."""
    level = _containers([value])
    for _ in range(DEEPEST):
        level = [inner for one in level for inner in _containers(one.values() if isinstance(one, dict) else one)]
        if not level:
            return
    raise _too_deep()


def _brackets(text: str | bytes) -> int:
    if isinstance(text, str):
        return text.count("[") + text.count("{")
    return text.count(b"[") + text.count(b"{")


def _containers(values: Iterable[Any]) -> list[Any]:
    return [value for value in values if isinstance(value, dict | list)]


def _too_deep() -> Malformed:
    return Malformed(f"it is nested more than {DEEPEST} levels deep")


def _line_of_repeated(text: str) -> int | None:
    """The line at which the object with a repeated key begins, counted from 1; found by reading once more, slowly."""
    begins: list[int] = []

    def parse_object(s_and_end: tuple[str, int], *rest: Any) -> Any:
        begins.append(s_and_end[1] - 1)
        parsed = JSONObject(s_and_end, *rest)
        begins.pop()
        return parsed

    decoder: Any = json.JSONDecoder(object_pairs_hook=unique)
    decoder.parse_object = parse_object
    decoder.scan_once = py_make_scanner(decoder)
    try:
        decoder.decode(text)
    except Twice:
        return text.count("\n", 0, begins[-1]) + 1
    except (ValueError, RecursionError):
        pass
    return None
