"""Settings of an experiment: one TOML file, each table a record of the room that uses it."""

from __future__ import annotations

import math
import types
from collections.abc import Mapping
from dataclasses import MISSING, asdict, dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from typing import Any, Protocol, TypeVar, Union, get_args, get_origin, get_type_hints

from editscope.call_options import check_options
from editscope.cases import NOTHING
from editscope.documents import Malformed, read_toml
from editscope.errors import BadInput, unknown
from editscope.files import SETTINGS, read_file
from editscope.training.models.settings import LoraSettings, ModelSettings
from editscope.training.places import full_place
from editscope.training.supervised.settings import (
    CheckpointSettings,
    EmaSettings,
    EvaluationSettings,
    OptimizerSettings,
    ScheduleSettings,
    TimestepSettings,
    TrainingSettings,
)


class SettingsTable(Protocol):
    """A record of settings that checks itself."""

    def check(self, where: str) -> None:
        """Raise BadInput, with where the table stands, for values that cannot be used."""


Table = TypeVar("Table", bound=SettingsTable)


@dataclass(frozen=True, slots=True)
class Experiment:
    """Everything that a training run is told.

    ``lora`` is None for full fine-tuning, ``ema`` where no average of the weights is kept. ``data`` is the table of
    the data, read by ``training/data``; ``extra`` are tables of other rooms (``[reinforcement]`` …), as they stand.
    """

    name: str
    model: ModelSettings
    training: TrainingSettings
    data: Mapping[str, Any] = field(default_factory=lambda: NOTHING)
    lora: LoraSettings | None = None
    optimizer: OptimizerSettings = field(default_factory=OptimizerSettings)
    schedule: ScheduleSettings = field(default_factory=ScheduleSettings)
    timesteps: TimestepSettings = field(default_factory=TimestepSettings)
    ema: EmaSettings | None = None
    checkpoints: CheckpointSettings = field(default_factory=CheckpointSettings)
    evaluation: EvaluationSettings | None = None
    extra: Mapping[str, Any] = field(default_factory=lambda: NOTHING)
    folder: Path = Path()
    given: Mapping[str, Any] = field(default_factory=lambda: NOTHING)
    """The tables as they stand in the file, so that what was written is known from what is a default."""

    @property
    def decides(self) -> dict[str, Any]:
        """The settings that decide what weights come out, by dotted name: those that a checkpoint must share.

        The data are not among them: the loader compares them itself.
        """
        tables = {
            "model": self.model,
            "lora": self.lora,
            "training": self.training,
            "optimizer": self.optimizer,
            "schedule": self.schedule,
            "timesteps": self.timesteps,
            "ema": self.ema,
        }
        flat = flattened(tables)
        flat["model.pipeline"] = full_place(self.model.pipeline)
        if self.lora is not None and self.lora.start is not None:
            flat["lora.start"] = _full_start(self.lora, self.folder)
        return {name: value for name, value in flat.items() if name not in FREE and (name, value) not in ADDED}


def _full_start(lora: LoraSettings, folder: Path) -> str | None:
    """The file of a LoRA that layers begin with, by its whole path; as it stands where it is not there any more."""
    from editscope.training.models.lora_start import start_file

    try:
        file = start_file(lora, folder)
    except BadInput:
        return lora.start
    return None if file is None else str(file.resolve())


FREE = ("model.device", "model.keep", "training.log_every", "training.cache")
"""Settings that may differ between a checkpoint and the run that goes on from it."""

ADDED = (("lora.start", None),)
"""Settings that checkpoints of earlier versions do not name, with the value that these had."""

TABLES: Mapping[str, type[Any]] = {
    "model": ModelSettings,
    "lora": LoraSettings,
    "training": TrainingSettings,
    "optimizer": OptimizerSettings,
    "schedule": ScheduleSettings,
    "timesteps": TimestepSettings,
    "ema": EmaSettings,
    "checkpoints": CheckpointSettings,
    "evaluation": EvaluationSettings,
}
NEEDED = ("model", "training")
OTHERS = ("reinforcement", "rewards", "planner", "tracking", "monitors")
"""Tables that other rooms read."""


def read_experiment(path: Path) -> Experiment:
    """The experiment of a TOML file; BadInput names file, table and entry of what cannot be used."""
    return experiment_of(read_document(path), path.name, path.stem, path.parent)


def read_document(path: Path) -> dict[str, Any]:
    """The tables of a TOML file; BadInput for a number that is not finite."""
    try:
        document = read_toml(read_file(path, SETTINGS).decode())
    except OSError as error:
        raise BadInput(
            f"{path} cannot be read ({error.strerror or error}); give the TOML file of an experiment"
        ) from error
    except (Malformed, UnicodeDecodeError) as error:
        raise BadInput(f"{path} is not TOML: {error}") from error
    _check_finite(document, path.name)
    return document


def _check_finite(table: Mapping[str, Any], file: str, table_name: str = "") -> None:
    """Raise BadInput for NaN and infinity, which TOML can write and no setting can be."""
    for name, value in table.items():
        inner = f"{table_name}.{name}" if table_name else name
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, float) and not math.isfinite(one):
                where = f"{file}, [{table_name}] {name}" if table_name else f"{file}, {name}"
                raise BadInput(f"{where}: {one} is no finite number; write one, or leave it out")
            if isinstance(one, Mapping):
                _check_finite(one, file, inner)


def experiment_of(document: Mapping[str, Any], file: str, name: str, folder: Path = Path()) -> Experiment:
    """The experiment of tables that were read from a file."""
    known = {"name", "data", *TABLES, *OTHERS}
    given = document
    if "reinforcement" in document and isinstance(document.get("training", {}), Mapping):
        document = {**document, "training": {"steps": 1, **document.get("training", {})}}  # a run has rounds there
    for entry in document:
        if entry not in known:
            raise BadInput(f"{file}: {unknown('table', entry, known)}")
    for entry in NEEDED:
        if entry not in document and "planner" in document and "reinforcement" not in document:
            raise BadInput(f"{file} has no table [{entry}]: it is the experiment of a planner; use `train planner`")
        if entry not in document:
            raise BadInput(f"{file} has no table [{entry}]; `editscope train new` writes a file that has all")
    if isinstance(document["model"], Mapping) and "gradient_checkpointing" in document["model"]:
        now = "inputs" if document["model"]["gradient_checkpointing"] else "all"
        raise BadInput(f'{file}, [model] gradient_checkpointing: is now called keep; write keep = "{now}" in its place')
    tables = {
        entry: read_table(kind, document[entry], f"{file}, [{entry}]")
        for entry, kind in TABLES.items()
        if entry in document
    }
    data = document.get("data", {})
    if not isinstance(data, Mapping):
        raise BadInput(f"{file}, data: is no table; write [data]")
    others = {entry: document[entry] for entry in OTHERS if entry in document}
    pipeline = tables["model"].pipeline
    if not Path(pipeline).is_dir() and (folder / pipeline).is_dir():  # beside the file, as its other paths are
        tables["model"] = replace(tables["model"], pipeline=str(folder / pipeline))
    return Experiment(
        run_name(document.get("name", name), file), data=data, extra=others, folder=folder, given=given, **tables
    )


def run_name(name: Any, file: str) -> str:
    """The name of a run, which its folder in ``trained`` has; BadInput for one that leads elsewhere."""
    text = str(name)
    if not text.strip() or text in (".", "..") or any(sign in text for sign in "/\\\0"):
        raise BadInput(
            f"{file}, name: {text!r} is no name of a folder; choose one without slashes, and a place with --out"
        )
    return text


def read_table(kind: type[Table], values: Any, where: str) -> Table:
    """A record of a TOML table: names and types checked by its annotations, values by its ``check``."""
    if not isinstance(values, Mapping):
        raise BadInput(f"{where}: is no table; write it in square brackets on a line of its own")
    check_options(where, where, kind, values)
    hints = get_type_hints(kind)
    for one in fields(kind):  # type: ignore[arg-type]
        if one.default is MISSING and one.default_factory is MISSING and one.name not in values:
            raise BadInput(f"{where} has no {one.name}; add it")
        value = values.get(one.name)
        if one.name in values and str in _kinds(hints[one.name]) and not isinstance(value, str | int | float):
            raise BadInput(f"{where} {one.name}: {value!r} is not a text")
    table = kind(**values)
    table.check(where)
    return table


def flattened(tables: Any, prefix: str = "") -> dict[str, Any]:
    """Tables inside each other as one, by dotted names.

    >>> flattened({"a": {"b": 1}, "c": None})
    {'a.b': 1, 'c': None}
    """
    if is_dataclass(tables) and not isinstance(tables, type):
        tables = asdict(tables)
    if not isinstance(tables, Mapping):
        return {prefix: list(tables) if isinstance(tables, tuple) else tables}
    flat: dict[str, Any] = {}
    for name, value in tables.items():
        flat |= flattened(value, f"{prefix}.{name}" if prefix else str(name))
    return flat


def _kinds(hint: Any) -> tuple[Any, ...]:
    return get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)
