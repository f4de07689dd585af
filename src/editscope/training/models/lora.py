"""LoRA layers of a network: where they go, which weights are saved, and the file that pipelines load."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

import torch

from editscope.editors.diffusion.quiet import quiet
from editscope.errors import BadInput, unknown
from editscope.runfolder.files import write_whole, writing
from editscope.runfolder.whole_folders import folder_beside
from editscope.training.checkpoints import disk_errors
from editscope.training.models.settings import LoraSettings
from editscope.training.run_files import LORA

ATTENTION = ("to_q", "to_k", "to_v", "to_out.0", "add_q_proj", "add_k_proj", "add_v_proj", "to_add_out")
PRESETS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "attention": ATTENTION,
        "attention+mlp": (
            *ATTENTION,
            *("ff.net.0.proj", "ff.net.2", "ff_context.net.0.proj", "ff_context.net.2", "proj_mlp"),
            *("img_mlp.net.0.proj", "img_mlp.net.2", "txt_mlp.net.0.proj", "txt_mlp.net.2"),
        ),
        "all-linear": (),
    }
)
"""Targets by name: how the names of modules end. Each family has some of them."""
WEIGHTS = LORA
ADAPTER = "default"


def add_lora(
    network: Any, settings: LoraSettings, where: str = "[lora]", init: Literal["gaussian"] | bool = "gaussian"
) -> list[str]:
    """Put LoRA layers into a network and freeze the rest; gives the names of the modules that got one.

    The layers are float32 whatever the network is, and change nothing until they are trained. Raises BadInput if no
    module matches. ``init`` is how peft draws the first matrix of a layer: True for its own way.
    """
    peft = _peft()
    targets = target_modules(network, settings.targets, where)
    network.requires_grad_(False)
    config = peft.LoraConfig(
        r=settings.rank,
        lora_alpha=settings.rank if settings.alpha is None else settings.alpha,
        target_modules=targets,
        lora_dropout=settings.dropout,
        init_lora_weights=init,
    )
    with quiet():
        network.add_adapter(config, adapter_name=ADAPTER)
    for parameter in network.parameters():
        if parameter.requires_grad:
            parameter.data = parameter.data.float()
    return targets


def target_modules(network: Any, targets: str, where: str = "[lora]") -> list[str]:
    """The linear modules of a network that a preset, or a list of comma-separated names, means."""
    linear = [name for name, module in network.named_modules() if isinstance(module, torch.nn.Linear)]
    if targets == "all-linear":
        return linear
    wanted = PRESETS.get(targets) or tuple(name.strip() for name in targets.split(",") if name.strip())
    chosen = [name for name in linear if any(name == end or name.endswith(f".{end}") for end in wanted)]
    for end in wanted if targets not in PRESETS else ():
        if not any(name == end or name.endswith(f".{end}") for name in linear):
            ends = {re.sub(r"^.*\.\d+\.", "", name) for name in linear}
            raise BadInput(f"{where} targets: {unknown('linear module', end, ends | set(PRESETS))}")
    if not chosen:
        raise BadInput(f"{where} targets: no linear module of {type(network).__name__} matches; write all-linear")
    return chosen


def lora_weights(network: Any) -> dict[str, torch.Tensor]:
    """The weights of the LoRA layers, by the names that pipelines know."""
    weights: dict[str, torch.Tensor] = _peft().get_peft_model_state_dict(network, adapter_name=ADAPTER)
    return weights


def save_lora(pipeline: type[Any], network: Any, folder: Path, weights: Mapping[str, torch.Tensor]) -> Path:
    """Write weights of LoRA layers as ``load_lora_weights`` of the pipeline reads them; gives the file.

    DiskError if it cannot be written; an earlier file stays until the new one is whole.
    """
    metadata = network.peft_config[ADAPTER].to_dict()
    metadata["target_modules"] = sorted(metadata["target_modules"])
    layers = {name: value.detach().cpu().contiguous() for name, value in weights.items()}
    place = folder / WEIGHTS
    with writing(place), disk_errors(), folder_beside(place) as new, quiet():
        pipeline.save_lora_weights(new, transformer_lora_layers=layers, transformer_lora_adapter_metadata=metadata)
        data = (new / WEIGHTS).read_bytes()
    write_whole(place, _with_sorted_metadata(data))
    return place


def _with_sorted_metadata(data: bytes) -> bytes:
    """A safetensors file with sorted metadata, which its library writes in random order."""
    end = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:end])
    header["__metadata__"] = dict(sorted(header.get("__metadata__", {}).items()))
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + data[end:]


def _peft() -> Any:
    from importlib import import_module

    try:
        with quiet():
            return import_module("peft")
    except ImportError as error:
        raise BadInput(f"LoRA needs peft ({error}): pip install 'editscope[train]'") from error
