"""Explanation of a spec before it is used: its parts, the editor that they make, and what is missing."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib import import_module
from typing import Any

from editscope.editors.base import Editor, check_editor
from editscope.editors.kinds import EditorKind, editor_kind
from editscope.editors.registry import editor_of
from editscope.editors.spec import EditorSpec, parse_spec
from editscope.errors import EditscopeError


@dataclass(frozen=True, slots=True)
class SpecPart:
    """One wrapper of a spec, or the editor in the middle."""

    kind: str
    title: str
    target: str
    args: tuple[Any, ...]
    options: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Explained:
    """A spec taken apart. ``editor`` holds nothing where it could not be made; ``missing`` then says why."""

    spec: str
    parts: tuple[SpecPart, ...]
    editor: Mapping[str, Any]
    missing: tuple[str, ...]
    remarks: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """The same as plain values."""
        parts = [{**asdict(part), "options": dict(part.options)} for part in self.parts]
        return {**{name: getattr(self, name) for name in self.__slots__}, "parts": parts}


def explain(text: str) -> Explained:
    """Explain a spec. BadInput where it cannot be read or names a kind that does not exist; nothing is loaded."""
    spec = parse_spec(text)
    kinds = {part.kind: editor_kind(part.kind) for part in spec.chain}
    missing: list[str] = []
    remarks: list[str] = []
    for part in spec.chain:
        missing += kinds[part.kind].missing(str(part.options.get("key_env", "")), part.target)
        missing += _judge_missing(part)
        remarks += kinds[part.kind].remarks()
    described_editor: dict[str, Any] = {}
    try:
        editor = editor_of(spec)
    except EditscopeError as error:
        missing.append(str(error))
    else:
        described_editor = _abilities(editor)
        remarks += _warnings(editor)
        missing += _absent(spec.chain[-1])
    parts = tuple(_part(part, kinds[part.kind]) for part in spec.chain)
    return Explained(str(spec), parts, described_editor, tuple(dict.fromkeys(missing)), tuple(dict.fromkeys(remarks)))


def described(kind: EditorKind) -> dict[str, Any]:
    """A kind as plain values, with whether it can run here."""
    missing = kind.missing()
    plugin = {"plugin": kind.plugin} if kind.plugin else {}
    return {
        "kind": kind.name,
        "title": kind.title,
        "wrapper": kind.wrapper,
        "example": kind.example,
        "extra": kind.extra or None,
        "key_env": kind.key_env or None,
        "page": kind.page,
        "options": kind.described_options(),
        "runs_here": not missing,
        "missing": list(missing),
        "remarks": list(kind.remarks()),
        **plugin,
    }


def _judge_missing(spec: EditorSpec) -> list[str]:
    """What the judge of a wrapper lacks: its key, where it is asked at its own address."""
    from editscope.judges.registry import HOSTED, parse_spec

    named = str(spec.options.get("judge") or spec.options.get("by") or "")
    if spec.inner is None or ":" not in named:
        return []
    try:
        judge = parse_spec(named)
    except EditscopeError:  # said when the editor is made
        return []
    if judge.kind not in HOSTED or ("base_url" in judge.options and "key_env" not in judge.options):
        return []
    module, _, name = HOSTED[judge.kind].partition(":")
    variable = judge.options.get("key_env") or getattr(import_module(module), name).key_env
    return (
        [] if os.environ.get(variable, "").strip() else [f"no key for the judge {named}: set the variable {variable}"]
    )


def _absent(spec: EditorSpec) -> list[str]:
    """What the program of a worker lacks. Other editors are checked by asking a server, which is for a run."""
    if spec.kind != "worker":
        return []
    try:
        check_editor(editor_of(spec))
    except EditscopeError as error:
        return [str(error)]
    return []


def _abilities(editor: Editor) -> dict[str, Any]:
    try:
        cost = editor.estimate(1)
    except EditscopeError:  # such as a price that cannot be looked up without its key
        cost = None
    return {
        "name": editor.name or type(editor).__name__,
        "workers": editor.workers,
        "at_once": editor.at_once,
        "batch": editor.batch,
        "gpu": editor.gpu,
        "max_images": editor.max_images,
        "usd_per_edit": None if cost is None else round(cost, 6),
        **_price_sources(editor),
    }


def _price_sources(editor: Editor) -> dict[str, Any]:
    """Where the prices are from that an edit is reckoned by, by who is paid."""
    try:
        paid = editor.paid_calls(1)
    except EditscopeError:
        return {}
    sources = {part.who: part.source.in_words() for part in paid if part.source is not None}
    return {"price_sources": sources} if sources else {}


def _warnings(editor: Editor) -> list[str]:
    if editor.needs_answer:
        return ["it is made from the answer: a reference, not a model"]
    return ["it chooses with the answer: an upper bound"] if editor.wants_answer else []


def _part(spec: EditorSpec, kind: EditorKind) -> SpecPart:
    target = "" if spec.inner is not None else spec.target
    return SpecPart(spec.kind, kind.title, target, spec.args, spec.options)
