"""Outline of a run, without its weights: parameters, memory, steps and pictures, as ``--dry-run`` shows them."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import torch

from editscope.editors.diffusion.finding import local_folder
from editscope.editors.diffusion.quiet import quiet
from editscope.training.data.loader import checked_sources
from editscope.training.data.settings import data_settings
from editscope.training.data.sources import TrainingSource
from editscope.training.models.loading import check_pipeline
from editscope.training.models.lora import add_lora
from editscope.training.models.lora_start import check_start, start_file
from editscope.training.models.parts import described_by
from editscope.training.settings import Experiment
from editscope.training.supervised.memory import (
    COUNTS,
    BatchShape,
    activation_bytes,
    kept_by_blocks,
    optimizer_bytes,
    other_bytes,
    parameter_bytes,
    trained_sizes,
)


@dataclass(frozen=True, slots=True)
class RunOutline:
    """What a run will do. Memory is in bytes, by what it is for; None where it is not known."""

    family: str
    parameters: int
    trained: int
    targets: int
    memory: Mapping[str, int | None]
    steps: int
    examples: int
    batches: int
    records: int | None
    epoch: int | None = None
    """Examples of an epoch: each record as often as its part repeats it."""
    checked: tuple[str, ...] = ()

    @property
    def pictures(self) -> int:
        """Examples that are seen in all steps."""
        return self.steps * self.examples

    @property
    def epochs(self) -> float | None:
        """How often all records are seen, with their repeats; None for data without end."""
        return self.pictures / self.epoch if self.epoch else None


def outline(
    experiment: Experiment,
    size: tuple[int, int] = (1024, 1024),
    batch: int | None = None,
    *,
    file: str = "the experiment",
    answers: bool = True,
) -> RunOutline:
    """What an experiment will do; only configurations are read, no weights. BadInput for data that would stop it.

    ``size`` is what activations are for where the data name none, ``batch`` what goes through the network at once.
    ``file`` is named in errors; ``answers`` says that every example needs one.
    """
    index = check_pipeline(experiment.model)
    network, config = empty_network(experiment, index)
    targets = len(add_lora(network, experiment.lora, f"{file}, [lora]")) if experiment.lora is not None else 0
    start = start_file(experiment.lora, experiment.folder, f"{file}, [lora]")
    if experiment.lora is not None and start is not None:
        check_start(start, network, experiment.lora, f"{file}, [lora]")
    everything = sum(value.numel() for value in network.parameters())
    trained = sum(value.numel() for value in network.parameters() if value.requires_grad)
    training = experiment.training
    data = data_settings(experiment.data, file, experiment.folder)
    sources, checked = checked_sources(
        data,
        batch=training.batch * _processes(),
        multiple=sides_of(experiment, index),
        answers=answers,
        where=file,
        wanted=(training.steps, training.examples) if answers else None,
    )
    sizes = tuple(data.sizes.sizes)
    width, height = max(sizes, key=lambda one: one[0] * one[1]) if sizes else (size[1], size[0])
    return RunOutline(
        family=str(index["_class_name"]),
        parameters=everything - (trained if targets else 0),
        trained=trained,
        targets=targets,
        memory=_memory(experiment, index, network, config, (height, width), batch or training.batch),
        steps=training.steps,
        examples=training.examples,
        batches=training.examples // training.batch,
        records=_records(sources),
        epoch=_records(sources, repeated=True),
        checked=tuple(checked),
    )


def sides_of(experiment: Experiment, index: Mapping[str, Any]) -> int:
    """What the sides of pictures are multiples of: twice the pixels along a latent; 16 without an autoencoder."""
    if "vae" not in index:
        return 16
    with described_by(experiment.model.pipeline, "vae"), quiet(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        diffusers: Any = import_module("diffusers")
        where = local_folder(experiment.model.pipeline) or experiment.model.pipeline
        kind = getattr(diffusers, index["vae"][1])
        config = kind.load_config(where, subfolder="vae", revision=experiment.model.revision)
        if "temperal_downsample" in config:  # Qwen-Image spells it so
            return int(2 * 2 ** len(config["temperal_downsample"]))
        return int(2 * 2 ** (len(config.get("block_out_channels", (0,) * 4)) - 1))


def _records(sources: Sequence[TrainingSource], *, repeated: bool = False) -> int | None:
    """How many examples there are, or an epoch has; None where a part has no end."""
    if not sources or any(source.entries is None for source in sources):
        return None
    return sum((source.entries or 0) * (source.settings.repeats if repeated else 1) for source in sources)


def empty_network(
    experiment: Experiment, index: Mapping[str, Any], *, most_blocks: int | None = None
) -> tuple[Any, Mapping[str, Any]]:
    """The network of a pipeline with its shapes but without weights, and its configuration.

    It has the precision that its weights have in training. With ``most_blocks`` it has no more blocks of a kind.
    """
    with described_by(experiment.model.pipeline, "transformer"), quiet(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        diffusers: Any = import_module("diffusers")
        kind = getattr(diffusers, index["transformer"][1])
        where = local_folder(experiment.model.pipeline) or experiment.model.pipeline
        config = kind.load_config(where, subfolder="transformer", revision=experiment.model.revision)
        fewer = {
            name: min(most_blocks, int(config[name])) for name in COUNTS.values() if most_blocks and config.get(name)
        }
        with torch.device("meta"):
            network = kind.from_config({**config, **fewer})
        if experiment.lora is not None and experiment.model.precision == "bf16":
            network.to(torch.bfloat16)
    network.requires_grad_(experiment.lora is None)
    return network, config


def _memory(
    experiment: Experiment,
    index: Mapping[str, Any],
    network: Any,
    config: Mapping[str, Any],
    size: tuple[int, int],
    batch: int,
) -> dict[str, int | None]:
    """Bytes by what they are for; None where it is not known. ``training/supervised/memory.py`` has the formulas."""
    model, sizes = experiment.model, trained_sizes(network)
    number = 2 if model.precision == "bf16" else 4
    shards = _processes() if experiment.training.parallel == "fsdp" else 1
    shape = BatchShape(batch, (size[0] // 16, size[1] // 16), 1, model.text_tokens)
    small, _ = empty_network(experiment, index, most_blocks=2)
    if experiment.lora is not None:
        add_lora(small, experiment.lora)
    kept = kept_by_blocks(small, shape, bf16=model.precision == "bf16")
    # Under autocast, trained weights have a rounded copy for as long as they are used.
    # Where all is kept, these copies are kept too, and are among the activations.
    rounds = experiment.lora is None and model.precision == "bf16" and model.keep != "all"
    copies = parameter_bytes(network) // 2 if rounds else 0
    return {
        "weights of the network": parameter_bytes(network) // shards,
        "gradients": 4 * sum(sizes) // shards,
        "states of the optimizer": optimizer_bytes(sizes, experiment.optimizer.kind) // shards,
        "average of weights": 4 * sum(sizes) // shards if experiment.ema else 0,
        "text encoders and autoencoder": other_bytes(model.pipeline, index, number),
        "rounded copies of weights": copies,
        "activations (about)": activation_bytes(kept, config, shape, model.keep, number),
    }


def _processes() -> int:
    """Processes of this run, as accelerate starts them."""
    count = os.environ.get("WORLD_SIZE", "")
    return max(1, int(count)) if count.isdigit() else 1
