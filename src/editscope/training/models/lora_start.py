"""LoRA layers that a training starts from: those of another training, or of `train export`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import torch

from editscope.errors import BadInput
from editscope.training.models.lora import ADAPTER, lora_weights
from editscope.training.models.settings import LoraSettings
from editscope.training.run_files import FINAL, LORA

PLACES = (LORA, f"{FINAL}/{LORA}")
"""Where a LoRA is in a folder of `train export`, and in that of a training."""
PREFIX, METADATA = "transformer.", "lora_adapter_metadata"


def start_file(settings: LoraSettings | None, folder: Path, where: str = "[lora]") -> Path | None:
    """The file that ``start`` names, relative to the experiment or the working directory; None to start at zero."""
    if settings is None or settings.start is None:
        return None
    named = folder / settings.start
    if not named.exists():
        named = Path(settings.start)
    for path in (named, *(named / place for place in PLACES)):
        if path.is_file():
            return path
    if named.is_dir():
        raise BadInput(
            f"{where} start: {named} has neither {' nor '.join(PLACES)}; give the folder of a finished training of a "
            "LoRA, or of `train export`"
        )
    raise BadInput(f"{where} start: {named} does not exist; give the file or folder of a trained LoRA")


def check_start(path: Path, network: Any, settings: LoraSettings, where: str = "[lora]") -> None:
    """Raise BadInput if a LoRA does not fit the layers of a network. No weights are read."""
    _factor(path, network, settings, where)


@torch.no_grad()
def load_start(path: Path, network: Any, settings: LoraSettings, where: str = "[lora]") -> None:
    """Put a LoRA into the layers of a network. With another ``alpha`` it is scaled, so that the network is the same."""
    factor = _factor(path, network, settings, where)
    own = _trained(network)
    with _opened(path, where) as (tensors, _):
        for name, value in own.items():
            scale = factor if ".lora_B." in name else 1.0
            value.copy_(tensors.get_tensor(PREFIX + name).to(value.dtype) * scale)


def _trained(network: Any) -> dict[str, torch.nn.Parameter]:
    """The parameters of the layers by the names that a file has, without its prefix."""
    named = {name.replace(f".{ADAPTER}.", "."): value for name, value in network.named_parameters() if "lora_" in name}
    return {name: named[name] for name in lora_weights(network)}


def _factor(path: Path, network: Any, settings: LoraSettings, where: str) -> float:
    """The factor that keeps the effect of the layers of a file the same here; BadInput if they do not fit."""
    wanted = {name: list(value.shape) for name, value in lora_weights(network).items()}
    with _opened(path, where) as (tensors, metadata):
        given = {
            name.removeprefix(PREFIX): list(tensors.get_slice(name).get_shape())
            for name in tensors.keys()  # noqa: SIM118
        }
    missing, more = sorted(wanted.keys() - given.keys()), sorted(given.keys() - wanted.keys())
    if missing or more:
        what = f"has no {missing[0]}" if missing else f"has {more[0]}, which this LoRA does not have"
        raise BadInput(
            f"{where} start: {path} {what} ({len(missing)} weights missing, {len(more)} unexpected); set the "
            "targets and the pipeline that it was trained with"
        )
    rank = next(shape[0] for name, shape in given.items() if ".lora_A." in name)
    if rank != settings.rank:
        raise BadInput(f"{where} rank: {path} has rank {rank}, and [lora] rank is {settings.rank}; write rank = {rank}")
    if apart := [name for name in wanted if wanted[name] != given[name]]:
        raise BadInput(
            f"{where} start: {path} was trained on a network of another size ({apart[0]}); use that pipeline"
        )
    return _alpha(metadata, rank) / (settings.rank if settings.alpha is None else settings.alpha)


def _alpha(metadata: Mapping[str, str], rank: int) -> float:
    """The alpha of a LoRA; its rank if the file does not say."""
    try:
        return float(json.loads(metadata.get(METADATA, "{}")).get(f"{PREFIX}lora_alpha", rank))
    except (ValueError, TypeError, AttributeError):
        return float(rank)


@contextmanager
def _opened(path: Path, where: str) -> Iterator[tuple[Any, Mapping[str, str]]]:
    """Open a safetensors file and its metadata; BadInput if it cannot be read."""
    from safetensors import SafetensorError, safe_open

    with ExitStack() as stack:
        try:
            tensors: Any = stack.enter_context(safe_open(path, framework="pt"))
        except (OSError, SafetensorError) as error:
            raise BadInput(
                f"{where} start: {path} cannot be read ({error}); give the safetensors file of a LoRA"
            ) from error
        yield tensors, tensors.metadata() or {}
