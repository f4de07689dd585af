"""Weights that a plan names: whether they belong to the base model of the comparison."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from editscope.errors import BadInput
from editscope.outside import reason_of
from editscope.training.models.loading import check_pipeline
from editscope.training.places import full_place
from editscope.training.run_files import EXPERIMENT, NETWORK, weights_in
from editscope.training.settings import Experiment, read_experiment


def weights_of_training(folder: Path, base: Experiment, where: str) -> Path:
    """The weights that a training has written; BadInput if it trained another base model."""
    other = read_experiment(folder / EXPERIMENT).model
    here = base.model
    if (full_place(other.pipeline), other.revision) != (full_place(here.pipeline), here.revision):
        raise BadInput(
            f"{where}: {folder} trained {other.pipeline}, not {here.pipeline}; all arms must have the same base model"
        )
    weights = weights_in(folder)
    if weights is None:
        raise BadInput(f"{where}: {folder} has no weights yet; finish it with `editscope train run … --resume`")
    return weights


def check_weights(path: Path, base: Experiment, where: str) -> None:
    """Raise BadInput for missing weights, or those that do not fit the base network. Loads none of them."""
    if path.is_dir() and (path / NETWORK / "config.json").is_file():
        _check_network(path, base, where)
    elif path.is_file():
        _check_lora(path, base, where)
    else:
        raise BadInput(
            f"{where}, weights: {path} is not a LoRA file, a folder with {NETWORK}/ or the folder of a training; "
            "`editscope train export` writes weights"
        )


def _check_network(path: Path, base: Experiment, where: str) -> None:
    from editscope.training.supervised.outline import empty_network

    theirs = json.loads((path / NETWORK / "config.json").read_text(encoding="utf-8"))
    _, ours = empty_network(base, check_pipeline(base.model))
    apart = [name for name, value in theirs.items() if name[:1] != "_" and name in ours and _plain(ours[name]) != value]
    if apart:
        name = apart[0]
        raise BadInput(
            f"{where}, weights: {path} is a network of another base model: its {name} is {theirs[name]}, but "
            f"{base.model.pipeline} has {ours[name]}"
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
            what = "that module does not exist" if module is None else f"the module has {wanted} features"
            raise BadInput(
                f"{where}, weights: {path.name} does not fit the base model {base.model.pipeline}: it has "
                f"{name} of {' × '.join(map(str, shape))}, but {what}"
            )


def _shapes(path: Path, where: str) -> dict[str, tuple[int, ...]]:
    """The shapes of the LoRA layers in a file."""
    from safetensors import safe_open

    try:
        with safe_open(path, framework="np") as file:
            shapes = {name: tuple(file.get_slice(name).get_shape()) for name in file.keys()}  # noqa: SIM118
    except Exception as error:  # safetensors has its own
        raise BadInput(f"{where}, weights: {path} is not a safetensors file ({reason_of(error)})") from error
    layers = {name: shape for name, shape in shapes.items() if ".lora_A." in name or ".lora_B." in name}
    if not layers:
        raise BadInput(f"{where}, weights: {path} has no LoRA layers; `editscope train export` writes them")
    return layers


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else dict(value) if isinstance(value, Mapping) else value
