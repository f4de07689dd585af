"""Text fine-tuning of a planner from its experiment, with the loop and the checkpoints of all training."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import torch

from editscope.editors.diffusion.quiet import quiet
from editscope.runfolder.files import write_whole
from editscope.training.log.training_log import locked_folder
from editscope.training.models.lora import add_lora
from editscope.training.models.settings import LoraSettings
from editscope.training.planner.experiment import PlannerExperiment, read_planner
from editscope.training.planner.folders import find_planner, load_tokenizer, put_layers, readable, save_planner
from editscope.training.planner.objective import PlannerObjective, longest_pair
from editscope.training.planner.pairs import PairLoader, read_pairs
from editscope.training.planner.prompts import PlannerPrompt
from editscope.training.planner.settings import PlannerSettings
from editscope.training.supervised.export import FINAL
from editscope.training.supervised.loop import LoopSettings, TrainingLoop
from editscope.training.supervised.parallel import Processes, whole
from editscope.training.supervised.start import (
    EXPERIMENT,
    check_folder,
    named_in_full,
    resumed_in_words,
    seed_generators,
    warm_up_note,
)
from editscope.training.weights import copied_in, trained_parameters

ATTENTION = ("q_proj", "k_proj", "v_proj", "o_proj")


def train_planner(
    file: Path, folder: Path, *, resume: bool = False, say: Callable[[str], None] = lambda _: None
) -> Path:
    """Train the planner of an experiment; returns the folder of its weights.

    ``[data] pairs`` names a JSON Lines file of instructions and plans.
    """
    experiment = read_planner(file)
    planner, training = experiment.planner, experiment.training
    check_folder(folder, resume, experiment.decides)
    pairs = read_pairs(experiment.pairs)
    processes = Processes(training.parallel, cpu=planner.device == "cpu")
    processes.need(planner.device, f"{file.name}, [planner]")
    tell = say if processes.first else lambda _: None
    with locked_folder(folder if processes.first else None) as journal:
        seed_generators(training.seed)
        for note in warm_up_note(experiment.schedule, training.steps):
            tell(note)
        tell(f"loading {planner.model}")
        network, tokenizer = load_language_model(planner, experiment.lora, str(processes.device))
        objective = PlannerObjective(network, tokenizer, planner, bf16=planner.precision == "bf16")
        longest_pair(pairs, tokenizer, planner)  # refused before the first step
        loader = PairLoader(
            pairs,
            training.batch,
            seed=training.seed,
            rank=processes.number,
            world=processes.count,
        )
        settings = LoopSettings(
            training,
            experiment.optimizer,
            experiment.schedule,
            experiment.ema,
            experiment.checkpoints,
            decides=experiment.decides,
        )
        loop = TrainingLoop(
            objective,
            loader,
            settings,
            folder,
            processes=processes,
            say=tell,
            journal=journal,
        )
        with quiet():
            if resume:
                tell(resumed_in_words(loop.resume(), training.steps))
            elif processes.first:
                _keep_copy(file, experiment, folder)
            loop.run()
            values = {name: whole(v) for name, v in (loop.average.values if loop.average else loop.trained).items()}
            if processes.first:
                _write(experiment, processes.unwrapped(objective.network), tokenizer, values, folder / FINAL)
            processes.wait()
    return folder / FINAL


def _write(
    experiment: PlannerExperiment, network: Any, tokenizer: Any, values: Mapping[str, torch.Tensor], folder: Path
) -> None:
    """Write a planner with values of its trained weights. A network in shards is loaded again to take them."""
    planner = experiment.planner
    if any(hasattr(value, "full_tensor") for value in network.parameters()):
        network, _ = load_language_model(planner, experiment.lora)
    with copied_in(trained_parameters(network), values):
        save_planner(network, tokenizer, PlannerPrompt(planner.prompt, text_only=True), folder)


def load_language_model(settings: PlannerSettings, lora: LoraSettings | None, device: str = "cpu") -> tuple[Any, Any]:
    """A language model and its tokenizer, with LoRA layers if ``lora`` is given.

    LoRA layers of an earlier training continue, or are merged if all weights are trained.
    """
    transformers: Any = import_module("transformers")
    transformers.utils.logging.disable_progress_bar()
    weights = find_planner(settings.model, "[planner]", settings.revision)
    weights.check_rank(None if lora is None else lora.rank, "[lora]")
    with readable(weights, "[planner]"), quiet():
        tokenizer = load_tokenizer(weights)
        network = transformers.AutoModelForCausalLM.from_pretrained(
            weights.model, revision=weights.revision, dtype=planner_precision(settings, lora)
        ).to(device)
        network = put_layers(network, weights, trained=True, merged=lora is None)
    if lora is not None and weights.layers is None:
        add_planner_lora(network, lora)
    return network, tokenizer


def planner_precision(settings: PlannerSettings, lora: LoraSettings | None) -> torch.dtype:
    """The precision of the weights: trained ones are float32, so that small steps are not lost."""
    return torch.float32 if lora is None or settings.precision == "fp32" else torch.bfloat16


def add_planner_lora(network: Any, lora: LoraSettings) -> None:
    """Put LoRA layers, in float32, into a language model and freeze the rest."""
    targets = ",".join(ATTENTION) if lora.targets == "attention" else lora.targets
    add_lora(network, replace(lora, targets=targets), init=True)


def _keep_copy(file: Path, experiment: PlannerExperiment, folder: Path) -> None:
    """Copy the file of an experiment to the folder of its run; a model in a folder and the pairs are named in full."""
    text = named_in_full(file.read_text(encoding="utf-8"), "data", "pairs", experiment.pairs)
    if (model := Path(experiment.planner.model)).is_dir():
        text = named_in_full(text, "planner", "model", model)
    write_whole(folder / EXPERIMENT, text.encode())
