"""Folders of pipelines that ship, made ready for a test: plan, prompts, inputs and models."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from editscope.factory.engine.build import Build, BuildResult
from editscope.factory.inputs import read_inputs, write_inputs
from editscope.factory.models.loading import load_models
from editscope.factory.output.export import export
from editscope.factory.pipelines.catalog import find_pipeline
from editscope.factory.pipelines.starting import start_pipeline
from editscope.factory.plan import read_plan


def pipeline_folder(
    name: str, folder: Path, models: Mapping[str, str], given: Mapping[str, Any], **places: Any
) -> Path:
    """A folder with the plan of a pipeline; ``places`` are further values, as ``steps__draw__width=64``."""
    start_pipeline(find_pipeline(name), folder, given, models)
    inputs = read_inputs(folder)
    more = {place.replace("__", "."): value for place, value in places.items()}
    write_inputs(folder, name, inputs.get("models", {}), {**inputs.get("set", {}), **more})
    return folder


def built_here(
    folder: Path, *, people: Callable[[Path], None] | None = None, limit: int | None = None
) -> tuple[BuildResult, list[str]]:
    """Build the plan of a folder in this process; ``people`` decide when it waits. Where it is, and its records."""
    for _ in range(20):
        with ThreadPoolExecutor(1) as thread:  # in the main thread, people may have a browser with a loop of its own
            result, lines = thread.submit(_built, folder, limit).result()
        if not result.waiting or people is None:
            break
        people(folder / "build")
    return result, lines


def _built(folder: Path, limit: int | None) -> tuple[BuildResult, list[str]]:
    plan = read_plan(folder / "plan.toml")
    with Build(plan, folder / "build", limit=limit, jobs=1, models=load_models(plan)) as build:
        result = build.run()
        return result, [json.dumps(record.to_json(), sort_keys=True) for record in build.records()]


def exported(folder: Path, limit: int | None = None) -> Path:
    """The build of a folder, exported."""
    with Build(read_plan(folder / "plan.toml"), folder / "build", limit=limit) as build:
        export(build, folder / "export")
    return folder / "export"


def counted(result: BuildResult) -> dict[str, tuple[int, int]]:
    """In and out of each step."""
    return {step: (counts.records_in, counts.records_out) for step, counts in result.counts.items()}


def reasons(result: BuildResult) -> dict[str, dict[str, int]]:
    """Dropped records by step and reason, where there are any."""
    return {step: dict(sorted(counts.dropped.items())) for step, counts in result.counts.items() if counts.dropped}


def funnel_of(folder: Path) -> dict[str, tuple[int, int, dict[str, int]]]:
    """In, out and dropped by reason of each step of a build that a command made."""
    rows = json.loads((folder / "build" / "funnel.json").read_text(encoding="utf-8"))
    return {row["step"]: (row["in"], row["out"], row["dropped"]) for row in rows}
