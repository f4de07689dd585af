"""The experiment of a planner's text fine-tuning: its file, checked without loading any weights."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from editscope.errors import BadInput, unknown
from editscope.training.models.settings import LoraSettings
from editscope.training.places import full_place
from editscope.training.planner.settings import PlannerSettings
from editscope.training.settings import FREE, TABLES, flattened, read_document, read_table, run_name
from editscope.training.supervised.settings import (
    CheckpointSettings,
    EmaSettings,
    OptimizerSettings,
    ScheduleSettings,
    TrainingSettings,
)
from editscope.training.unused import PLANNER, refuse_unused

USED = ("lora", "training", "optimizer", "schedule", "ema", "checkpoints")


@dataclass(frozen=True, slots=True)
class PlannerExperiment:
    """What the file of a planner's training says.

    ``decides`` are the settings that a checkpoint must have to be resumed from, by dotted name.
    """

    planner: PlannerSettings
    pairs: Path
    training: TrainingSettings
    decides: Mapping[str, Any]
    lora: LoraSettings | None = None
    optimizer: OptimizerSettings = field(default_factory=OptimizerSettings)
    schedule: ScheduleSettings = field(default_factory=ScheduleSettings)
    ema: EmaSettings | None = None
    checkpoints: CheckpointSettings = field(default_factory=CheckpointSettings)


def planner_name(file: Path) -> str:
    """The name of a planner's experiment: its entry ``name``, or the name of the file."""
    return run_name(read_document(file).get("name", file.stem), file.name)


def read_planner(file: Path) -> PlannerExperiment:
    """The experiment in a file; BadInput if it is not that of a planner. ``[data] pairs`` names a JSON Lines file."""
    document = read_document(file)
    for name in document:
        if name not in ("name", "planner", "data", *USED):
            raise BadInput(f"{file.name}: {unknown('table', name, ('planner', 'data', *USED))}")
    for name in ("planner", "training", "data"):
        if name not in document and name == "planner":
            raise BadInput(f"{file.name} has no table [planner]; give the file of a planner, or use `train run`")
        if name not in document:
            raise BadInput(f"{file.name} has no table [{name}]; add it")
    data: Any = document["data"]
    if not isinstance(data, Mapping) or set(data) != {"pairs"} or not isinstance(data["pairs"], str):
        raise BadInput(f'{file.name}, [data]: write pairs = "FILE.jsonl" and nothing else')
    tables = {
        name: read_table(TABLES[name], document[name], f"{file.name}, [{name}]") for name in USED if name in document
    }
    refuse_unused(document, PLANNER, file.name)
    if "lora" in tables and tables["lora"].start is not None:
        raise BadInput(
            f"{file.name}, [lora] start: a planner continues from the folder that [planner] model names; write "
            "its folder there"
        )
    planner = read_table(PlannerSettings, document["planner"], f"{file.name}, [planner]")
    if not Path(planner.model).is_dir() and (file.parent / planner.model).is_dir():  # beside the file
        planner = replace(planner, model=str(file.parent / planner.model))
    named = flattened({"planner": planner, **tables})
    decides = {name: value for name, value in named.items() if _decides(name)}
    decides["planner.model"] = full_place(planner.model)
    return PlannerExperiment(planner, file.parent / data["pairs"], decides=decides, **tables)


def _decides(name: str) -> bool:
    return name not in (*FREE, "planner.device", "lora.start") and not name.startswith("checkpoints.")
