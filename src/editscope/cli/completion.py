"""Completion in the shell: names of suites, editors and judges, told at once and without loading anything."""

from __future__ import annotations

import os

VARIABLE = "_EDITSCOPE_COMPLETE"
REFERENCES = (
    "blur",
    "cropped",
    "drift",
    "half",
    "identity",
    "jpeg",
    "noise",
    "oracle",
    "resized",
    "shift",
    "unrelated",
)
EDITORS = ("ark", "bfl", "chat", "diffusers", "folder", "gemini", "openai", "python", "ref", "worker")
JUDGES = ("anthropic", "gemini", "local", "openai", "python", "responses")
TARGETS = {"folder": "PATH", "diffusers": "DIR", "local": "DIR", "python": "module:Class", "worker": "COMMAND"}
"""What stands after the colon of a spec, as a reminder; a model where nothing else is given."""

_typed = ""
"""What of the word to complete stands before its last colon, where the shell has taken it apart."""


def suites(incomplete: str) -> list[str]:
    """Names of the installed suites."""
    from importlib.metadata import entry_points

    names = sorted(entry_points(group="editscope.suites").names - {"own"})
    return [name for name in names if name.startswith(incomplete)]


def editors(incomplete: str) -> list[str]:
    """Specs of editors: every reference editor, and how the other kinds begin."""
    return _matching(
        [f"ref:{name}" for name in REFERENCES] + _beginnings(EDITORS) + ["http://", "https://"], incomplete
    )


def judges(incomplete: str) -> list[str]:
    """How the specs of judges begin."""
    return _matching(_beginnings(JUDGES), incomplete)


def join_split_words() -> None:
    """Put words together again that Bash takes apart at colons, so that ``ref:dr`` is one word and not three."""
    global _typed

    if os.environ.get(VARIABLE) != "complete_bash":
        return
    words = os.environ.get("COMP_WORDS", "").split("\n")
    place = int(os.environ.get("COMP_CWORD", "0"))
    before, current = words[:place], words[place] if place < len(words) else ""
    if current == ":":
        before, current = [*before, ":"], ""
    while len(before) > 2 and before[-1] == ":":
        _typed = f"{before[-2]}:{_typed}"
        before = before[:-2]
    os.environ["COMP_WORDS"] = "\n".join([*before, current])
    os.environ["COMP_CWORD"] = str(len(before))


def _beginnings(kinds: tuple[str, ...]) -> list[str]:
    """``kind:`` and ``kind:MODEL`` for each kind: with two of them the shell adds no space after the colon."""
    return [f"{kind}:{target}" for kind in kinds if kind != "ref" for target in ("", TARGETS.get(kind, "MODEL"))]


def _matching(specs: list[str], incomplete: str) -> list[str]:
    """The specs that begin with what was typed, without what stands before the colon where the shell cut there."""
    found = [spec.removeprefix(_typed) for spec in specs if spec.startswith(_typed + incomplete)]
    reminders = set(TARGETS.values()) | {"MODEL", ""}
    return [spec for spec in found if spec not in reminders] if _typed else found
