"""Outline of a run, without its weights: parameters, memory, steps and pictures, as ``--dry-run`` shows them."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import torch

from editscope.editors.diffusion.finding import local_folder
from editscope.editors.diffusion.quiet import quiet
from editscope.training.data.settings import data_settings
from editscope.training.data.sources import open_source
from editscope.training.models.loading import check_pipeline
from editscope.training.models.lora import add_lora
from editscope.training.settings import Experiment

GIB = 1 << 30
OPTIMIZER_BYTES: Mapping[str, int] = {"adamw": 8, "fused": 8, "8bit": 2}
"""Bytes that AdamW keeps for each trained parameter."""


@dataclass(frozen=True, slots=True)
class RunOutline:
    """What a run will do. Memory is an estimate in bytes, by what it is for."""

    family: str
    parameters: int
    trained: int
    targets: int
    memory: Mapping[str, int]
    steps: int
    examples: int
    batches: int
    records: int | None

    @property
    def pictures(self) -> int:
        """Examples that are seen in all steps."""
        return self.steps * self.examples

    @property
    def epochs(self) -> float | None:
        """How often each record is seen; None for data without end."""
        return self.pictures / self.records if self.records else None


def outline(experiment: Experiment, size: tuple[int, int] = (1024, 1024), batch: int | None = None) -> RunOutline:
    """What an experiment will do; only configurations are read, no weights.

    ``size`` is what activations are for where the data name none, ``batch`` what goes through the network at once.
    """
    index = check_pipeline(experiment.model)
    network, config = empty_network(experiment, index)
    targets = len(add_lora(network, experiment.lora)) if experiment.lora is not None else 0
    everything = sum(value.numel() for value in network.parameters())
    trained = sum(value.numel() for value in network.parameters() if value.requires_grad)
    training = experiment.training
    sizes = data_settings(experiment.data, experiment.name, experiment.folder).sizes.sizes if experiment.data else ()
    width, height = max(sizes, key=lambda one: one[0] * one[1]) if sizes else (size[1], size[0])
    return RunOutline(
        family=str(index["_class_name"]),
        parameters=everything - (trained if targets else 0),
        trained=trained,
        targets=targets,
        memory=_memory(experiment, config, everything, trained, (height, width), batch or training.batch),
        steps=training.steps,
        examples=training.examples,
        batches=training.examples // training.batch,
        records=_records(experiment),
    )


def _records(experiment: Experiment) -> int | None:
    """How many examples there are; None where a part has no end."""
    settings = data_settings(experiment.data, experiment.name, experiment.folder)
    counts = [open_source(part).entries for part in settings.parts]
    return None if not counts or None in counts else sum(count or 0 for count in counts)


def empty_network(experiment: Experiment, index: Mapping[str, Any]) -> tuple[Any, Mapping[str, Any]]:
    """The network of a pipeline with its shapes but without weights, and its configuration."""
    with quiet(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        diffusers: Any = import_module("diffusers")
        kind = getattr(diffusers, index["transformer"][1])
        where = local_folder(experiment.model.pipeline) or experiment.model.pipeline
        config = kind.load_config(where, subfolder="transformer", revision=experiment.model.revision)
        with torch.device("meta"):
            network = kind.from_config(config)
    network.requires_grad_(experiment.lora is None)
    return network, config


def _memory(
    experiment: Experiment, config: Mapping[str, Any], everything: int, trained: int, size: tuple[int, int], batch: int
) -> dict[str, int]:
    """Bytes: weights, gradients, states of the optimizer, the average, other parts, and activations.

    Activations of a block of width d are about 34 numbers for each token and unit of width without checkpointing, and
    1 with it, beside those of one block. Tokens are those of the edit, of an input picture of its size and of the text.
    """
    model = experiment.model
    number = 2 if model.precision == "bf16" else 4
    width = int(config["num_attention_heads"]) * int(config["attention_head_dim"])
    blocks = int(config.get("num_layers", 0)) + int(config.get("num_single_layers", 0) or 0)
    tokens = batch * (2 * (size[0] // 16) * (size[1] // 16) + model.text_tokens)
    block = 34 * tokens * width * number
    kept = blocks * tokens * width * number + block if model.gradient_checkpointing else blocks * block
    full = experiment.lora is None
    return {
        "weights of the network": everything * 4 if full else (everything - trained) * number + trained * 4,
        "gradients": trained * 4,
        "states of the optimizer": trained * OPTIMIZER_BYTES[experiment.optimizer.kind],
        "average of weights": trained * 4 if experiment.ema else 0,
        "text encoders and autoencoder": _others(model.pipeline),
        "activations (about)": kept,
    }


def _others(pipeline: str) -> int:
    """Bytes of the weights of the other parts, as they lie in a folder; 0 where it is a repository."""
    folder = local_folder(pipeline)
    if folder is None:
        return 0
    files: list[Path] = [path for path in folder.glob("*/*.safetensors") if path.parent.name != "transformer"]
    return sum(path.stat().st_size for path in files)
