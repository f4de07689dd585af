"""Settings of a model in training: which pipeline, its precision, and where LoRA layers go."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from editscope.errors import BadInput, unknown
from editscope.training.activations import Kept

Precision = Literal["bf16", "fp32"]

LARGEST_RANK = 4096
DEVICES = ("auto", "cpu", "cuda", "mps")


def check_device(device: str, where: str) -> None:
    """Raise BadInput for a device that training does not support. Accelerate chooses among several GPUs."""
    if device.startswith("cuda:"):
        chosen = device.removeprefix("cuda:")
        raise BadInput(f'{where} device: write "cuda", and choose the GPU with CUDA_VISIBLE_DEVICES={chosen}')
    if device not in DEVICES:
        raise BadInput(f"{where} device: {unknown('device', device, DEVICES)}")


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """Table ``[model]``.

    ``guidance`` is the value that a guidance-distilled network gets during training; networks without a guidance
    embedding have none. ``input_area`` is how many pixels the network's input pictures have: None for what the pipeline
    itself does, 0 for the size of the output picture. ``text_tokens`` is how much of an instruction T5 reads. ``keep``
    says which activations of each block stay in memory for the backward pass: only its "inputs", so that the block is
    computed again, also the output of "attention", or "all". With ``compile`` blocks are compiled in the first step.
    """

    pipeline: str
    revision: str | None = None
    precision: Precision = "bf16"
    device: str = "auto"
    guidance: float = 1.0
    input_area: int | None = None
    text_tokens: int = 512
    keep: Kept = "inputs"
    compile: bool = False

    def check(self, where: str) -> None:
        """Raise BadInput for values that a model cannot have."""
        check_device(self.device, where)
        if self.guidance < 0:
            raise BadInput(f"{where} guidance: {self.guidance:g} is negative; 1 trains without extra guidance")
        if not 1 <= self.text_tokens <= 512:
            raise BadInput(f"{where} text_tokens: {self.text_tokens} must be from 1 to 512")
        if self.input_area is not None and self.input_area != 0 and self.input_area < 32 * 32:
            raise BadInput(
                f"{where} input_area: {self.input_area} is below 1,024 pixels; 0 keeps the size of the picture"
            )


@dataclass(frozen=True, slots=True)
class LoraSettings:
    """Table ``[lora]``; without it all weights of the network are trained.

    ``alpha`` is the rank if it is None, which gives the layers a scale of 1. ``targets`` is the name of a preset
    (attention, attention+mlp, all-linear), or comma-separated module names. ``start`` is the file or folder of a LoRA
    that the layers start from; without it they start at zero.
    """

    rank: int = 16
    alpha: float | None = None
    targets: str = "attention"
    dropout: float = 0.0
    start: str | None = None

    def check(self, where: str) -> None:
        """Raise BadInput for values that a LoRA cannot have."""
        if not 1 <= self.rank <= LARGEST_RANK:
            raise BadInput(f"{where} rank: {self.rank} must be from 1 to {LARGEST_RANK:,}")
        if self.alpha is not None and self.alpha <= 0:
            raise BadInput(f"{where} alpha: {self.alpha:g} must be above 0; remove it to use the rank")
        if not 0 <= self.dropout < 1:
            raise BadInput(f"{where} dropout: {self.dropout:g} must be at least 0 and below 1")
        if not [name for name in self.targets.split(",") if name.strip()]:
            raise BadInput(f'{where} targets: is empty; write "attention" or comma-separated module names')
        if self.start == "":
            raise BadInput(f"{where} start: is empty; give the file or folder of a trained LoRA, or remove it")
