"""Reinforcement learning from an experiment: model, planner, data, rewards, monitors, and the weights that come out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack, closing
from dataclasses import asdict
from pathlib import Path
from typing import Any

from editscope.editors.diffusion.quiet import quiet
from editscope.errors import BadInput
from editscope.runfolder.journal import Journal
from editscope.training.checkpoints import checkpoints_in
from editscope.training.log.training_log import TrainingLog, locked_folder
from editscope.training.models.loading import load_trained_editor
from editscope.training.models.lora import WEIGHTS
from editscope.training.models.lora_start import start_file
from editscope.training.models.pipeline_editor import PipelineFlowEditor
from editscope.training.monitors import MonitorSettings, read_monitors
from editscope.training.reinforcement.held_out import HeldOut, export
from editscope.training.reinforcement.loop import reinforce
from editscope.training.reinforcement.planner import Planner
from editscope.training.reinforcement.planner_start import UsedPrompt, check_planner, decided_by_prompt, planner_of
from editscope.training.reinforcement.reward_table import decided_by_rewards, reward_mix, table_of
from editscope.training.reinforcement.round_log import RoundLog
from editscope.training.reinforcement.run_folder import FolderCheckpoints
from editscope.training.reinforcement.settings import ReinforcementSettings, fixed_settings, read_settings
from editscope.training.reinforcement.sources import open_examples
from editscope.training.settings import Experiment, flattened
from editscope.training.supervised.exchange import ProcessExchange
from editscope.training.supervised.export import FINAL
from editscope.training.supervised.parallel import Processes
from editscope.training.supervised.start import (
    COMPILING,
    check_folder,
    check_settings,
    check_trackers,
    keep_copy,
    resumed_in_words,
    seed_generators,
    tracking_of,
)
from editscope.training.unused import REINFORCEMENT, refuse_unused

Say = Callable[[str], None]


def reinforce_experiment(
    experiment: Experiment,
    folder: Path,
    *,
    source: Path | None = None,
    resume: bool = False,
    say: Say = lambda _: None,
) -> Path:
    """Train what an experiment describes by its rewards; returns the place of the trained weights.

    The experiment needs the tables ``[reinforcement]`` and ``[rewards]``; ``[planner]`` and ``[monitors]`` as needed.
    With ``[evaluation]``, the headline metric of that suite is the held-out score.
    """
    file = source.name if source else "experiment.toml"
    settings, monitors = read_reinforcement(experiment, file)
    prompt = check_planner(experiment, settings, file)
    decides = decided_settings(experiment, prompt, file)
    check_folder(folder, resume, {**decides, **fixed_settings(settings)})
    check_settings(experiment, file)
    processes = Processes("ddp", cpu=experiment.model.device == "cpu")
    processes.need(experiment.model.device, f"{file}, [model]")
    exchange = ProcessExchange(processes)
    tell = say if processes.first else _silent
    if processes.first:
        check_trackers(tracking_of(experiment, file), folder, file)
    mix = reward_mix(experiment, settings, file, tell)
    device = str(processes.device)
    with (
        ExitStack() as held,
        closing(mix.rewards),
        open_examples(experiment, settings, file) as examples,
        quiet(),
    ):
        journal = exchange.kept_by_first(lambda: held.enter_context(locked_folder(folder)))
        exchange.by_first(mix.rewards.prepare)
        seed_generators(experiment.training.seed)
        tell(f"loading {experiment.model.pipeline}")
        editor = load_trained_editor(
            experiment.model,
            experiment.lora,
            device=device,
            start=start_file(experiment.lora, experiment.folder),
            where=f"{file}, [lora]",
        )
        planner = planner_of(experiment, settings, file, device)
        if prompt is not None:
            tell(f"planner prompt: from {prompt.origin}")
        reached = checkpoints_in(folder)[-1][0] if resume else 0
        if resume:
            tell(resumed_in_words(reached, settings.rounds, "round"))
        shown = shown_settings(experiment, settings, monitors, prompt)
        log = RoundLog(
            _opened_log(experiment, shown, folder, file, reached, exchange, journal), settings.rounds, reached, tell
        )
        if source is not None and not resume and processes.first:
            keep_copy(source, experiment, folder)
        if experiment.model.compile:
            tell(COMPILING)
        checkpoints = FolderCheckpoints(folder, experiment.checkpoints.keep, decides, log.saved)
        with log.open():
            reinforce(
                editor,
                examples,
                mix,
                settings,
                planner=planner,
                monitors=monitors,
                held_out=None if experiment.evaluation is None else HeldOut(experiment, editor, folder, tell),
                checkpoints=checkpoints,
                on_round=log.round,
                on_held_out=log.held_out,
                on_early_end=log.ended,
                exchange=exchange,
            )
        exchange.by_first(lambda: _write(experiment, editor, planner, settings, folder))
    if not settings.paints:
        return folder / "planner"
    return folder / FINAL if experiment.lora is None else folder / FINAL / WEIGHTS


def decided_settings(experiment: Experiment, prompt: UsedPrompt | None, file: str) -> dict[str, Any]:
    """The settings that a checkpoint must have to be resumed from, apart from those of ``[reinforcement]``."""
    return {**experiment.decides, **decided_by_rewards(experiment, file), **decided_by_prompt(prompt)}


def read_reinforcement(experiment: Experiment, file: str) -> tuple[ReinforcementSettings, MonitorSettings]:
    """The tables ``[reinforcement]`` and ``[monitors]`` of an experiment; BadInput if the rest does not fit them."""
    settings = read_settings(table_of(experiment, "reinforcement", file), file)
    refuse_unused(experiment.given, REINFORCEMENT, file)
    if experiment.training.parallel != "ddp":
        raise BadInput(
            f'{file}, [training] parallel: reinforcement learning keeps all weights in every process; write "ddp", not '
            f'"{experiment.training.parallel}", and use a LoRA if the weights are too large'
        )
    if settings.plans and "planner" not in experiment.extra:
        raise BadInput(
            f'{file}, [reinforcement] trains: "{settings.trains}" needs a planner; add [planner] model = "FOLDER", or '
            'write trains = "painter"'
        )
    return settings, _monitors(experiment, file)


def _monitors(experiment: Experiment, file: str) -> MonitorSettings:
    """The table ``[monitors]``; BadInput for a limit on a number that this run does not have."""
    table = experiment.extra.get("monitors", {})
    monitors = read_monitors(table, file)
    if table.get("held_out_fall", False) is not False and experiment.evaluation is None:
        raise BadInput(
            f"{file}, [monitors] held_out_fall: compares the reward with a held-out score, but there is none; add "
            '[evaluation] suite = "NAME", or remove it'
        )
    if table.get("held_out_above", False) is not False:
        raise BadInput(
            f"{file}, [monitors] held_out_above: watches the loss of supervised training, which reinforcement "
            "learning does not have; write held_out_fall, or remove it"
        )
    return monitors


def shown_settings(
    experiment: Experiment,
    settings: ReinforcementSettings,
    monitors: MonitorSettings,
    prompt: UsedPrompt | None = None,
) -> dict[str, Any]:
    """The settings that such a run uses, as its log and its page show them."""
    tables: dict[str, Any] = {
        "model": experiment.model,
        "lora": experiment.lora,
        "training": {"seed": experiment.training.seed},
        "reinforcement": settings,
        "monitors": monitors,
        "checkpoints": {"keep": experiment.checkpoints.keep},
    }
    if experiment.evaluation is not None:
        tables["evaluation"] = {name: v for name, v in asdict(experiment.evaluation).items() if name != "every"}
    others = {name: experiment.extra[name] for name in ("rewards", "planner") if name in experiment.extra}
    used = {} if prompt is None else {"planner.prompt": prompt.prompt.text}
    return {**flattened(tables), **flattened(others), **used, "data": dict(experiment.data)}


def _opened_log(
    experiment: Experiment,
    shown: Mapping[str, Any],
    folder: Path,
    file: str,
    start: int,
    exchange: ProcessExchange,
    journal: Journal | None,
) -> TrainingLog:
    """The log in the first process; one that logs nothing in the others."""
    trackers = tracking_of(experiment, file).trackers
    log = exchange.kept_by_first(
        lambda: TrainingLog(folder, settings=shown, trackers=trackers, start=start, journal=journal)
    )
    return TrainingLog(None) if log is None else log


def _write(
    experiment: Experiment,
    editor: PipelineFlowEditor,
    planner: Planner | None,
    settings: ReinforcementSettings,
    folder: Path,
) -> None:
    """Write what was trained."""
    if planner is not None and settings.plans:
        planner.save(folder / "planner")
    if settings.paints:
        export(experiment, editor, folder / FINAL)


def _silent(_: str) -> None:
    pass
