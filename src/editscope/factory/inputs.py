"""Inputs of a plan: values that a command was given, kept in a file beside the plan and put in their places."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from editscope.documents import Malformed, read_toml, toml_value
from editscope.errors import BadInput, unknown
from editscope.files import SETTINGS, read_file
from editscope.runfolder.files import write_whole

FILE = "inputs.toml"
NAMES = ("pipeline", "models", "set")


def read_inputs(folder: Path) -> dict[str, Any]:
    """What the inputs beside a plan say; empty where there are none."""
    path = folder / FILE
    if not path.is_file():
        return {}
    try:
        found = read_toml(read_file(path, SETTINGS).decode("utf-8"))
    except (OSError, Malformed, UnicodeDecodeError) as error:
        raise BadInput(f"{path} is not TOML ({error}); write it again, or remove it") from error
    for name in found:
        if name not in NAMES:
            raise unknown("entry", name, NAMES, of=str(path))
    for name in NAMES[1:]:
        if not isinstance(found.get(name, {}), dict):
            raise BadInput(f"{path}: {name} is a table; write [{name}] on a line of its own")
    return found


def write_inputs(folder: Path, pipeline: str, models: Mapping[str, str], values: Mapping[str, Any]) -> None:
    """Write the inputs of a plan; earlier ones are replaced."""
    lines = [
        "# What the command was given; it goes before what plan.toml says.",
        f"pipeline = {toml_value(pipeline)}",
        "",
    ]
    for title, entries in (("models", models), ("set", values)):
        lines += [f"[{title}]", *(f"{json.dumps(name)} = {toml_value(value)}" for name, value in entries.items()), ""]
    write_whole(folder / FILE, "\n".join(lines).encode())


def apply_inputs(plan: dict[str, Any], inputs: Mapping[str, Any], where: str) -> dict[str, Any]:
    """A plan with its inputs in their places: ``source.path``, ``steps.draw.width``, ``seed``.

    >>> plan = {"source": {"path": ""}, "steps": [{"name": "draw", "width": 512}], "models": {"writer": ""}}
    >>> apply_inputs(plan, {"models": {"writer": "openai:gpt-5"}, "set": {"steps.draw.width": 64}}, "plan.toml")
    {'source': {'path': ''}, 'steps': [{'name': 'draw', 'width': 64}], 'models': {'writer': 'openai:gpt-5'}}
    """
    models = inputs.get("models", {})
    if models:
        plan = {**plan, "models": {**plan.get("models", {}), **models}}
    for place, value in inputs.get("set", {}).items():
        _put(plan, place.split("."), value, f"{where}: the input for {place!r}")
    return plan


def _put(inside: Any, names: list[str], value: Any, where: str) -> None:
    *path, last = names
    for name in path:
        inside = _within(inside, name, where)
    if not isinstance(inside, dict):
        raise BadInput(f"{where} has no place in the plan; correct {FILE}")
    inside[last] = value


def _within(inside: Any, name: str, where: str) -> Any:
    if isinstance(inside, list):
        named = [entry for entry in inside if isinstance(entry, dict) and entry.get("name") == name]
        if named:
            return named[0]
        if name.isdigit() and int(name) < len(inside):
            return inside[int(name)]
    elif isinstance(inside, dict) and name in inside:
        return inside[name]
    known = [str(entry.get("name")) for entry in inside if isinstance(entry, dict)] if isinstance(inside, list) else []
    raise BadInput(f"{where} names {name!r}, which the plan does not have{': ' + ', '.join(known) if known else ''}")
