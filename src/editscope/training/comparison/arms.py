"""Arms of a comparison: the experiment of each, checked before any training, and the trained weights."""

from __future__ import annotations

import gc
import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from editscope.documents import toml_text
from editscope.errors import BadInput, Stopped
from editscope.runfolder.files import write_whole
from editscope.training.comparison.base_weights import check_weights, weights_of_training
from editscope.training.comparison.settings import BASE, ArmSettings, ComparisonPlan, folder_name
from editscope.training.data.settings import data_settings
from editscope.training.data.sources import open_source
from editscope.training.models.settings import LoraSettings
from editscope.training.places import full_place
from editscope.training.run_files import EXPERIMENT, checkpoints_in, weights_in
from editscope.training.settings import Experiment, experiment_of, read_document
from editscope.training.unused import SUPERVISED, refuse_unused, refuse_unwatched

TRAINED = "trained.json"
OTHER_WAYS = ("reinforcement", "planner")


@dataclass(frozen=True, eq=False)
class Arm:
    """One column of the tables: the untrained model (``base``), or one with trained weights.

    ``document`` is the experiment to train, with absolute paths; None if nothing is trained here. ``given`` are weights
    that the plan names.
    """

    name: str
    experiment: Experiment
    folder: Path
    document: Mapping[str, Any] | None = None
    given: Path | None = None
    notes: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """The name of the arm in tables."""
        return BASE if self.name == BASE else f"+ {self.name}"

    @property
    def trains(self) -> bool:
        """Whether the comparison trains it."""
        return self.document is not None

    @property
    def done(self) -> bool:
        """Whether its weights exist."""
        return not self.trains or (self.folder / TRAINED).is_file()

    @property
    def step(self) -> int:
        """The step of its last checkpoint; 0 if there is none."""
        there = checkpoints_in(self.folder) if self.trains else []
        return there[-1][0] if there else 0

    @property
    def weights(self) -> Path | None:
        """The path of its weights; None for the base, and for an arm that is not trained yet."""
        if self.given is not None or not self.done or not self.trains:
            return self.given
        stored = json.loads((self.folder / TRAINED).read_text(encoding="utf-8"))
        return (self.folder / str(stored["weights"])).resolve()

    @property
    def sampled(self) -> Experiment:
        """The experiment for making its edits: with a LoRA or a whole network, depending on its weights."""
        if self.weights is None:
            return self.experiment
        return replace(self.experiment, lora=None if self.weights.is_dir() else self.experiment.lora or LoraSettings())


def resolve_arms(plan: ComparisonPlan, out: Path) -> tuple[Arm, ...]:
    """The base and the arms of a plan; BadInput for an arm that cannot be trained or has another base model."""
    file = plan.folder / plan.experiment
    document = read_document(file)
    whole = _checked(document, file)
    base = Arm(BASE, whole, out / "arms" / BASE)
    return (base, *(_arm(arm, plan, document, file, whole, out / "arms" / folder_name(arm.name)) for arm in plan.arms))


def _arm(
    arm: ArmSettings, plan: ComparisonPlan, document: Mapping[str, Any], file: Path, base: Experiment, folder: Path
) -> Arm:
    where = f"{plan.file}, arm {arm.name!r}"
    if arm.weights:
        path = plan.folder / arm.weights
        given = weights_of_training(path, base, where) if (path / EXPERIMENT).is_file() else path
        check_weights(given, base, where)
        return Arm(arm.name, base, folder, given=given.resolve())
    if arm.experiment:
        file = plan.folder / arm.experiment
        own = anchored(read_document(file), file.parent)
    else:
        own = anchored(document, file.parent)
        own["data"] = {**own.get("data", {}), **anchored({"data": dict(arm.data)}, plan.folder)["data"]}
    experiment = _checked(own, file, folder_name(arm.name))
    _same_model(experiment, base, where)
    _has_data(experiment, where)
    made = Arm(arm.name, experiment, folder, document=own, notes=tuple(_notes(experiment, base, own)))
    if not made.done:
        refuse_unused(own, SUPERVISED, where)
        refuse_unwatched(experiment, where)
    return made


def _checked(document: Mapping[str, Any], file: Path, name: str = "") -> Experiment:
    experiment = experiment_of(document, file.name, name or file.stem, file.parent)
    for table in OTHER_WAYS:
        if table in experiment.extra:
            raise BadInput(
                f"{file.name} has a table [{table}], but a comparison only trains supervised experiments: train it "
                "separately, and name its weights in an arm"
            )
    return replace(experiment, name=name or experiment.name, evaluation=None)


def _same_model(experiment: Experiment, base: Experiment, where: str) -> None:
    for name in ("pipeline", "revision", "precision"):
        mine, theirs = getattr(experiment.model, name), getattr(base.model, name)
        same = full_place(mine) == full_place(theirs) if name == "pipeline" else mine == theirs
        if not same:
            raise BadInput(
                f"{where}: [model] {name} is {mine!r}, but {theirs!r} in the base; all arms must have the same "
                "base model"
            )


def _has_data(experiment: Experiment, where: str) -> None:
    """Raise BadInput for an arm without training data."""
    fix = "write [[arms.data.parts]] with a source, or name weights"
    if not experiment.data.get("parts"):
        raise BadInput(f"{where} trains on nothing: it has no data; {fix}")
    settings = data_settings(experiment.data, where, experiment.folder)
    for part in settings.parts:
        part.check(where)
        try:
            entries = open_source(part).entries
        except BadInput as error:
            raise BadInput(f"{where}, {error}") from error
        if entries == 0:
            raise BadInput(f"{where} trains on nothing: {part.label} has no records; {fix}")


def _notes(experiment: Experiment, base: Experiment, document: Mapping[str, Any]) -> list[str]:
    """Remarks on an arm: settings other than its data that differ from those of the plan."""
    mine, theirs = experiment.decides, base.decides
    apart = sorted(name for name in mine.keys() | theirs.keys() if mine.get(name) != theirs.get(name))
    notes = []
    if apart:
        listed = ", ".join(f"{name} is {mine.get(name)} (not {theirs.get(name)})" for name in apart)
        notes.append(f"more than its data differs: {listed}")
    if "evaluation" in document:
        notes.append("its table [evaluation] is ignored; the comparison has its own evaluations")
    return notes


def anchored(document: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """The tables of an experiment with absolute paths, so that its file can be anywhere."""
    home = folder.resolve()
    tables = {name: dict(table) if isinstance(table, Mapping) else table for name, table in document.items()}
    model = tables.get("model")
    if isinstance(model, dict) and _is_next_to(model.get("pipeline"), home):
        model["pipeline"] = str(home / model["pipeline"])
    for table, entry in (("training", "cache"), ("training", "deepspeed"), ("lora", "start")):
        if isinstance(tables.get(table), dict) and tables[table].get(entry):
            tables[table][entry] = str(home / str(tables[table][entry]))
    data = tables.get("data")
    if isinstance(data, dict) and isinstance(data.get("parts"), list):
        data["parts"] = [_anchored_part(part, home) if isinstance(part, Mapping) else part for part in data["parts"]]
    return tables


def _is_next_to(named: Any, home: Path) -> bool:
    """Whether a model is a folder that is only found from the file of its experiment, as ``experiment_of`` does."""
    return isinstance(named, str) and not Path(named).is_dir() and (home / named).is_dir()


def _anchored_part(part: Mapping[str, Any], home: Path) -> dict[str, Any]:
    source = str(part.get("source", ""))
    kind, _, target = source.partition(":")
    made = dict(part)
    if kind == "set" and target:
        made |= {"source": f"set:{home / target}", "name": part.get("name") or source}
    if isinstance(part.get("data"), str) and part["data"] and not part["data"].startswith("hf:"):
        made["data"] = str(home / part["data"])
    return made


def train_arm(arm: Arm, processes: int, *, say: Callable[[str], None], resume_with: str) -> None:
    """Train an arm to the end, from its last checkpoint if there is one. Does nothing if its weights exist."""
    if arm.done or arm.document is None:
        return
    file = arm.folder.parent / f"{arm.folder.name}.toml"
    kept = {name: table for name, table in arm.document.items() if name != "evaluation"}
    write_whole(file, toml_text({**kept, "name": arm.experiment.name}).encode())
    weights = _trained(arm, file, say, resume_with) if processes == 1 else _launched(arm, file, processes, resume_with)
    inside = weights.resolve().relative_to(arm.folder.resolve())
    write_whole(arm.folder / TRAINED, json.dumps({"weights": str(inside)}).encode())


def _trained(arm: Arm, file: Path, say: Callable[[str], None], resume_with: str) -> Path:
    """Train in this process, then free the memory of the device for the evaluations."""
    import torch

    from editscope.training.settings import read_experiment
    from editscope.training.supervised.start import train

    weights = train(
        read_experiment(file), arm.folder, source=file, resume=arm.step > 0, say=say, resume_with=resume_with
    )
    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
    return weights


def _launched(arm: Arm, file: Path, processes: int, resume_with: str) -> Path:
    """Train in several processes, started by accelerate."""
    command = [sys.executable, "-m", "accelerate.commands.launch", "--num_processes", str(processes)]
    # The experiment has all settings; accelerate would print a warning for each default that is not set.
    command += ["--num_machines", "1", "--mixed_precision", "no", "--dynamo_backend", "no", "-m", "editscope"]
    command += ["train", "run", str(file), "--out", str(arm.folder), *(["--resume"] if arm.step else [])]
    code = _waited(command)
    if code:
        raise Stopped(
            f"the training of {arm.name} ended with code {code} at step {arm.step} of "
            f"{arm.experiment.training.steps}; to resume, {resume_with}"
        )
    weights = weights_in(arm.folder)
    if weights is None:
        raise Stopped(f"the training of {arm.name} has written no weights to {arm.folder}; to resume, {resume_with}")
    return weights


def _waited(command: list[str]) -> int:
    """The exit code of a command; Ctrl-C and SIGTERM are passed on, and it stops by itself."""
    import signal

    process = subprocess.Popen(command)
    before = signal.signal(signal.SIGTERM, lambda *_: process.terminate())
    try:
        while True:
            try:
                return process.wait()
            except KeyboardInterrupt:  # the processes got it too; they save a checkpoint first
                continue
    finally:
        signal.signal(signal.SIGTERM, before)
