"""Outlines of training runs, as ``--dry-run`` prints them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from editscope import printing

if TYPE_CHECKING:
    from editscope.training.planner.outline import PlannerOutline
    from editscope.training.settings import Experiment
    from editscope.training.supervised.outline import RunOutline
    from editscope.transport.forecast import Forecast

Row = tuple[str, str]


def say_outline(experiment: Experiment, file: str, folder: Path, resume: bool) -> None:
    """Print what a supervised run will do."""
    from editscope.training.monitors import read_monitors
    from editscope.training.run_files import checkpoints_in
    from editscope.training.supervised.outline import outline
    from editscope.training.supervised.start import (
        check_folder,
        check_settings,
        check_trackers,
        tracking_of,
        warm_up_note,
    )

    if resume or not folder.is_dir():
        check_folder(folder, resume, experiment.decides)
    check_settings(experiment, file)
    check_trackers(tracking_of(experiment, file), folder, file)
    read_monitors(experiment.extra.get("monitors", {}), file)
    plan = outline(experiment, file=file)
    there = checkpoints_in(folder)
    rows = [
        *_model_rows(experiment.model.pipeline, experiment.model.device, plan),
        ("steps", f"{plan.steps:,}" + (f", from {there[-1][0]:,}" if there and resume else "")),
        ("examples of a step", f"{plan.examples} in batches of {experiment.training.batch}, over all processes"),
        ("pictures seen", f"{plan.pictures:,}"),
        *(("data", sentence) for sentence in plan.checked),
        ("records", "endless" if plan.records is None else f"{plan.records:,}"),
        *([] if plan.epochs is None else [("epochs", f"{plan.epochs:.2f}")]),
        ("rate", f"{experiment.optimizer.rate:g}, {experiment.schedule.kind}, warm-up {experiment.schedule.warmup}"),
        *(("note", note) for note in warm_up_note(experiment.schedule, plan.steps)),
        *_memory_rows(plan.memory),
        ("memory in all, about", f"{_in_all(plan.memory)} for each process"),
        ("checkpoints", f"every {experiment.checkpoints.every} steps, the last {experiment.checkpoints.keep} are kept"),
        ("folder", _place(folder, resume, [step for step, _ in there])),
    ]
    say_rows(rows)


def say_reinforcement(experiment: Experiment, file: str, folder: Path, resume: bool) -> None:
    """Print what reinforcement learning will do: what is sampled, computed, asked and paid."""
    from editscope.training.reinforcement.outline import outline_reinforcement
    from editscope.training.reinforcement.settings import fixed_settings
    from editscope.training.reinforcement.start import decided_settings
    from editscope.training.run_files import checkpoints_in
    from editscope.training.supervised.start import check_folder, check_trackers, tracking_of
    from editscope.transport.forecast import Forecast

    check_trackers(tracking_of(experiment, file), folder, file)
    plan = outline_reinforcement(experiment, file)
    if resume or not folder.is_dir():
        decides = decided_settings(experiment, plan.prompt, file)
        check_folder(folder, resume, {**decides, **fixed_settings(plan.settings)})
    settings, there = plan.settings, checkpoints_in(folder)
    height, width = plan.size
    spent = Forecast(plan.judges)
    steps = f"{settings.steps} steps" + ("" if settings.method == "nft" else f", {settings.window_size} stochastic")
    rows = [
        *_model_rows(experiment.model.pipeline, experiment.model.device, plan.model),
        ("method", f"{settings.method}, trains {settings.trains}; edits of {width} × {height} pixels in {steps}"),
        ("rounds", f"{settings.rounds:,}" + (f", from {there[-1][0]:,}" if there and resume else "")),
        ("edits sampled", f"{plan.edits:,}: {settings.prompts} prompts × {settings.group_size} edits a round"),
        ("calls of the network", f"{plan.sampling_calls:,} to sample, {plan.training_calls:,} to train"),
        ("optimizer steps", f"{plan.updates:,}, batches of {settings.batch} at once"),
        *([] if plan.prompt is None else [("planner prompt", f"from {plan.prompt.origin}")]),
        *(("asked", part.in_words("about ")) for part in plan.judges if part.calls),
        ("judges in all, about", _cost(spent) if any(part.calls for part in plan.judges) else "none is asked"),
        *_memory_rows(plan.memory),
        ("memory in all, about", f"{_in_all(plan.memory)} for each process, without a planner"),
        ("memory of the CPU", f"{_gibibytes(plan.waiting)} for the batches of a round, over all processes"),
        ("checkpoints", f"every {settings.save_every} rounds, the last {experiment.checkpoints.keep} are kept"),
        ("folder", _place(folder, resume, [step for step, _ in there])),
    ]
    say_rows(rows)


def say_planner(file: Path, folder: Path, resume: bool) -> None:
    """Print what the training of a planner will do."""
    from editscope.training.planner.experiment import read_planner
    from editscope.training.planner.outline import outline_planner
    from editscope.training.run_files import checkpoints_in
    from editscope.training.supervised.start import check_folder, warm_up_note

    experiment = read_planner(file)
    if resume or not folder.is_dir():
        check_folder(folder, resume, experiment.decides)
    plan = outline_planner(experiment, file.name)
    training, schedule, there = experiment.training, experiment.schedule, checkpoints_in(folder)
    checkpoints, seen = experiment.checkpoints, training.steps * training.examples
    rows = [
        *_model_rows(experiment.planner.model, experiment.planner.device, plan),
        ("steps", f"{training.steps:,}" + (f", from {there[-1][0]:,}" if there and resume else "")),
        ("examples of a step", f"{training.examples} in batches of {training.batch}, over all processes"),
        ("pairs", f"{plan.pairs:,}, each seen {seen / plan.pairs:,.2f} times; the longest has {plan.longest:,} tokens"),
        ("rate", f"{experiment.optimizer.rate:g}, {schedule.kind}, warm-up {schedule.warmup}"),
        *(("note", note) for note in warm_up_note(schedule, training.steps)),
        *_memory_rows(plan.memory),
        ("memory in all, about", f"{_in_all(plan.memory)} for each process, without activations"),
        ("checkpoints", f"every {checkpoints.every} steps, the last {checkpoints.keep} are kept"),
        ("folder", _place(folder, resume, [step for step, _ in there])),
    ]
    say_rows(rows)


def _place(folder: Path, resume: bool, steps: Sequence[int]) -> str:
    begun = f"; it has a checkpoint of step {steps[-1]:,}, so add --resume" if steps and not resume else ""
    return f"{folder}{begun}"


def _memory_rows(memory: Mapping[str, int | None]) -> list[Row]:
    return [(f"memory: {name}", _gibibytes(size)) for name, size in memory.items() if size != 0]


def _in_all(memory: Mapping[str, int | None]) -> str:
    return _gibibytes(sum(filter(None, memory.values())))


def _gibibytes(size: int | None) -> str:
    if size is None:
        return "unknown until they are downloaded"
    return f"{size / (1 << 30):.2f} GiB" if size >= 1 << 27 else f"{size / (1 << 20):.2f} MiB"


def _cost(spent: Forecast) -> str:
    known = f"${spent.known_usd:,.2f}"
    return f"{known}, plus {len(spent.unknown)} without a known price" if spent.unknown else known


def _model_rows(model: str, device: str, plan: RunOutline | PlannerOutline) -> list[Row]:
    share = plan.trained / plan.parameters
    how = f"LoRA in {plan.targets} modules" if plan.targets else "the whole network"
    return [
        ("model", f"{model} ({plan.family})"),
        *_device_row(device),
        ("parameters", f"{plan.parameters:,}"),
        ("trained", f"{plan.trained:,} ({share:.2%}): {how}"),
    ]


def _device_row(device: str) -> list[Row]:
    """A row for a device that this machine lacks: dry runs are often made on another machine."""
    import torch

    here = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if here.get(device, True):
        return []
    return [("device", f"{device}: not on this machine, so the run would be refused here")]


def say_rows(rows: Sequence[Row]) -> None:
    """Print the rows of an outline."""
    from rich.table import Table

    table = Table(show_header=False, box=None, pad_edge=False)
    for name, value in rows:
        table.add_row(name, value)
    printing.console().print(table)
