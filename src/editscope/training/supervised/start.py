"""A supervised run from its experiment: model, data, loop, evaluations, and the trained weights."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch

from editscope.documents import read_toml
from editscope.editors.diffusion.quiet import quiet
from editscope.errors import BadInput
from editscope.runfolder.files import write_whole
from editscope.trackers.targets import TENSORBOARD
from editscope.training.checkpoints import check_same, check_writable, read_state
from editscope.training.data.fixed_cases import fixed_cases
from editscope.training.data.loader import open_loader
from editscope.training.data.settings import DataSettings, data_settings
from editscope.training.log.settings import TrackingSettings
from editscope.training.log.tracker_feed import training_targets
from editscope.training.log.training_log import locked_folder
from editscope.training.models.loading import check_pipeline, load_trained_editor, model_identity
from editscope.training.models.lora_start import start_file
from editscope.training.models.pipeline_editor import PipelineFlowEditor
from editscope.training.monitors import read_monitors
from editscope.training.run_files import EXPERIMENT as EXPERIMENT
from editscope.training.run_files import FINAL, checkpoints_in
from editscope.training.settings import Experiment, read_table
from editscope.training.supervised.encoding import ExampleEncoder
from editscope.training.supervised.evaluation import Evaluation, evaluated_suite
from editscope.training.supervised.export import write_weights
from editscope.training.supervised.flow_matching import FlowObjective
from editscope.training.supervised.looks import FixedCaseLooks, sampler_of
from editscope.training.supervised.loop import Hooks, LoopSettings, TrainingLoop
from editscope.training.supervised.operations import OperationCounter
from editscope.training.supervised.outline import sides_of
from editscope.training.supervised.parallel import Processes, check_deepspeed
from editscope.training.supervised.settings import ScheduleSettings
from editscope.training.unused import SUPERVISED, refuse_unused, refuse_unwatched
from editscope.wording import count

Say = Callable[[str], None]

COMPILING = "compiling blocks; the first steps take longer"


def train(
    experiment: Experiment,
    folder: Path,
    *,
    source: Path | None = None,
    resume: bool = False,
    say: Say = lambda _: None,
    resume_with: str = "run the same command with --resume",
) -> Path:
    """Train what an experiment describes; returns the folder or file of the trained weights.

    ``source`` is the file of the experiment, which is copied to the folder. ``resume_with`` tells how to resume if the
    training is stopped.
    """
    check_folder(folder, resume, experiment.decides)
    training = experiment.training
    where = source.name if source else "the experiment"
    check_settings(experiment, where)
    tracking = tracking_of(experiment, where)
    read_monitors(experiment.extra.get("monitors", {}), where)
    processes = Processes(training.parallel, cpu=experiment.model.device == "cpu")
    processes.need(experiment.model.device, f"{where}, [model]")
    tell = say if processes.first else _silent
    if processes.first:
        check_trackers(tracking, folder, where)
    for note in warm_up_note(experiment.schedule, training.steps):
        tell(note)
    multiple = sides_of(experiment, check_pipeline(experiment.model))
    data = data_settings(experiment.data, where, experiment.folder)
    with (
        locked_folder(folder if processes.first else None) as journal,
        open_loader(
            data,
            batch=training.batch,
            multiple=multiple,
            rank=processes.number,
            world=processes.count,
            where=where,
            wanted=(training.steps, training.examples),
            say=tell,
        ) as loader,
        quiet(),
    ):
        seed_generators(training.seed)
        tell(f"loading {experiment.model.pipeline}")
        editor = load_trained_editor(
            experiment.model,
            experiment.lora,
            device=str(processes.device),
            start=start_file(experiment.lora, experiment.folder),
            where=f"{where}, [lora]",
        )
        hooks = _hooks(experiment, editor, folder, tracking, data, where, tell)
        loop = TrainingLoop(
            _objective(experiment, editor, tell),
            loader,
            loop_settings(experiment),
            folder,
            processes=processes,
            hooks=hooks,
            say=tell,
            resume_with=resume_with,
            trackers=tracking.trackers,
            journal=journal,
        )
        if resume:
            tell(resumed_in_words(loop.resume(), training.steps))
        elif processes.first and source is not None:
            keep_copy(source, experiment, folder)
        if experiment.model.compile:
            tell(COMPILING)
        loop.run()
        return write_weights(experiment, editor, loop, folder / FINAL)


def _objective(experiment: Experiment, editor: PipelineFlowEditor, say: Say) -> FlowObjective:
    """The loss of flow matching, with the embeddings and latents that are cached."""
    training = experiment.training
    cache = None if training.cache is None else experiment.folder / training.cache
    counts = OperationCounter.can_count(editor.network)
    return FlowObjective(
        editor,
        ExampleEncoder(editor, cache, encoding_identity(experiment), say),
        experiment.timesteps,
        drop_instruction=training.drop_instruction,
        counter=OperationCounter(editor.network, experiment.model.keep) if counts else None,
    )


def _hooks(
    experiment: Experiment,
    editor: PipelineFlowEditor,
    folder: Path,
    tracking: TrackingSettings,
    data: DataSettings,
    file: str,
    say: Say,
) -> Hooks:
    """What is done beside the steps: fixed cases, then the suite of ``[evaluation]``."""
    hooks = Hooks()
    if tracking.samples_every:
        cases = fixed_cases(data, tracking.samples, sides_of(experiment, check_pipeline(experiment.model)))
        say(f"fixed cases: {cases.origin}")
        looks = FixedCaseLooks(
            editor,
            cases,
            tracking,
            sampler_of(type(editor.pipe).__name__, tracking, experiment.evaluation),
            experiment.timesteps,
            read_monitors(experiment.extra.get("monitors", {}), file),
            say=say,
        )
        hooks = Hooks([looks.at_start], [looks.after_step], [looks.at_end])
    if experiment.evaluation is not None:
        evaluation = Evaluation(experiment, editor, folder, say)
        hooks = Hooks(hooks.at_start, [*hooks.after_step, evaluation.after_step], [*hooks.at_end, evaluation.at_end])
    return hooks


def keep_copy(source: Path, experiment: Experiment, folder: Path) -> None:
    """Copy the file of an experiment to the folder of its run.

    The copy has absolute paths of a model in a folder, its planner, and a LoRA to start from, so that it works from
    anywhere.
    """
    text, place = source.read_text(encoding="utf-8"), Path(experiment.model.pipeline)
    if place.is_dir():
        text = named_in_full(text, "model", "pipeline", place)
    planner = experiment.extra.get("planner", {}).get("model")
    if isinstance(planner, str) and (experiment.folder / planner).is_dir():
        text = named_in_full(text, "planner", "model", experiment.folder / planner)
    if start := start_file(experiment.lora, experiment.folder):
        text = named_in_full(text, "lora", "start", start)
    write_whole(folder / EXPERIMENT, text.encode())


def named_in_full(text: str, table: str, entry: str, place: Path) -> str:
    """A TOML text with an absolute path at an entry; unchanged if the entry cannot be found unambiguously."""
    named = f"{entry} = {json.dumps(str(place.absolute()), ensure_ascii=False)}"
    changed = re.sub(
        rf"""^([ \t]*){entry}[ \t]*=[ \t]*("[^"\n]*"|'[^'\n]*')""", lambda at: at[1] + named, text, flags=re.M
    )
    before, after = read_toml(text), read_toml(changed)
    before[table][entry] = str(place.absolute())
    return changed if before == after else text


def check_settings(experiment: Experiment, file: str) -> None:
    """Raise BadInput for settings that exclude each other, or name missing files. Loads nothing and calls nobody."""
    if "reinforcement" not in experiment.extra:
        refuse_unused(experiment.given, SUPERVISED, file)
        refuse_unwatched(experiment, file)
    training = experiment.training
    if experiment.model.compile and training.parallel == "fsdp":
        raise BadInput(f'{file}, [model] compile: is not supported with parallel = "fsdp"; remove it, or use "ddp"')
    if training.deepspeed is not None:
        check_deepspeed(experiment.folder / training.deepspeed, training, training.clip)
    start_file(experiment.lora, experiment.folder, f"{file}, [lora]")
    if experiment.evaluation is not None:
        evaluated_suite(experiment, file)


def check_trackers(tracking: TrackingSettings, folder: Path, file: str) -> None:
    """Raise BadInput for a tracker without its package or key. The default one logs into the folder of the run."""
    try:
        training_targets(folder, [text for text in tracking.trackers if text != TENSORBOARD], _silent)
    except BadInput as error:
        raise BadInput(f"{file}, {error}") from error


def warm_up_note(schedule: ScheduleSettings, steps: int) -> list[str]:
    """A sentence if the rate rises until the end, else none."""
    if schedule.warmup < steps:
        return []
    return [f"[schedule] warmup: {schedule.warmup:,} of {steps:,} steps, so the rate rises until the end"]


def resumed_in_words(done: int, of: int, unit: str = "step") -> str:
    """The line after a checkpoint is loaded.

    >>> resumed_in_words(3, 6), resumed_in_words(6, 6, "round")
    ('resuming after step 3 of 6', 'all 6 rounds are done; the weights are written again')
    """
    if done >= of:
        return f"all {count(of, unit)} are done; the weights are written again"
    return f"resuming after {unit} {done} of {of}"


def seed_generators(seed: int) -> None:
    """Seed the generators of Python, NumPy and PyTorch: first weights of LoRA layers are drawn from them."""
    random.seed(seed)
    np.random.seed(seed % 2**32)
    torch.manual_seed(seed)


def tracking_of(experiment: Experiment, file: str) -> TrackingSettings:
    """The table ``[tracking]`` of an experiment."""
    return read_table(TrackingSettings, experiment.extra.get("tracking", {}), f"{file}, [tracking]")


def loop_settings(experiment: Experiment) -> LoopSettings:
    """The settings of the loop from an experiment."""
    return LoopSettings(
        experiment.training,
        experiment.optimizer,
        experiment.schedule,
        experiment.ema,
        experiment.checkpoints,
        experiment.decides,
        shown={**experiment.decides, "data": dict(experiment.data)},
    )


def check_folder(folder: Path, resume: bool, decides: Mapping[str, Any] | None = None) -> None:
    """Raise BadInput if a run would overwrite another one, or there is nothing to resume. Loads nothing.

    ``decides`` are the settings that the last checkpoint must have.
    """
    if folder.exists() and not folder.is_dir():
        raise BadInput(f"{folder} is a file; choose a folder with --out")
    check_writable(folder)
    there = checkpoints_in(folder)
    if resume and not there:
        raise BadInput(f"{folder} has no checkpoint to resume from; run without --resume")
    if there and not resume:
        raise BadInput(
            f"{folder} has a checkpoint of step {there[-1][0]}; add --resume to continue, or choose another --out"
        )
    if there and decides is not None:
        place = there[-1][1]
        check_same(place, read_state(place)["settings"], decides)


def encoding_identity(experiment: Experiment) -> str:
    """Everything that embeddings and latents depend on, apart from text and pixels."""
    model = experiment.model
    about: tuple[Any, ...] = (model_identity(model), model.precision, model.text_tokens, model.input_area)
    return "\x1f".join(map(str, about))


def _silent(_: str) -> None:
    pass
