"""Weights of a run in the form that the diffusers editor loads: a LoRA file, or a network."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from editscope.editors.diffusion.finding import REPO
from editscope.editors.diffusion.quiet import quiet
from editscope.errors import BadInput
from editscope.runfolder.whole_folders import whole_folder
from editscope.training.changes import changes_in_words
from editscope.training.checkpoints import check_writable, disk_errors, load_checkpoint, make_run_folder
from editscope.training.models.loading import load_flow_editor
from editscope.training.models.lora import add_lora, lora_weights, save_lora
from editscope.training.models.pipeline_editor import PipelineFlowEditor
from editscope.training.run_files import EXPERIMENT, LORA, NETWORK, checkpoints_in
from editscope.training.run_files import FINAL as FINAL
from editscope.training.settings import Experiment
from editscope.training.supervised.loop import TrainingLoop
from editscope.training.supervised.parallel import whole


def write_weights(experiment: Experiment, editor: PipelineFlowEditor, loop: TrainingLoop, folder: Path) -> Path:
    """Write the weights of a loop, or their average if one is kept; all processes take part, one writes."""
    values = loop.average.values if loop.average is not None else loop.trained
    whole_values = {name: whole(value) for name, value in values.items()}
    place = folder if experiment.lora is None else folder / LORA
    if loop.processes.first:
        write_values(experiment, editor, loop.processes.unwrapped(editor.network), whole_values, folder)
    loop.processes.wait()
    return place


def export_checkpoint(experiment: Experiment, run: Path, folder: Path, step: int | None = None) -> Path:
    """Write the weights of a checkpoint of a run; the last one by default."""
    there = dict(checkpoints_in(run))
    if not there:
        raise BadInput(f"{run} has no checkpoint; give the folder of a training run")
    if step is not None and step not in there:
        raise BadInput(f"{run} has no checkpoint of step {step}; available: {', '.join(map(str, there))}")
    check_writable(folder)
    checkpoint = load_checkpoint(there[step if step is not None else max(there)], optimizer=False)
    _check_layers(checkpoint.settings, experiment, run)
    editor = load_flow_editor(experiment.model, full=experiment.lora is None)
    if experiment.lora is not None:
        add_lora(editor.network, experiment.lora)
    trained = {name: value for name, value in editor.network.named_parameters() if value.requires_grad}
    values = checkpoint.average or checkpoint.weights
    if {name: value.shape for name, value in values.items()} != {name: value.shape for name, value in trained.items()}:
        raise BadInput(f"the checkpoint of {run} has other weights than its {EXPERIMENT} describes; restore that file")
    return write_values(experiment, editor, editor.network, values, folder)


def _check_layers(saved: Mapping[str, Any], experiment: Experiment, run: Path) -> None:
    """Raise BadInput if the experiment has another LoRA or another model repository than the checkpoint.

    A model in a folder may have moved.
    """
    then, now = _layers(saved), _layers(experiment.decides)
    apart = [
        name
        for name in then
        if then[name] != now[name] and not (name == "[model] pipeline" and _are_folders(then[name], now[name]))
    ]
    if apart:
        raise BadInput(
            f"{run / EXPERIMENT} was changed after the checkpoint was saved ({changes_in_words(apart, then, now)}); "
            "restore it"
        )


def _layers(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that name the layers and their model; the alpha of a LoRA is its rank if it is not set."""
    alpha = settings.get("lora.alpha")
    return {
        "[lora] rank": settings.get("lora.rank"),
        "[lora] alpha": settings.get("lora.rank") if alpha is None else alpha,
        "[lora] targets": settings.get("lora.targets"),
        "[model] pipeline": settings.get("model.pipeline"),
        "[model] revision": settings.get("model.revision"),
    }


def _are_folders(*places: Any) -> bool:
    """Whether one of the names of a model is a folder, not a repository."""
    return any(not REPO.fullmatch(str(place)) or Path(str(place)).is_dir() for place in places)


def write_values(
    experiment: Experiment,
    editor: PipelineFlowEditor,
    network: torch.nn.Module,
    values: Mapping[str, torch.Tensor],
    folder: Path,
) -> Path:
    """Write values of trained weights, whole or not at all: a LoRA file, or a network."""
    make_run_folder(folder)
    if experiment.lora is not None:
        named = {_plain(name): value for name, value in values.items()}
        wanted = lora_weights(network)
        if set(named) != set(wanted):
            raise BadInput("the LoRA layers of this network have other names than peft gives them; update peft")
        return save_lora(type(editor.pipe), network, folder, named)
    state = {name: values.get(name, value).detach().cpu() for name, value in network.state_dict().items()}
    written = _empty_copy(network)
    written.load_state_dict(state, assign=True)
    with whole_folder(folder / NETWORK) as new, disk_errors():
        written.save_pretrained(new)
    return folder


def _empty_copy(network: Any) -> Any:
    """A network of the same kind without weights: ``save_pretrained`` writes those of its network, and no others.

    The class of a sharded network is one that PyTorch has made of it.
    """
    kind: Any = next(one for one in type(network).__mro__ if one.__module__.startswith("diffusers."))
    with torch.device("meta"), quiet():
        return kind.from_config(network.config)


def _plain(name: str) -> str:
    """The name of a LoRA weight as pipelines know it.

    >>> _plain("blocks.0.to_q.lora_A.default.weight")
    'blocks.0.to_q.lora_A.weight'
    """
    return re.sub(r"\.(lora_[AB])\.default\.", r".\1.", name)
