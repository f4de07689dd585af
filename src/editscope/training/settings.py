"""Settings of an experiment: one TOML file, in which each table belongs to one part of training."""

from __future__ import annotations

import math
import types
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, asdict, dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol, TypeVar, Union, get_args, get_origin, get_type_hints

from editscope.call_options import check_options, fits
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
        """Raise BadInput for unusable values; ``where`` names the file and the table."""


Table = TypeVar("Table", bound=SettingsTable)
Record = TypeVar("Record")


@dataclass(frozen=True, slots=True)
class Experiment:
    """All settings of a training run.

    ``lora`` is None for full fine-tuning, ``ema`` if no average of the weights is kept. ``data`` is the table of the
    data, read by ``training/data``; ``extra`` holds the tables that other packages read (``[reinforcement]`` …).
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
    """The tables as written in the file, to tell written values from defaults."""

    @property
    def decides(self) -> dict[str, Any]:
        """The settings that determine the trained weights, by dotted name; a checkpoint must have the same ones.

        The data are not included: the loader compares them itself.
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
    """The full path of the LoRA file that the layers start from; as written if the file no longer exists."""
    from editscope.training.models.lora_start import start_file

    try:
        file = start_file(lora, folder)
    except BadInput:
        return lora.start
    return None if file is None else str(file.resolve())


FREE = ("model.device", "model.keep", "training.log_every", "training.cache")
"""Settings that may differ between a checkpoint and the run that resumes from it."""

ADDED = (("lora.start", None),)
"""Settings that checkpoints of earlier versions lack, with the value that applied then."""

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
"""Tables that other packages read."""


ELSEWHERE: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "arms": ("the plan of a comparison", "train compare"),
        "stage": ("a recipe of the small editor", "train small"),
        "stages": ("a recipe of the small editor", "train small"),
    }
)
"""Tables that other training commands read."""


def read_experiment(path: Path) -> Experiment:
    """Read an experiment from a TOML file; BadInput names the file, table and entry of an unusable value."""
    return experiment_of(read_document(path), path.name, path.stem, path.parent)


def read_document(path: Path) -> dict[str, Any]:
    """Read the tables of a TOML file; BadInput for a number that is not finite."""
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
    """Raise BadInput for NaN and infinity, which TOML allows but no setting can have."""
    for name, value in table.items():
        inner = f"{table_name}.{name}" if table_name else name
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, float) and not math.isfinite(item):
                where = f"{file}, [{table_name}] {name}" if table_name else f"{file}, {name}"
                raise BadInput(f"{where}: {item} is not a finite number; correct or remove it")
            if isinstance(item, Mapping):
                _check_finite(item, file, inner)


def experiment_of(document: Mapping[str, Any], file: str, name: str, folder: Path = Path()) -> Experiment:
    """Make an experiment from the tables of a file."""
    known = {"name", "data", *TABLES, *OTHERS}
    for entry, (what, command) in ELSEWHERE.items():
        if entry in document:
            raise BadInput(f"{file} is {what}, because it has [{entry}]; use `editscope {command} {file}`")
    for entry, value in document.items():
        if entry not in known:
            raise BadInput(f"{file}: {unknown('table', entry, known)}")
        if entry != "name" and not isinstance(value, Mapping):
            raise BadInput(f"{file}, {entry}: {value!r} is not a table; write [{entry}]")
    given = document
    if "reinforcement" in document:
        document = {**document, "training": {"steps": 1, **document.get("training", {})}}  # a run has rounds there
    for entry in NEEDED:
        if entry not in document and "planner" in document and "reinforcement" not in document:
            raise BadInput(f"{file} has no table [{entry}]: it is the experiment of a planner; use `train planner`")
        if entry not in document:
            raise BadInput(f"{file} has no table [{entry}]; `editscope train new` writes a complete file")
    if "gradient_checkpointing" in document["model"]:
        now = "inputs" if document["model"]["gradient_checkpointing"] else "all"
        raise BadInput(f'{file}, [model] gradient_checkpointing: is now called keep; write keep = "{now}" instead')
    tables = {
        entry: read_table(kind, document[entry], f"{file}, [{entry}]")
        for entry, kind in TABLES.items()
        if entry in document
    }
    data = document.get("data", {})
    others = {entry: document[entry] for entry in OTHERS if entry in document}
    pipeline = tables["model"].pipeline
    if not Path(pipeline).is_dir() and (folder / pipeline).is_dir():  # next to the file, like its other paths
        tables["model"] = replace(tables["model"], pipeline=str(folder / pipeline))
    return Experiment(
        run_name(document.get("name", name), file), data=data, extra=others, folder=folder, given=given, **tables
    )


def run_name(name: Any, file: str) -> str:
    """The name of a run, also that of its folder in ``trained``; BadInput for a name that is not a folder name."""
    if not isinstance(name, str):
        raise BadInput(f"{file}, name: {name!r} is not a string; write it in quotes")
    if not name.strip() or name in (".", "..") or any(sign in name for sign in "/\\\0"):
        raise BadInput(
            f"{file}, name: {name!r} is not a valid folder name; avoid slashes, and set the location with --out"
        )
    return name


def read_table(kind: type[Table], values: Any, where: str) -> Table:
    """Make a record from a TOML table: names and types are checked by its annotations, values by its ``check``.

    Lists and tables among the values are left to ``check``.
    """
    _check_entries(kind, values, where, {})
    table = kind(**values)
    table.check(where)
    return table


def record_of(kind: type[Record], values: Any, where: str, **ready: Any) -> Record:
    """Make a record from a TOML table like ``read_table``, but check the types of lists and tables and no values.

    ``ready`` are fields that the caller has already read. Lists become tuples if the annotation says so.
    """
    _check_entries(kind, values, where, ready)
    hints, converted = get_type_hints(kind), dict(ready)
    for name, value in values.items():
        container = _container(hints[name])
        if container is not None and not _is_a(value, hints[name]):
            wanted = "table" if container is Mapping else "list of strings"
            raise BadInput(f"{where} {name}: {value!r} is not a {wanted}")
        converted[name] = tuple(value) if container is tuple else value
    return kind(**converted)


def _check_entries(kind: type[Any], values: Any, where: str, ready: Mapping[str, Any]) -> None:
    """Raise BadInput for what is not a table, for unknown or missing names, and for values of a wrong type."""
    if not isinstance(values, Mapping):
        raise BadInput(f"{where}: {values!r} is not a table; write it in square brackets on its own line")
    check_options(where, where, kind, {**values, **ready})
    hints = get_type_hints(kind)
    for entry in fields(kind):
        required = entry.default is MISSING and entry.default_factory is MISSING
        if required and entry.name not in values and entry.name not in ready:
            raise BadInput(f"{where} has no {entry.name}; add it")
    for name, value in values.items():
        if _container(hints[name]) is None and not _is_a(value, hints[name]):
            raise BadInput(f"{where} {name}: {value!r} is not a string; write it in quotes")


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


def _container(hint: Any) -> Any:
    """The container that an annotation names: Mapping, Sequence, tuple, or None for a single value."""
    return get_origin(hint) if get_origin(hint) in (Mapping, Sequence, tuple) else None


def _is_a(value: Any, hint: Any) -> bool:
    """Whether a value of a TOML file has an annotated type.

    >>> _is_a("four", str | None), _is_a(4, str | None), _is_a(["a"], Sequence[str]), _is_a("a", tuple[str, ...])
    (True, False, True, False)
    """
    if get_origin(hint) in (Union, types.UnionType):
        return any(_is_a(value, kind) for kind in get_args(hint))
    if hint is str:
        return isinstance(value, str)
    if _container(hint) is Mapping:
        inner = get_args(hint)[1]
        return isinstance(value, Mapping) and all(inner is Any or _is_a(item, inner) for item in value.values())
    if _container(hint) is not None:
        return isinstance(value, list | tuple) and all(_is_a(item, get_args(hint)[0]) for item in value)
    return fits(value, hint)
