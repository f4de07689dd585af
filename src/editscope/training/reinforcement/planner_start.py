"""Start of a planner in reinforcement learning: the table ``[planner]``, its weights, and the prompt that it gets."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from editscope.editors.diffusion.quiet import quiet
from editscope.errors import BadInput
from editscope.training.models.settings import LoraSettings, Precision
from editscope.training.planner.folders import (
    PlannerWeights,
    find_planner,
    load_tokenizer,
    planner_config,
    put_layers,
    readable,
)
from editscope.training.planner.prompts import PlannerPrompt
from editscope.training.planner.settings import check_text
from editscope.training.planner.start import add_planner_lora
from editscope.training.reinforcement.planner import PROMPT, Planner, chat_encoder, text_encoder
from editscope.training.reinforcement.settings import ReinforcementSettings
from editscope.training.settings import Experiment, read_table


@dataclass(frozen=True, slots=True)
class PlannerChoice:
    """Table ``[planner]`` beside ``[reinforcement]``: the folder of a language model, or of a planner's training.

    With ``rank``, LoRA layers of its attention are trained; without it, all weights. ``precision`` is that of frozen
    weights. ``prompt`` replaces the prompt of the planner's training.
    """

    model: str
    precision: Precision = "bf16"
    rank: int | None = None
    prompt: str | None = None

    def check(self, where: str) -> None:
        """Raise BadInput for values that cannot be used."""
        check_text(self.model, f"{where} model", "the folder of a language model, or of a planner's training")
        if self.prompt is not None:
            check_text(self.prompt, f"{where} prompt", "the text before the instruction")
        if self.rank is not None:
            LoraSettings(self.rank).check(where)


@dataclass(frozen=True, slots=True)
class UsedPrompt:
    """The prompt that a run uses, and where it comes from."""

    prompt: PlannerPrompt
    origin: str


def planner_choice(experiment: Experiment, file: str) -> PlannerChoice | None:
    """The table ``[planner]`` of an experiment; None if it has none."""
    if "planner" not in experiment.extra:
        return None
    return read_table(PlannerChoice, experiment.extra["planner"], f"{file}, [planner]")


def check_planner(experiment: Experiment, settings: ReinforcementSettings, file: str) -> UsedPrompt | None:
    """The prompt of the planner; BadInput for one that could not be loaded. Only its configuration is read."""
    chosen, where = planner_choice(experiment, file), f"{file}, [planner]"
    if chosen is None:
        return None
    folder = experiment.folder / chosen.model
    if not folder.is_dir():
        raise BadInput(
            f"{where} model: {folder} is not a folder; give that of a transformers model, or of a planner's training"
        )
    weights = find_planner(str(folder), where)
    if settings.plans:
        weights.check_rank(chosen.rank, where)
    planner_config(weights, where)
    return used_prompt(chosen, weights)


def used_prompt(chosen: PlannerChoice | None, weights: PlannerWeights) -> UsedPrompt:
    """The prompt of the table ``[planner]``; else that of the planner's training; else the default."""
    saved = weights.prompt
    if chosen is not None and chosen.prompt is not None:
        return UsedPrompt(PlannerPrompt(chosen.prompt, saved is not None and saved.text_only), "[planner] prompt")
    if saved is not None:
        return UsedPrompt(saved, "the planner's training")
    return UsedPrompt(PlannerPrompt(PROMPT), "the default of reinforcement learning")


def decided_by_prompt(used: UsedPrompt | None) -> dict[str, Any]:
    """The prompt, if it is not the default, which checkpoints of earlier versions do not name."""
    return {} if used is None or used.prompt.text == PROMPT else {"planner.prompt": used.prompt.text}


def load_planner(
    folder: Path, settings: ReinforcementSettings, device: str = "cpu", chosen: PlannerChoice | None = None
) -> Planner:
    """The planner in a folder: a vision-language model, or a language model that reads only the instruction.

    Trained weights are float32, so that small steps are not lost; others are as the file has them. The LoRA of a
    planner's training continues, or is merged if all weights are trained. A planner that learned from texts alone is
    prompted as it was there, without pictures.
    """
    import transformers

    from editscope.judges.local.model import load_processor

    rank = None if chosen is None else chosen.rank
    exact = (settings.plans and rank is None) or (chosen is not None and chosen.precision == "fp32")
    weights = find_planner(str(folder), "[planner]")
    prompt = used_prompt(chosen, weights).prompt
    config = planner_config(weights, "[planner]")
    with readable(weights, "[planner]"), quiet():
        kinds = transformers.models.auto.modeling_auto.MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES
        sees = config.model_type in kinds
        kind = transformers.AutoModelForImageTextToText if sees else transformers.AutoModelForCausalLM
        loaded = kind.from_pretrained(
            weights.model, revision=weights.revision, dtype=torch.float32 if exact else "auto"
        ).to(device)
        network = put_layers(loaded, weights, trained=settings.plans, merged=settings.plans and rank is None)
        pictures = sees and not prompt.text_only
        processor = load_processor(transformers, Path(weights.model)) if pictures else load_tokenizer(weights)
    if settings.plans and rank is not None and weights.layers is None:
        add_planner_lora(network, LoraSettings(rank))
    tokenizer = processor.tokenizer if pictures else processor
    encode = (
        text_encoder(tokenizer, prompt.text)
        if prompt.text_only
        else chat_encoder(processor, prompt.text, pictures=pictures)
    )
    most, temperature = settings.planner_tokens, settings.planner_temperature
    return Planner(network, tokenizer, encode, most_tokens=most, temperature=temperature, prompt=prompt)


def planner_of(experiment: Experiment, settings: ReinforcementSettings, file: str, device: str) -> Planner | None:
    """The planner of an experiment; None if it has none."""
    chosen = planner_choice(experiment, file)
    return None if chosen is None else load_planner(experiment.folder / chosen.model, settings, device, chosen)
