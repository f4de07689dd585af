"""A folder for a build: the plan of a pipeline with its prompts, and what it was given."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from editscope.errors import BadInput, unknown
from editscope.factory.inputs import read_inputs, write_inputs
from editscope.factory.pipelines.catalog import PLAN, PROMPTS, ShippedPipeline
from editscope.factory.plan import BuildPlan, read_plan

TEMPLATE = Path(__file__).parents[1] / "template"
"""A small pipeline to start one's own from."""


def start_pipeline(
    pipeline: ShippedPipeline, folder: Path, given: Mapping[str, Any], models: Mapping[str, str], *, whole: bool = True
) -> Path:
    """Put a plan into a new folder, or take new inputs into one that has it; the plan's file.

    Inputs and models that were given earlier stay unless they are given again. With ``whole``, required inputs must
    have been given by now.
    """
    inputs = _inputs(pipeline, folder, given, models, whole=whole)
    if not (folder / PLAN).is_file():
        _copy_files(pipeline.folder, folder)
    write_inputs(folder, pipeline.name, inputs["models"], inputs["set"])
    return folder / PLAN


def outlined_plan(
    pipeline: ShippedPipeline, folder: Path, given: Mapping[str, Any], models: Mapping[str, str]
) -> BuildPlan:
    """The plan that ``start_pipeline`` would put into a folder, or that it has; nothing is written."""
    inputs = _inputs(pipeline, folder, given, models, whole=True)
    if not (folder / PLAN).is_file():
        _refuse_used(folder)
        return read_plan(pipeline.folder / PLAN, inputs)
    return read_plan(folder / PLAN, inputs)


def _inputs(
    pipeline: ShippedPipeline, folder: Path, given: Mapping[str, Any], models: Mapping[str, str], *, whole: bool
) -> dict[str, dict[str, Any]]:
    """What the plan in a folder has been given, now included."""
    plan = folder / PLAN
    before = read_inputs(folder) if plan.is_file() else {}
    if plan.is_file() and before.get("pipeline") != pipeline.name:
        whose = f"is of the pipeline {before['pipeline']}" if before.get("pipeline") else "is a plan of its own"
        raise BadInput(f"{plan} {whose}; build it with `editscope factory build {folder}`, or name another folder")
    known = {one.name: one for one in pipeline.inputs}
    for name in given:
        if name not in known:
            raise unknown("input", name, known, of=f"the pipeline {pipeline.name}")
    names = [one.name for one in pipeline.models]
    for name in models:
        if name not in names:
            raise unknown("model", name, names, of=f"the pipeline {pipeline.name}")
    values = dict(before.get("set", {})) | {known[name].sets: known[name].read(value) for name, value in given.items()}
    for one in pipeline.inputs:
        if whole and one.required and one.sets not in values:
            raise BadInput(f"the pipeline {pipeline.name} needs --{one.name}: {one.about}")
    return {"models": {**before.get("models", {}), **models}, "set": values}


def start_own(folder: Path) -> Path:
    """Put a small pipeline with a dictionary, a plan and a function into a new folder; the plan's file."""
    _copy_files(TEMPLATE, folder)
    return folder / PLAN


def _copy_files(source: Path, folder: Path) -> None:
    """Copy a plan and what lies beside it into a new or empty folder."""
    _refuse_used(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for place in sorted(source.iterdir()):
            if place.name == PROMPTS and place.is_dir():
                shutil.copytree(place, folder / PROMPTS)
            elif place.suffix in (".csv", ".jsonl", ".txt"):  # my_steps.py.txt is no module of this package
                shutil.copyfile(place, folder / place.name.removesuffix(".txt"))
        # The plan comes last: a folder without one is not begun.
        shutil.copyfile(source / PLAN, folder / PLAN)
    except OSError as error:
        (folder / PLAN).unlink(missing_ok=True)
        raise BadInput(f"{folder} cannot be written: {error.strerror}") from error


def _refuse_used(folder: Path) -> None:
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise BadInput(f"{folder} is not a new or empty folder; give one, so that nothing is overwritten")
