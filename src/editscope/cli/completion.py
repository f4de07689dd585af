"""Completion in the shell: suites and their flags, editors and judges, told at once and without loading anything."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

VARIABLE = "_EDITSCOPE_COMPLETE"
REFERENCES = (
    "blur",
    "consequences",
    "cropped",
    "cutout",
    "drift",
    "faint",
    "gain",
    "half",
    "identity",
    "jpeg",
    "noise",
    "oracle",
    "resized",
    "shift",
    "shifted_shadow",
    "unrelated",
)
EDITORS = ("ark", "bfl", "chat", "diffusers", "folder", "gemini", "openai", "python", "ref", "small", "worker")
JUDGES = ("anthropic", "gemini", "local", "openai", "python", "responses")
TARGETS = {"folder": "PATH", "diffusers": "DIR", "local": "DIR", "python": "module:Class", "worker": "COMMAND"}
"""What stands after the colon of a spec, as a reminder; a model where nothing else is given."""
WHOLE = ("ref", "small")
"""Kinds that are completed as whole specs."""

_typed = ""
"""What of the word to complete stands before its last colon, where the shell has taken it apart."""


def suites(incomplete: str) -> list[str]:
    """Names of the installed suites."""
    from importlib.metadata import entry_points

    names = sorted(entry_points(group="editscope.suites").names - {"own"})
    return [name for name in names if name.startswith(incomplete)]


def suite_flags(words: Sequence[str], incomplete: str) -> list[tuple[str, str]]:
    """Flags of the first suite that is named among some words, each with its help."""
    from importlib.metadata import entry_points

    points = {point.name: point.module for point in entry_points(group="editscope.suites")}
    named = next((points[name] for word in words if (name := word.partition("?")[0]) in points), None)
    flags = [] if named is None else _declared(named)
    return [(flag, text) for flag, text in flags if flag.startswith(incomplete)]


def _declared(module: str) -> list[tuple[str, str]]:
    """The options that the file of a benchmark declares, or the OPTIONS that it takes from another file.

    Files are read and not run: importing them takes longer than all else.
    """
    import ast
    from importlib.util import find_spec

    top, *rest = module.split(".")
    spec = find_spec(top)
    if spec is None or spec.origin is None:
        return []
    place = Path(spec.origin).parent.joinpath(*rest) if rest else Path(spec.origin)
    file = next((file for file in (place, place / "__init__.py", place.with_suffix(".py")) if file.is_file()), None)
    try:
        tree = ast.parse(file.read_bytes()) if file is not None else ast.Module([], [])
    except (OSError, SyntaxError, ValueError):  # whoever runs it says what is wrong
        return []
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    texts = [
        [value.value for value in call.args if isinstance(value, ast.Constant) and isinstance(value.value, str)]
        for call in calls
        if getattr(call.func, "id", getattr(call.func, "attr", "")) == "Option"
    ]
    flags = [(f"--{given[0].replace('_', '-')}", given[1]) for given in texts if len(given) > 1]
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and "OPTIONS" in [name.name for name in node.names]:
            flags += _declared(node.module)
    return flags


def editors(incomplete: str) -> list[str]:
    """Specs of editors: every reference editor, and how the other kinds begin."""
    return _matching(
        [f"ref:{name}" for name in REFERENCES] + _beginnings(EDITORS) + ["small", "http://", "https://"], incomplete
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


def words_before() -> list[str]:
    """The words of the line to complete that stand before the last one, without the name of the program."""
    if "COMP_WORDS" in os.environ:
        return os.environ["COMP_WORDS"].split("\n")[1 : int(os.environ.get("COMP_CWORD", "0"))]
    line = os.environ.get("_TYPER_COMPLETE_ARGS", "")
    words = line.split()
    return words[1:] if line[-1:].isspace() else words[1:-1]


def _beginnings(kinds: tuple[str, ...]) -> list[str]:
    """``kind:`` and ``kind:MODEL`` for each kind: with two of them the shell adds no space after the colon."""
    return [f"{kind}:{target}" for kind in kinds if kind not in WHOLE for target in ("", TARGETS.get(kind, "MODEL"))]


def _matching(specs: list[str], incomplete: str) -> list[str]:
    """The specs that begin with what was typed, without what stands before the colon where the shell cut there."""
    found = [spec.removeprefix(_typed) for spec in specs if spec.startswith(_typed + incomplete)]
    reminders = set(TARGETS.values()) | {"MODEL", ""}
    return [spec for spec in found if spec not in reminders] if _typed else found
