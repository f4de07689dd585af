"""Files of trainings are read and written as UTF-8, whatever the locale says."""

from __future__ import annotations

import ast
from pathlib import Path

import editscope

SOURCES = [
    path
    for folder in ("training", "factory", "cli/training", "cli/factory")
    for path in sorted((Path(editscope.__file__).parent / folder).rglob("*.py"))
]


def without_encoding(path: Path) -> list[int]:
    """The lines that read or write a text in the encoding of the locale."""
    calls = (node for node in ast.walk(ast.parse(path.read_bytes())) if isinstance(node, ast.Call))
    return [
        call.lineno
        for call in calls
        if isinstance(call.func, ast.Attribute)
        and call.func.attr in ("read_text", "write_text")
        and "encoding" not in {keyword.arg for keyword in call.keywords}
    ]


def test_texts_have_an_encoding() -> None:
    assert {str(path): lines for path in SOURCES if (lines := without_encoding(path))} == {}
