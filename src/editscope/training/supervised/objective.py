"""Objective of a training loop: a network and its loss for an example."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

import torch

from editscope.training.supervised.operations import StepOperations


class BatchSource(Protocol):
    """Source of the batches of a process; all pictures of a batch have one size."""

    def __iter__(self) -> Iterator[Sequence[Any]]:
        """Batches from the current position."""

    def state(self) -> Mapping[str, Any]:
        """The current position, as JSON."""

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Restore a saved position."""


class Objective(ABC):
    """A loss for each example of a batch. Random draws for an example use its own generator."""

    network: Any
    """The network to train: its parameters that require a gradient."""
    blocks: Sequence[str] = ()
    """Classes of modules that are sharded one by one."""
    unit: str = "pictures"
    """What examples are, in the plural: speeds are given in them."""

    @abstractmethod
    def losses(self, examples: Sequence[Any], generators: Sequence[torch.Generator]) -> torch.Tensor:
        """One loss for each example, on the network's device."""

    def operations(self) -> StepOperations | None:
        """The operations of the batches since the last call; None if they are not counted."""
        return None

    def name_of(self, example: Any) -> str:
        """The name of an example in error messages."""
        return str(getattr(example, "id", "an example"))
