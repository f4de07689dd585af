"""Outline of a planner's training, without its weights, as ``--dry-run`` shows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import torch

from editscope.editors.diffusion.quiet import quiet
from editscope.training.models.lora import ADAPTER
from editscope.training.planner.experiment import PlannerExperiment
from editscope.training.planner.folders import PlannerWeights, find_planner, load_tokenizer, planner_config, readable
from editscope.training.planner.objective import PlannedEdit, longest_pair
from editscope.training.planner.pairs import read_pairs
from editscope.training.planner.start import add_planner_lora, planner_precision
from editscope.training.supervised.memory import optimizer_bytes, parameter_bytes, trained_sizes


@dataclass(frozen=True, slots=True)
class PlannerOutline:
    """What a planner's training will do. Memory is in bytes, by what it is for."""

    family: str
    parameters: int
    trained: int
    targets: int
    memory: Mapping[str, int | None]
    pairs: int
    longest: int


def outline_planner(experiment: PlannerExperiment, file: str) -> PlannerOutline:
    """What an experiment will do; BadInput for a model, pairs or settings that would stop it. Loads no weights."""
    where = f"{file}, [planner]"
    pairs = read_pairs(experiment.pairs)
    weights = find_planner(experiment.planner.model, where, experiment.planner.revision)
    weights.check_rank(None if experiment.lora is None else experiment.lora.rank, f"{file}, [lora]")
    network = _empty_network(experiment, weights, where)
    trained = sum(trained_sizes(network))
    everything = sum(value.numel() for value in network.parameters())
    targets = len({name.rpartition(".lora_")[0] for name, _ in network.named_parameters() if ".lora_" in name})
    return PlannerOutline(
        family=type(network).__name__,
        parameters=everything - (trained if targets else 0),
        trained=trained,
        targets=targets,
        memory=_memory(experiment, network),
        pairs=len(pairs),
        longest=_longest(experiment, weights, pairs, where),
    )


def _empty_network(experiment: PlannerExperiment, weights: PlannerWeights, where: str) -> Any:
    """The language model with its shapes but without weights, and its LoRA layers."""
    transformers: Any = import_module("transformers")
    config = planner_config(weights, where)
    with readable(weights, where), quiet(), torch.device("meta"):
        network = transformers.AutoModelForCausalLM.from_config(
            config, dtype=planner_precision(experiment.planner, experiment.lora)
        )
        if experiment.lora is not None and weights.layers is not None:
            peft: Any = import_module("peft")
            network.requires_grad_(False)
            network.add_adapter(peft.LoraConfig.from_pretrained(str(weights.layers)), adapter_name=ADAPTER)
            for name, value in network.named_parameters():
                value.requires_grad_("lora_" in name)
    if experiment.lora is not None and weights.layers is None:
        add_planner_lora(network, experiment.lora)
    return network


def _longest(experiment: PlannerExperiment, weights: PlannerWeights, pairs: Sequence[PlannedEdit], where: str) -> int:
    with readable(weights, where), quiet():
        tokenizer = load_tokenizer(weights)
    return longest_pair(pairs, tokenizer, experiment.planner)


def _memory(experiment: PlannerExperiment, network: Any) -> dict[str, int | None]:
    sizes = trained_sizes(network)
    return {
        "weights of the network": parameter_bytes(network),
        "gradients": 4 * sum(sizes),
        "states of the optimizer": optimizer_bytes(sizes, experiment.optimizer.kind),
        "average of weights": 4 * sum(sizes) if experiment.ema else 0,
    }
