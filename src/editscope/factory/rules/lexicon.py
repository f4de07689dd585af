"""Lists of words and phrases, by name, from ``lexicon.toml``."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files

from editscope.suites.annotation.questions.english import matching


def listed(name: str, text: str) -> str | None:
    """The first words of a text, quotations aside, that a list has; None where it has none.

    >>> listed("law_names", "The spoon moves and shows strong refraction."), listed("law_names", "The spoon warps.")
    ('refraction', None)
    """
    return matching(pattern(name), text)


@cache
def pattern(name: str) -> re.Pattern[str]:
    """The entries of a list as one pattern; ``*`` stands for any ending, and a hyphen also for a space."""
    return re.compile(rf"\b(?:{'|'.join(map(_entry, entries(name)))})(?![\w])", re.IGNORECASE)


@cache
def entries(name: str) -> tuple[str, ...]:
    """The entries of a list, the longest first."""
    found = {entry.strip() for entry in re.split(r"[,\n]", _lists()[name])} - {""}
    return tuple(sorted(found, key=lambda entry: (-len(entry), entry)))


@cache
def _lists() -> dict[str, str]:
    text = (files("editscope.factory.rules") / "lexicon.toml").read_text(encoding="utf-8")
    return dict(tomllib.loads(text))


def _entry(entry: str) -> str:
    return re.escape(entry).replace(r"\*", r"\w*").replace(r"\-", "[- ]?").replace(r"\ ", r"\s+")
