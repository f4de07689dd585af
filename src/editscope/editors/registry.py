"""Editors by spec: ``ref:NAME``, ``folder:PATH``, ``python:module:Class``, with options as ``?key=value``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from editscope.editors.base import Editor
from editscope.errors import BadInput, unknown

GROUP = "editscope.editors"
"""Other packages register a kind of editor here: a callable that takes the target and the options."""

BUILT_IN = {
    "ref": "editscope.editors.reference:load",
    "folder": "editscope.editors.folder:load",
    "python": "editscope.editors.plugin:load",
}


@dataclass(frozen=True, slots=True)
class Spec:
    """An editor spec, taken apart."""

    kind: str
    target: str
    options: Mapping[str, Any]

    def __str__(self) -> str:
        options = "&".join(f"{key}={_written(value)}" for key, value in sorted(self.options.items()))
        return f"{self.kind}:{self.target}" + (f"?{options}" if options else "")


def parse_spec(text: str) -> Spec:
    """Take an editor spec apart; numbers and true/false in options are read as such.

    >>> parse_spec("ref:noise?strength=2")
    Spec(kind='ref', target='noise', options={'strength': 2})
    """
    body, _, query = text.partition("?")
    kind, colon, target = body.partition(":")
    if not colon:
        hint = f"did you mean folder:{text}?" if Path(body).is_dir() else "such as ref:identity or folder:PATH"
        raise BadInput(f"editor {text!r} is not of the form kind:target; {hint}")
    if not target:
        raise BadInput(f"editor {text!r} names nothing after {kind}:, such as ref:identity or folder:PATH")
    try:
        pairs = parse_qsl(query, keep_blank_values=True, strict_parsing=True) if query else []
    except ValueError:
        raise BadInput(f"the options of editor {text!r} are not of the form ?key=value&key2=value2") from None
    return Spec(kind, target, {key: _read(value) for key, value in pairs})


def editor_kinds() -> tuple[str, ...]:
    """The kinds of editors that are installed."""
    return tuple(sorted({*BUILT_IN, *(point.name for point in entry_points(group=GROUP))}))


def load_editor(text: str) -> Editor:
    """The editor that a spec names, constructed but not loaded."""
    spec = parse_spec(text)
    editor = _loader(spec.kind)(spec.target, **spec.options)
    if not isinstance(editor, Editor):
        raise BadInput(f"editor {text!r} gave a {type(editor).__name__}, not an editscope.Editor")
    return editor


def _loader(kind: str) -> Callable[..., Any]:
    if kind in BUILT_IN:
        module, _, function = BUILT_IN[kind].partition(":")
        return getattr(import_module(module), function)  # type: ignore[no-any-return]
    points = {point.name: point for point in entry_points(group=GROUP)}
    if kind not in points:
        raise unknown("kind of editor", kind, editor_kinds())
    try:
        return points[kind].load()  # type: ignore[no-any-return]
    except Exception as error:
        raise BadInput(
            f"editors of kind {kind!r} are registered as {points[kind].value} but cannot be imported "
            f"({type(error).__name__}: {error}); install or remove that package"
        ) from error


def _read(value: str) -> Any:
    if value.lower() in ("true", "false"):
        return value.lower() == "true"
    for number in (int, float):
        try:
            return number(value)
        except ValueError:
            continue
    return value


def _written(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
