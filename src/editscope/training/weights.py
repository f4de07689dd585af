"""Trained weights of a network: copies of them that follow, and two ways to put other values in their place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager

import torch


def trained_parameters(network: torch.nn.Module) -> dict[str, torch.nn.Parameter]:
    """The parameters that have gradients, by name."""
    return {name: parameter for name, parameter in network.named_parameters() if parameter.requires_grad}


class WeightCopy:
    """Values of trained weights at some time, in their own precision or in ``dtype``."""

    def __init__(self, trained: Mapping[str, torch.nn.Parameter], dtype: torch.dtype | None = None) -> None:
        self.trained = trained
        self.values = {name: value.detach().clone().to(dtype or value.dtype) for name, value in trained.items()}

    @torch.no_grad()
    def follow(self, decay: float) -> None:
        """Move toward the trained weights: ``copy = decay * copy + (1 - decay) * weights``."""
        for name, value in self.values.items():
            value.lerp_(self.trained[name].detach().to(value.dtype), 1 - decay)

    def in_place(self) -> AbstractContextManager[None]:
        """The copy in place of the weights."""
        return pointed_to(self.trained, self.values)

    def load(self, values: Mapping[str, torch.Tensor]) -> None:
        """Take values that were saved."""
        for name, value in self.values.items():
            value.copy_(values[name])


@contextmanager
def copied_in(trained: Mapping[str, torch.nn.Parameter], values: Mapping[str, torch.Tensor]) -> Iterator[None]:
    """Other values in the trained weights; after it, the weights are as they were. Without gradients.

    The values are copied: FSDP gathers whole weights from the shards that it knows, not from others.
    """
    with torch.no_grad():
        before = {name: value.detach().clone() for name, value in trained.items()}
        for name, value in trained.items():
            value.copy_(values[name].to(value.dtype))
        try:
            yield
        finally:
            for name, value in trained.items():
                value.copy_(before[name])


@contextmanager
def pointed_to(trained: Mapping[str, torch.nn.Parameter], values: Mapping[str, torch.Tensor]) -> Iterator[None]:
    """Other values as the trained weights; after it, the weights are as they were. Without gradients.

    Nothing is copied, since a policy and its reference change places for every part of a loss.
    """
    own = {name: trained[name].data for name in values}
    try:
        for name, value in values.items():
            trained[name].data = value
        with torch.no_grad():
            yield
    finally:
        for name, value in own.items():
            trained[name].data = value
