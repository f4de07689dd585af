"""What a spec comes to, explained before it is used: its parts, the editor that they make, and what is missing."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib import import_module
from typing import Any

from editscope.editors.base import Editor
from editscope.editors.families import FAMILIES, Family, family
from editscope.editors.registry import editor_kinds, editor_of
from editscope.editors.spec import Spec, parse_spec
from editscope.errors import EditscopeError


@dataclass(frozen=True, slots=True)
class Part:
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
    parts: tuple[Part, ...]
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
    chain = spec.chain
    families = {one.kind: family(one.kind) for one in chain if not _registered(one.kind)}
    missing: list[str] = []
    remarks: list[str] = []
    for one in chain:
        if one.kind in families:
            missing += families[one.kind].missing(str(one.options.get("key_env", "")))
            remarks += families[one.kind].remarks()
        missing += _judge_missing(one)
    made: dict[str, Any] = {}
    try:
        editor = editor_of(spec)
    except EditscopeError as error:
        missing.append(str(error))
    else:
        made = _said_of(editor)
        remarks += _warnings(editor)
        missing += _absent(chain[-1])
    parts = tuple(_part(one, families.get(one.kind)) for one in chain)
    return Explained(str(spec), parts, made, tuple(dict.fromkeys(missing)), tuple(dict.fromkeys(remarks)))


def described(one: Family) -> dict[str, Any]:
    """A family as plain values, with whether it can run here."""
    missing = one.missing()
    return {
        "kind": one.kind,
        "title": one.title,
        "wrapper": one.wrapper,
        "example": one.example,
        "extra": one.extra or None,
        "key_env": one.key_env or None,
        "page": one.page,
        "options": one.described_options(),
        "runs_here": not missing,
        "missing": list(missing),
        "remarks": list(one.remarks()),
    }


def all_families() -> tuple[Family, ...]:
    """The families that ship, and after them those that other packages have registered."""
    known = {one.kind for one in FAMILIES} | {"https"}
    others = [kind for kind in editor_kinds() if kind not in known]
    return (*FAMILIES, *(Family(kind, "registered by another package", f"{kind}:TARGET", "") for kind in others))


def _registered(kind: str) -> bool:
    """Whether a kind comes from another package; raises for one that nobody knows where its editor is made."""
    known = {one.kind for one in FAMILIES} | {"https"}
    return kind not in known and kind in editor_kinds()


def _judge_missing(spec: Spec) -> list[str]:
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


def _absent(spec: Spec) -> list[str]:
    """What the program of a worker lacks. Other editors are checked by asking a server, which is for a run."""
    if spec.kind != "worker":
        return []
    try:
        editor_of(spec).check()
    except EditscopeError as error:
        return [str(error)]
    return []


def _said_of(editor: Editor) -> dict[str, Any]:
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
    }


def _warnings(editor: Editor) -> list[str]:
    found = []
    if editor.needs_answer:
        found.append("it is made from the answer: a reference, not a model")
    elif editor.wants_answer:
        found.append("it chooses with the answer: an upper bound")
    return found


def _part(spec: Spec, known: Family | None) -> Part:
    target = "" if spec.inner is not None else spec.target
    return Part(spec.kind, known.title if known else "", target, spec.args, spec.options)
