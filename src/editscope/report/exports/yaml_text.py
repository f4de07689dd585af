"""YAML as we write it: block lists and mappings, every text in double quotes."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z_-]*")
_WORDS = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null"})
"""Keys that some readers take for something else than a text."""


def as_yaml(value: Any, indent: int = 0) -> str:
    """Mappings, lists and scalars as a YAML text, which ends with a new line.

    >>> print(as_yaml({"model-index": [{"name": "a: b", "results": [], "value": 1.5}]}), end="")
    model-index:
    - name: "a: b"
      results: []
      value: 1.5
    """
    return "".join(f"{line}\n" for line in _lines(value, indent))


def _lines(value: Any, indent: int) -> list[str]:
    pad = " " * indent
    if isinstance(value, Mapping) and value:
        lines = []
        for key, inner in value.items():
            name = key if _PLAIN.fullmatch(key) and key.lower() not in _WORDS else _scalar(key)
            if _nested(inner):
                deeper = indent if isinstance(inner, Sequence) else indent + 2
                lines += [f"{pad}{name}:", *_lines(inner, deeper)]
            else:
                lines.append(f"{pad}{name}: {_scalar(inner)}")
        return lines
    if isinstance(value, Sequence) and not isinstance(value, str) and value:
        lines = []
        for inner in value:
            if _nested(inner):
                first, *rest = _lines(inner, indent + 2)
                lines += [f"{pad}- {first.lstrip(' ')}", *rest]
            else:
                lines.append(f"{pad}- {_scalar(inner)}")
        return lines
    return [f"{pad}{_scalar(value)}"]


def _nested(value: Any) -> bool:
    return isinstance(value, Mapping | Sequence) and not isinstance(value, str) and bool(value)


def _scalar(value: Any) -> str:
    """A scalar, or an empty list or mapping. JSON is YAML, but for two line breaks and DEL, which it leaves as are."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return re.sub("[\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff]", lambda match: f"\\u{ord(match[0]):04x}", text)
