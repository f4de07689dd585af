"""Tables of names, each with a sentence that says what it means."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from editscope.suites.datafolder.rows import Flaw, kind, tag_name


def toml_kind(value: Any) -> str:
    """What a value from TOML is, in words that follow "a".

    >>> toml_kind({}), toml_kind([1]), toml_kind(1.5)
    ('table', 'list', 'number')
    """
    return "table" if isinstance(value, dict) else kind(value)


def named_sentences(
    contents: Iterable[tuple[Path, Mapping[str, Any]]], name: str, flaws: list[Flaw], inside: str = ""
) -> dict[str, str]:
    """The names of a table of all files, or of a table ``inside`` it; later files add to earlier ones.

    >>> flaws = []
    >>> named_sentences([(Path("a.toml"), {"modes": {"time": "Days pass.", "heat": ""}})], "modes", flaws)
    {'time': 'Days pass.'}
    >>> str(flaws[0])
    "a.toml modes: 'heat' has no sentence that says what it means; write one"
    """
    kept: dict[str, str] = {}
    title = f"{name}.{inside}" if inside else name
    for file, content in contents:
        given = content.get(name, {})
        if inside and isinstance(given, dict):
            given = given.get(inside, {})
        if not isinstance(given, dict):
            flaws.append(Flaw(str(file), f"[{title}] is a {toml_kind(given)}, not a table of names and sentences"))
            continue
        for key, about in given.items():
            if not isinstance(about, str) or not about.strip():
                flaws.append(Flaw(f"{file} {title}", f"{key!r} has no sentence that says what it means; write one"))
            elif tag_name(key) != key:
                flaws.append(Flaw(f"{file} {title}", f"write {key!r} as {tag_name(key)!r}"))
            elif kept.setdefault(key, about.strip()) != about.strip():
                flaws.append(Flaw(f"{file} {title}", f"{key!r} means {kept[key]!r} already; choose another name"))
    return kept
