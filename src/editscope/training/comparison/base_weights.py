"""Weights that a plan names: whether they are of the base model of the comparison."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from editscope.errors import BadInput
from editscope.training.models.loading import check_pipeline
from editscope.training.settings import Experiment, read_experiment

NETWORK, LORA = "transformer", "pytorch_lora_weights.safetensors"


def weights_of_training(folder: Path, base: Experiment, where: str) -> Path:
    """The weights that a training has written, if it trained the same base model."""
    from editscope.training.supervised.start import EXPERIMENT

    other = read_experiment(folder / EXPERIMENT).model
    if (other.pipeline, other.revision) != (base.model.pipeline, base.model.revision):
        raise BadInput(
            f"{where}: {folder} trained {other.pipeline}, another base model than {base.model.pipeline}; arms are "
            "compared on one base model"
        )
    inside = folder / "weights"
    found = inside if (inside / NETWORK).is_dir() else inside / LORA
    if not found.exists():
        raise BadInput(f"{where}: {folder} has no weights yet; finish it with `editscope train run … --resume`")
    return found


def check_weights(path: Path, base: Experiment, where: str) -> None:
    """BadInput for weights that are not there, or do not fit the network of the base; loads none of them."""
    if path.is_dir() and (path / NETWORK / "config.json").is_file():
        _check_network(path, base, where)
    elif path.is_file():
        _check_lora(path, base, where)
    else:
        raise BadInput(
            f"{where}, weights: {path} is no LoRA file, no folder with {NETWORK}/ and no folder of a training; "
            "`editscope train export` writes weights"
        )


def _check_network(path: Path, base: Experiment, where: str) -> None:
    from editscope.training.supervised.outline import empty_network

    theirs = json.loads((path / NETWORK / "config.json").read_text())
    _, ours = empty_network(base, check_pipeline(base.model))
    apart = [name for name, value in theirs.items() if name[:1] != "_" and name in ours and _plain(ours[name]) != value]
    if apart:
        name = apart[0]
        raise BadInput(
            f"{where}, weights: {path} is a network of another base model: {name} is {theirs[name]}, and that of "
            f"{base.model.pipeline} is {ours[name]}"
        )


def _check_lora(path: Path, base: Experiment, where: str) -> None:
    from editscope.training.supervised.outline import empty_network

    shapes = _shapes(path, where)
    network, _ = empty_network(base, check_pipeline(base.model))
    modules = dict(network.named_modules())
    for name, shape in shapes.items():
        place, _, side = name.removeprefix(f"{NETWORK}.").rpartition(".lora_")
        module = modules.get(place)
        wanted = getattr(module, "in_features" if side.startswith("A") else "out_features", None)
        if wanted != shape[1 if side.startswith("A") else 0]:
            what = "there is no such module" if module is None else f"the module has {wanted} features"
            raise BadInput(
                f"{where}, weights: {path.name} is of another base model than {base.model.pipeline}: it has "
                f"{name} of {' × '.join(map(str, shape))}, and {what}"
            )


def _shapes(path: Path, where: str) -> dict[str, tuple[int, ...]]:
    """The shapes of the LoRA layers in a file."""
    from safetensors import safe_open

    try:
        with safe_open(path, framework="np") as file:
            shapes = {name: tuple(file.get_slice(name).get_shape()) for name in file.keys()}  # noqa: SIM118
    except Exception as error:  # the library's own
        raise BadInput(f"{where}, weights: {path} is no safetensors file ({error})") from error
    layers = {name: shape for name, shape in shapes.items() if ".lora_A." in name or ".lora_B." in name}
    if not layers:
        raise BadInput(f"{where}, weights: {path} holds no LoRA layers; `editscope train export` writes them")
    return layers


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else dict(value) if isinstance(value, Mapping) else value
