"""Reinforcement learning from an experiment: model, planner, data, rewards, monitors, and the weights that come out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack, closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch

from editscope.editors.diffusion.quiet import quiet
from editscope.errors import BadInput, Stopped
from editscope.runfolder.journal import Journal
from editscope.training.checkpoints import checkpoints_in
from editscope.training.data.loader import open_loader
from editscope.training.data.settings import data_settings
from editscope.training.log.training_log import TrainingLog, locked_folder
from editscope.training.models.loading import check_pipeline, load_trained_editor
from editscope.training.models.lora import WEIGHTS
from editscope.training.models.lora_start import start_file
from editscope.training.models.pipeline_editor import PipelineFlowEditor
from editscope.training.models.settings import LoraSettings, Precision
from editscope.training.monitors import MonitorSettings, read_monitors
from editscope.training.planner.folders import find_planner, planner_config, put_layers, readable
from editscope.training.planner.start import add_planner_lora
from editscope.training.reinforcement.exchange import ProcessExchange
from editscope.training.reinforcement.held_out import HeldOut, export
from editscope.training.reinforcement.loop import Metrics, reinforce
from editscope.training.reinforcement.planner import Planner, chat_encoder
from editscope.training.reinforcement.reward_table import decided_by_rewards, reward_mix, table_of
from editscope.training.reinforcement.run_folder import FolderCheckpoints
from editscope.training.reinforcement.settings import ReinforcementSettings, fixed_settings, read_settings
from editscope.training.reinforcement.unused import refuse_unused
from editscope.training.settings import Experiment, flattened, read_table
from editscope.training.supervised.evaluation import in_words
from editscope.training.supervised.export import FINAL
from editscope.training.supervised.outline import sides_of
from editscope.training.supervised.parallel import Processes
from editscope.training.supervised.start import (
    COMPILING,
    check_folder,
    check_settings,
    check_trackers,
    keep_copy,
    seed_generators,
    tracking_of,
)

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class PlannerChoice:
    """Table ``[planner]`` beside ``[reinforcement]``: the folder of a language model, or of a planner's training.

    With ``rank`` LoRA layers of its attention are trained, without it all weights. ``precision`` is that of weights
    that stay as they are.
    """

    model: str
    precision: Precision = "bf16"
    rank: int | None = None

    def check(self, where: str) -> None:
        """Raise BadInput for a rank that no LoRA can have."""
        if self.rank is not None:
            LoraSettings(self.rank).check(where)


def reinforce_experiment(
    experiment: Experiment,
    folder: Path,
    *,
    source: Path | None = None,
    resume: bool = False,
    on_round: Callable[[int, Metrics], None] = lambda number, metrics: None,
    say: Say = lambda _: None,
) -> Path:
    """Train what an experiment describes by its rewards; gives the weights that come out.

    The experiment needs the tables ``[reinforcement]`` and ``[rewards]``; ``[planner]`` and ``[monitors]`` as needed.
    With ``[evaluation]`` the headline metric of that suite is the held-out score.
    """
    file = source.name if source else "experiment.toml"
    settings, monitors = read_reinforcement(experiment, file)
    decides = {**experiment.decides, **decided_by_rewards(experiment, file)}
    check_folder(folder, resume, {**decides, **fixed_settings(settings)})
    check_settings(experiment, file)
    check_planner(experiment, settings, file)
    processes = Processes("ddp", cpu=experiment.model.device == "cpu")
    processes.need(experiment.model.device, f"{file}, [model]")
    exchange = ProcessExchange(processes)
    tell = say if processes.first else _silent
    if processes.first:
        check_trackers(tracking_of(experiment, file), folder, file)
    mix = reward_mix(experiment, settings, file, tell)
    device = str(processes.device)
    data = data_settings(experiment.data, file, experiment.folder)
    multiple = sides_of(experiment, check_pipeline(experiment.model))
    with (
        ExitStack() as held,
        closing(mix.rewards),
        open_loader(data, batch=1, multiple=multiple, answers=False, where=file) as examples,
        quiet(),
    ):
        journal = _held(held, folder, exchange)
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
        editor.bf16 = experiment.model.precision == "bf16"
        planner = _planner(experiment, settings, file, device)
        reached = checkpoints_in(folder)[-1][0] if resume else 0
        if resume:
            tell(f"going on after round {reached} of {settings.rounds}")
        shown = shown_settings(experiment, settings, monitors)
        log = _opened_log(experiment, shown, folder, file, reached, exchange, journal)
        if source is not None and not resume and processes.first:
            keep_copy(source, experiment, folder)

        def logged(number: int, metrics: Metrics) -> None:
            nonlocal reached
            reached = number + 1
            log.step(reached, metrics)
            tell(_line(number, settings.rounds, metrics))
            on_round(number, metrics)

        def scored(rounds: int, metrics: Metrics) -> None:
            log.step(rounds, metrics)
            names = {
                name.removeprefix("held_out/"): value for name, value in metrics.items() if name.startswith("held_out/")
            }
            tell(f"held-out scores after round {rounds}: {in_words(names)}")

        def saved(rounds: int) -> None:
            log.event(rounds, "checkpoint", f"Checkpoint of round {rounds} saved.")

        if experiment.model.compile:
            tell(COMPILING)
        try:
            reinforce(
                editor,
                examples,
                mix,
                settings,
                planner=planner,
                monitors=monitors,
                held_out=None if experiment.evaluation is None else HeldOut(experiment, editor, folder, tell),
                checkpoints=FolderCheckpoints(folder, experiment.checkpoints.keep, decides, saved),
                on_round=logged,
                on_held_out=scored,
                exchange=exchange,
            )
        except Stopped as stop:
            log.event(reached, "stopped", str(stop))
            raise
        finally:
            log.close()
        exchange.by_first(lambda: _write(experiment, editor, planner, settings, folder))
    if not settings.paints:
        return folder / "planner"
    return folder / FINAL if experiment.lora is None else folder / FINAL / WEIGHTS


def read_reinforcement(experiment: Experiment, file: str) -> tuple[ReinforcementSettings, MonitorSettings]:
    """The tables ``[reinforcement]`` and ``[monitors]`` of an experiment, and whether the rest goes with them."""
    settings = read_settings(table_of(experiment, "reinforcement", file), file)
    refuse_unused(experiment, file)
    if experiment.training.parallel != "ddp":
        raise BadInput(
            f'{file}, [training] parallel: reinforcement learning keeps all weights in every process; write "ddp", not '
            f'"{experiment.training.parallel}", and a LoRA where the weights are too large'
        )
    if settings.plans and not experiment.extra.get("planner"):
        raise BadInput(
            f'{file}, [reinforcement] trains: "{settings.trains}" needs a planner; add [planner] model = "FOLDER", or '
            'write trains = "painter"'
        )
    return settings, _monitors(experiment, file)


def _monitors(experiment: Experiment, file: str) -> MonitorSettings:
    """The table ``[monitors]``; BadInput for a limit on numbers that a run by rewards, or this one, does not have."""
    table = experiment.extra.get("monitors", {})
    monitors = read_monitors(table, file)
    if table.get("held_out_fall", False) is not False and experiment.evaluation is None:
        raise BadInput(
            f"{file}, [monitors] held_out_fall: compares the reward with a held-out score, and there is none; add "
            '[evaluation] suite = "NAME", or take it out'
        )
    if table.get("held_out_above", False) is not False:
        raise BadInput(
            f"{file}, [monitors] held_out_above: watches the loss of supervised training, which a run by rewards does "
            "not have; write held_out_fall, or take it out"
        )
    return monitors


def shown_settings(
    experiment: Experiment, settings: ReinforcementSettings, monitors: MonitorSettings
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
    return {**flattened(tables), **flattened(others), "data": dict(experiment.data)}


def load_planner(
    folder: Path, settings: ReinforcementSettings, device: str = "cpu", chosen: PlannerChoice | None = None
) -> Planner:
    """The planner in a folder: a vision-language model, or a language model that reads the instruction alone.

    Weights that are trained are float32, so that small steps are not lost; others are as the file has them. A LoRA of
    a training of the planner goes on, or is merged where all weights are trained.
    """
    import transformers

    from editscope.judges.local.model import load_processor

    rank = None if chosen is None else chosen.rank
    exact = (settings.plans and rank is None) or (chosen is not None and chosen.precision == "fp32")
    weights = find_planner(str(folder), "[planner]")
    config = planner_config(weights, "[planner]")
    with readable(weights, "[planner]"), quiet():
        kinds = transformers.models.auto.modeling_auto.MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES
        sees = config.model_type in kinds
        kind = transformers.AutoModelForImageTextToText if sees else transformers.AutoModelForCausalLM
        loaded = kind.from_pretrained(
            weights.model, revision=weights.revision, dtype=torch.float32 if exact else "auto"
        ).to(device)
        network = put_layers(loaded, weights, trained=settings.plans, merged=settings.plans and rank is None)
        tokens, revision = weights.tokenizer
        processor = (
            load_processor(transformers, Path(weights.model))
            if sees
            else transformers.AutoTokenizer.from_pretrained(tokens, revision=revision)
        )
    if settings.plans and rank is not None and weights.layers is None:
        add_planner_lora(network, LoraSettings(rank))
    tokenizer = processor.tokenizer if sees else processor
    encode = chat_encoder(processor, pictures=sees)
    most, temperature = settings.planner_tokens, settings.planner_temperature
    return Planner(network, tokenizer, encode, most_tokens=most, temperature=temperature)


def check_planner(experiment: Experiment, settings: ReinforcementSettings, file: str) -> None:
    """Raise BadInput for a planner that could not be loaded; only its configuration is read."""
    chosen, where = planner_choice(experiment, file), f"{file}, [planner]"
    if chosen is None:
        return
    folder = experiment.folder / chosen.model
    if not folder.is_dir():
        raise BadInput(
            f"{where} model: {folder} is no folder; give that of a model of transformers, or of a planner's training"
        )
    weights = find_planner(str(folder), where)
    if settings.plans:
        weights.check_rank(chosen.rank, where)
    planner_config(weights, where)


def _planner(experiment: Experiment, settings: ReinforcementSettings, file: str, device: str) -> Planner | None:
    chosen = planner_choice(experiment, file)
    return None if chosen is None else load_planner(experiment.folder / chosen.model, settings, device, chosen)


def planner_choice(experiment: Experiment, file: str) -> PlannerChoice | None:
    """The table ``[planner]`` of an experiment; None where it has none."""
    table = experiment.extra.get("planner", {})
    return read_table(PlannerChoice, table, f"{file}, [planner]") if table else None


def _held(held: ExitStack, folder: Path, exchange: ProcessExchange) -> Journal | None:
    """The journal of the run, which the first process holds; what another run in the folder refuses, ends all."""
    journals: list[Journal | None] = []
    exchange.by_first(lambda: journals.append(held.enter_context(locked_folder(folder))))
    return journals[0] if journals else None


def _opened_log(
    experiment: Experiment,
    shown: Mapping[str, Any],
    folder: Path,
    file: str,
    start: int,
    exchange: ProcessExchange,
    journal: Journal | None,
) -> TrainingLog:
    """The log of the first process; one that logs nothing in the others."""
    logs: list[TrainingLog] = []
    trackers = tracking_of(experiment, file).trackers

    def open_log() -> None:
        logs.append(TrainingLog(folder, settings=shown, trackers=trackers, start=start, journal=journal))

    exchange.by_first(open_log)
    return logs[0] if logs else TrainingLog(None)


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


def _line(number: int, rounds: int, metrics: Metrics) -> str:
    seconds = sum(value for name, value in metrics.items() if name.startswith("seconds/"))
    reward = f"reward {metrics['reward/total']:.4f}" if "reward/total" in metrics else "no verdict"
    speed = metrics.get("pictures", 0.0) / max(seconds, 1e-9)
    edits, lost = metrics.get("pictures", 0.0), metrics.get("groups/without_verdict", 0.0)
    without = f", {lost:.0f} of {edits:.0f} without a verdict" if lost else ""
    return f"round {number + 1} of {rounds}: {reward}, {edits:.0f} edits{without}, {speed:.2f} pictures/s"


def _silent(_: str) -> None:
    pass
