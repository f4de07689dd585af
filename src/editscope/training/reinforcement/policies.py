"""Other weights of one network: the reference that a run started with, and the old policy that samples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import torch


def trained_parameters(network: torch.nn.Module) -> dict[str, torch.nn.Parameter]:
    """The parameters that have gradients, by name."""
    return {name: parameter for name, parameter in network.named_parameters() if parameter.requires_grad}


def lora_layers(network: torch.nn.Module) -> list[Any]:
    """The layers of a network that carry adapters of peft; none if it has no LoRA."""
    return [layer for layer in network.modules() if hasattr(layer, "lora_B") and hasattr(layer, "enable_adapters")]


class WeightCopy:
    """A copy of the trained weights of a network, which can take their place for a while."""

    def __init__(self, network: torch.nn.Module) -> None:
        self._network = network
        self.weights = {name: p.detach().clone() for name, p in trained_parameters(network).items()}

    @contextmanager
    def in_place(self) -> Iterator[None]:
        """The network with these weights; without gradients."""
        parameters = trained_parameters(self._network)
        own = {name: parameters[name].data for name in self.weights}
        try:
            for name, weight in self.weights.items():
                parameters[name].data = weight
            with torch.no_grad():
                yield
        finally:
            for name, weight in own.items():
                parameters[name].data = weight

    @torch.no_grad()
    def follow(self, decay: float) -> None:
        """Move toward the trained weights: ``copy = decay * copy + (1 - decay) * weights``."""
        for name, parameter in trained_parameters(self._network).items():
            self.weights[name].lerp_(parameter.detach(), 1 - decay)

    def state(self) -> dict[str, torch.Tensor]:
        """The weights by name."""
        return dict(self.weights)

    def load_state(self, state: Mapping[str, torch.Tensor]) -> None:
        """Take weights that were saved."""
        for name, weight in self.weights.items():
            weight.copy_(state[name])


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
    return WeightCopy(network)
