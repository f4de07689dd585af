"""Folders of pipelines that ship, made ready for a test: plan, prompts, inputs and models."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from editscope.factory.inputs import read_inputs, write_inputs
from editscope.factory.pipelines.catalog import find_pipeline
from editscope.factory.pipelines.starting import start_pipeline


def pipeline_folder(
    name: str, folder: Path, models: Mapping[str, str], given: Mapping[str, Any], **places: Any
) -> Path:
    """A folder with the plan of a pipeline; ``places`` are further values, as ``steps__draw__width=64``."""
    start_pipeline(find_pipeline(name), folder, given, models)
    inputs = read_inputs(folder)
    more = {place.replace("__", "."): value for place, value in places.items()}
    write_inputs(folder, name, inputs.get("models", {}), {**inputs.get("set", {}), **more})
    return folder


def funnel_of(folder: Path) -> dict[str, tuple[int, int, dict[str, int]]]:
    """In, out and dropped by reason of each step of a build that a command made."""
    rows = json.loads((folder / "build" / "funnel.json").read_text(encoding="utf-8"))
    return {row["step"]: (row["in"], row["out"], row["dropped"]) for row in rows}
