"""Weights of a planner in a folder: a whole model, or LoRA layers of a training and the model they belong to."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from editscope.documents import Malformed, read_json
from editscope.editors.diffusion.quiet import quiet
from editscope.errors import BadInput
from editscope.files import DOCUMENT, read_file
from editscope.runfolder.whole_folders import whole_folder
from editscope.training.checkpoints import disk_errors
from editscope.training.models.lora import ADAPTER
from editscope.training.planner.prompts import PlannerPrompt, read_prompt, save_prompt
from editscope.weight_files import DamagedFolder, check_weights

MODEL, LAYERS, LAYER_WEIGHTS = "config.json", "adapter_config.json", "adapter_model.safetensors"
PLACES = ("", "weights", "planner")
"""Where a folder has weights: in itself, as that of a training, or as that of reinforcement learning."""


@dataclass(frozen=True, slots=True)
class PlannerWeights:
    """A model by folder or repository, LoRA layers that go into it, if any, and the prompt of its training."""

    model: str
    revision: str | None = None
    layers: Path | None = None
    rank: int | None = None
    prompt: PlannerPrompt | None = None

    @property
    def tokenizer(self) -> tuple[str, str | None]:
        """Where the tokenizer is, and its revision: beside the layers if a training saved it there."""
        if self.layers is not None and (self.layers / "tokenizer_config.json").is_file():
            return str(self.layers), None
        return self.model, self.revision

    def check_rank(self, rank: int | None, where: str) -> None:
        """Raise BadInput if layers would continue with another rank. None trains all weights."""
        if rank is not None and self.rank is not None and rank != self.rank:
            raise BadInput(
                f"{where} rank: the LoRA in {self.layers} has rank {self.rank}, not {rank}; write rank "
                f"= {self.rank}, or remove rank: then the LoRA is merged, and all weights are trained"
            )


def find_planner(model: str, where: str, revision: str | None = None) -> PlannerWeights:
    """The planner in a folder or repository; BadInput if there is none.

    A folder may be that of a model, of LoRA layers, or of a training of a planner.
    """
    folder = Path(model)
    if not folder.is_dir():
        return PlannerWeights(model, revision)
    for place in (folder / name for name in PLACES):
        if (place / LAYERS).is_file():
            return _with_layers(place, where)
        if (place / MODEL).is_file():
            _check_files(place, f"{where} model", "download or save the model again")
            return PlannerWeights(str(place.absolute()), prompt=read_prompt(place, where))
    raise BadInput(
        f"{where} model: {folder} has neither {MODEL} nor {LAYERS}, nor a folder weights with one; give the folder of "
        "a language model, or that of a planner's training"
    )


def planner_config(weights: PlannerWeights, where: str) -> Any:
    """The configuration of the model; BadInput if transformers cannot read it."""
    transformers: Any = import_module("transformers")
    with readable(weights, where), quiet():
        return transformers.AutoConfig.from_pretrained(weights.model, revision=weights.revision)


def load_tokenizer(weights: PlannerWeights) -> Any:
    """The tokenizer of a planner."""
    transformers: Any = import_module("transformers")
    place, revision = weights.tokenizer
    return transformers.AutoTokenizer.from_pretrained(place, revision=revision)


def save_planner(network: Any, tokenizer: Any, prompt: PlannerPrompt | None, folder: Path) -> None:
    """Write the weights of a planner (a LoRA or all), its tokenizer and its prompt; an earlier folder is replaced.

    DiskError if they cannot be written.
    """
    with whole_folder(folder) as new, disk_errors():
        network.save_pretrained(new)
        tokenizer.save_pretrained(new)
        if prompt is not None:
            save_prompt(new, prompt)


@contextmanager
def readable(weights: PlannerWeights, where: str) -> Iterator[None]:
    """Turn errors of transformers and peft about weights that cannot be read into one sentence."""
    try:
        yield
    except (OSError, ValueError, ImportError, KeyError, RuntimeError) as error:
        reason = " ".join(str(error).split()).split(". ")[0][:300]
        whose = f"the model of the LoRA in {weights.layers}, " if weights.layers else ""
        raise BadInput(
            f"{where} model: {whose}{weights.model} cannot be loaded ({reason}); give a folder or repository of a "
            "language model, or the folder of a planner's training"
        ) from error


def put_layers(network: Any, weights: PlannerWeights, *, trained: bool, merged: bool) -> Any:
    """The network with the LoRA layers of its training: merged into its weights, or as layers.

    Trained layers are float32, and the rest is frozen. A network without such layers stays as it is.
    """
    if weights.layers is None:
        return network
    if merged:
        peft: Any = import_module("peft")
        with quiet():
            network = peft.PeftModel.from_pretrained(network, str(weights.layers)).merge_and_unload()
        network.requires_grad_(trained)
        return network
    network.requires_grad_(False)
    with quiet():
        network.load_adapter(str(weights.layers), adapter_name=ADAPTER, is_trainable=trained)
    for name, value in network.named_parameters():
        if "lora_" in name and trained:
            value.data = value.data.float()
            value.requires_grad_(True)
    return network


def _with_layers(folder: Path, where: str) -> PlannerWeights:
    path = folder / LAYERS
    try:
        config = read_json(read_file(path, DOCUMENT))
        if not isinstance(config, dict) or config.get("peft_type") != "LORA":
            raise Malformed("it is not one of a LoRA")
        model, rank, revision = config.get("base_model_name_or_path"), config.get("r"), config.get("revision")
        if not isinstance(model, str) or not isinstance(rank, int) or not isinstance(revision, str | None):
            raise Malformed("it lacks the model or the rank")
    except (OSError, Malformed) as error:
        raise BadInput(f"{where} model: {path} cannot be read ({error}); train the planner again") from error
    if not (folder / LAYER_WEIGHTS).is_file():
        raise BadInput(f"{where} model: {folder} has no {LAYER_WEIGHTS}; train the planner again")
    _check_files(folder, f"{where} model", "train the planner again")
    if Path(model).is_absolute() and not Path(model).is_dir():
        raise BadInput(
            f"{where} model: the LoRA in {folder} belongs to {model}, which does not exist; put the model there, or "
            f"write its folder as base_model_name_or_path of {path}"
        )
    if Path(model).is_dir():
        _check_files(Path(model), f"{where} model: of the LoRA in {folder}", "download or save the model again")
    return PlannerWeights(model, revision, folder, rank, read_prompt(folder, where))


def _check_files(folder: Path, where: str, fix: str) -> None:
    try:
        check_weights(folder)
    except DamagedFolder as error:
        raise BadInput(f"{where}: {error.path} cannot be used ({error.why}); {fix}") from error
