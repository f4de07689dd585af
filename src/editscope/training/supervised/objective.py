"""Objective of a training loop: which network learns what of an example."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

import torch

from editscope.training.supervised.operations import StepOperations


class BatchSource(Protocol):
    """Where the examples of a process come from: its batches, all pictures of a batch in one size."""

    def __iter__(self) -> Iterator[Sequence[Any]]:
        """Batches, from where the source stands."""

    def state(self) -> Mapping[str, Any]:
        """Where it stands: what JSON can hold."""

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Stand where another stood."""


class Objective(ABC):
    """A loss for each example of a batch. All that is drawn comes from the generator of its example."""

    network: Any
    """What is trained: the parameters that want a gradient."""
    blocks: Sequence[str] = ()
    """Classes of modules that are sharded one by one."""

    @abstractmethod
    def losses(self, examples: Sequence[Any], generators: Sequence[torch.Generator]) -> torch.Tensor:
        """One loss for each example, on the network's device."""

    def operations(self) -> StepOperations | None:
        """The operations of the batches since the last call; None where they are not counted."""
        return None

    def name_of(self, example: Any) -> str:
        """What an example is called where something is wrong with it."""
        return str(getattr(example, "id", "an example"))
