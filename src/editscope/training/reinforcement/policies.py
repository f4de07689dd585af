"""Reference of a policy: the weights that a run started with."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch

from editscope.training.weights import WeightCopy, trained_parameters


def lora_layers(network: torch.nn.Module) -> list[Any]:
    """The layers of a network that carry adapters of peft; none if it has no LoRA."""
    return [layer for layer in network.modules() if hasattr(layer, "lora_B") and hasattr(layer, "enable_adapters")]


class LoraOff:
    """The network without its LoRA, which is the reference of a LoRA that starts at zero: no copy is needed."""

    def __init__(self, network: torch.nn.Module) -> None:
        self._layers = lora_layers(network)

    @contextmanager
    def in_place(self) -> Iterator[None]:
        """The network with its adapters off; without gradients."""
        try:
            for layer in self._layers:
                layer.enable_adapters(False)
            with torch.no_grad():
                yield
        finally:
            for layer in self._layers:
                layer.enable_adapters(True)


Reference = WeightCopy | LoraOff


def reference_of(network: torch.nn.Module) -> Reference:
    """The weights that a run started with. Call it before a checkpoint is loaded.

    It is the network with its LoRA off if only the LoRA is trained and changes nothing yet. Otherwise
    (full fine-tuning, or a LoRA from supervised training), it is a copy of the trained weights.
    """
    layers = lora_layers(network)
    trained = trained_parameters(network)
    only_lora = bool(layers) and all("lora_" in name for name in trained)
    ends = [p for name, p in trained.items() if ".lora_B." in name or ".lora_embedding_B." in name]
    if only_lora and ends and not any(bool(p.detach().any()) for p in ends):
        return LoraOff(network)
    return WeightCopy(trained)
