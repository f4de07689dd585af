"""Recipes written to files: an experiment, or the plan of a comparison with its experiment beside it."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from editscope.documents import read_toml
from editscope.errors import BadInput, unknown
from editscope.runfolder.files import write_whole

SMALL = "small"
"""The recipe of the small editor, which has a command of its own."""


def recipe_texts() -> dict[str, str]:
    """The recipes that ship, by name."""
    found = files("editscope.training.recipes").iterdir()
    return {one.name.removesuffix(".toml"): one.read_text() for one in found if one.name.endswith(".toml")}


def write_recipe(file: Path, name: str) -> list[str]:
    """Write a recipe to a file that is not there yet; gives sentences on what was written and what comes next."""
    recipes = recipe_texts()
    if name not in recipes:
        raise unknown("recipe", name, recipes)
    if file.exists():
        raise BadInput(f"{file} is there already; choose another name")
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
        sentences.append(f"{beside}: is there already and stays as it is; the plan compares trainings of it")
    else:
        write_whole(beside, recipes[beside.stem].encode())
        sentences.append(f"{beside}: the experiment; {_to_set(read_toml(recipes[beside.stem]))}")
    return [
        *sentences,
        f"{file}: the plan; set the data of arms and evaluations, and judges; then "
        f"`editscope train compare {file} --dry-run`",
    ]


def _to_set(tables: Mapping[str, Any]) -> str:
    """What is left to do in an experiment: its data, unless they are problems that are made without end."""
    made = all(str(part["source"]).startswith("stream:") for part in tables["data"]["parts"])
    return "look at it" if made else "set [[data.parts]] and look at the rest"
