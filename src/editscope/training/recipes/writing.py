"""Recipes written to files: an experiment, or the plan of a comparison with its experiment next to it."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from editscope.documents import read_toml
from editscope.errors import BadInput, unknown
from editscope.runfolder.files import write_whole

SMALL = "small"
"""The recipe of the small editor, which has its own command."""


def recipe_texts() -> dict[str, str]:
    """The recipes that ship, by name."""
    recipes = (path for path in files("editscope.training.recipes").iterdir() if path.name.endswith(".toml"))
    return {path.name.removesuffix(".toml"): path.read_text(encoding="utf-8") for path in recipes}


def write_recipe(file: Path, name: str) -> list[str]:
    """Write a recipe to a new file; returns sentences on what was written and what to do next."""
    recipes = recipe_texts()
    if name not in recipes:
        raise unknown("recipe", name, recipes)
    if file.exists():
        raise BadInput(f"{file} already exists; choose another name")
    write_whole(file, recipes[name].encode())
    if name == SMALL:
        return [f"{file}: look at it; then `editscope train small {file} --dry-run`"]
    tables = read_toml(recipes[name])
    if "model" not in tables and "planner" in tables:
        return [f"{file}: set [data] pairs and look at the rest; then `editscope train planner {file}`"]
    needed = tables.get("experiment")
    if needed is None:
        return [f"{file}: {_to_set(tables)}; then `editscope train run {file} --dry-run`"]
    beside = file.parent / str(needed)
    sentences = []
    if beside.exists():
        sentences.append(f"{beside}: already exists and is kept; the plan compares trainings of it")
    else:
        write_whole(beside, recipes[beside.stem].encode())
        sentences.append(f"{beside}: the experiment; {_to_set(read_toml(recipes[beside.stem]))}")
    return [
        *sentences,
        f"{file}: the plan; set the data of arms and evaluations, and judges; then "
        f"`editscope train compare {file} --dry-run`",
    ]


def _to_set(tables: Mapping[str, Any]) -> str:
    """What is left to do in an experiment: set its data, unless it is an endless stream of problems."""
    made = all(str(part["source"]).startswith("stream:") for part in tables["data"]["parts"])
    return "look at it" if made else "set [[data.parts]] and look at the rest"
