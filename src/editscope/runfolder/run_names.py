"""Names of runs for people: the editor's name, and no more than it takes to tell several runs apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from pathlib import PurePath
from typing import Any

from editscope.errors import BadInput
from editscope.specs import split_options

ADDRESS = ("base_url", "key_env")
"""Options that say where a server is; they are no part of a name."""


def editor_with_options(editor: Mapping[str, Any], but: Mapping[str, str] | None = None) -> str:
    """An editor's name with the options of its spec, without those in ``but``; ``editor`` is from run.json.

    >>> editor_with_options({"name": "Better", "spec": "python:better:Better?area=1"})
    'Better?area=1'
    >>> editor_with_options({"name": "Better", "spec": "python:better:Better"})
    'Better'
    """
    name = str(editor["name"])
    shown = [pair for pair in _options(editor).items() if pair not in (but or {}).items()]
    return name if "?" in name or not shown else f"{name}?{'&'.join(f'{key}={value}' for key, value in shown)}"


def shown_spec(editor: Mapping[str, Any]) -> str:
    """The editor's spec, without the folders above a folder of outputs: a report is sent to others.

    >>> shown_spec({"name": "mine", "spec": "folder:/home/ada/mine"})
    'folder:mine'
    """
    spec = str(editor.get("spec") or editor["name"])
    kind, colon, rest = spec.partition(":")
    if kind == "folder" and colon:
        path, question, options = rest.partition("?")
        return f"folder:{PurePath(path).name}{question}{options}"
    return spec


def run_names(editors: Sequence[Mapping[str, Any]], folders: Sequence[str], sets: Sequence[Hashable] = ()) -> list[str]:
    """What to call each of several runs, by its editor as run.json has it and the name of its folder.

    Where two names on one of the ``sets`` are the same, they get the options that differ, then the folder, then the
    spec, at last a number.

    >>> better = {"name": "Better", "spec": "python:better:Better?seed=1"}
    >>> wider = {"name": "Better", "spec": "python:better:Better?seed=1&area=1"}
    >>> run_names([better, wider], ["a", "b"]), run_names([better, better], ["a", "b"])
    (['Better', 'Better?area=1'], ['Better · a', 'Better · b'])
    """
    homes = list(sets) or [None] * len(editors)
    names = [str(editor["name"]) for editor in editors]
    groups: dict[tuple[Hashable, str], list[dict[str, str]]] = {}
    for home, name, editor in zip(homes, names, editors, strict=True):
        groups.setdefault((home, name), []).append(_options(editor))
    shared = {key: dict(set.intersection(*(set(one.items()) for one in group))) for key, group in groups.items()}
    labels = [
        editor_with_options(editor, shared[home, name])
        for home, name, editor in zip(homes, names, editors, strict=True)
    ]
    specs = [shown_spec(editor) for editor in editors]
    for details in (labels, folders, specs):
        names = _with_details(list(zip(homes, names, strict=True)), details)
    numbers, seen = [], Counter[tuple[Hashable, str]]()
    for named in zip(homes, names, strict=True):
        seen[named] += 1
        numbers.append(str(seen[named]))
    return _with_details(list(zip(homes, names, strict=True)), numbers)


def _options(editor: Mapping[str, Any]) -> dict[str, str]:
    """The options of a plain spec as they are written; none of a wrapper or an address, whose names hold them."""
    body, _, query = str(editor.get("spec") or "").partition("?")
    if "(" in body or "://" in body:
        return {}
    try:
        return {key: value for key, value in split_options("editor", query).items() if key not in ADDRESS}
    except BadInput:  # of a run that another version wrote
        return {}


def _with_details(named: Sequence[tuple[Hashable, str]], details: Sequence[str]) -> list[str]:
    """Names within their sets, with a detail where several are the same and the detail sets any of them apart."""
    known: dict[tuple[Hashable, str], set[str]] = {}
    for key, detail in zip(named, details, strict=True):
        known.setdefault(key, set()).add(detail)
    return [
        name if len(known[home, name]) == 1 else (detail if detail.startswith(name) else f"{name} · {detail}")
        for (home, name), detail in zip(named, details, strict=True)
    ]
