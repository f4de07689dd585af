"""What learns from rewards: a network with its optimizer and a loss, and the walk over batches that updates it."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Generic, TypeVar

import torch

from editscope.errors import BadInput, Stopped
from editscope.training.reinforcement.policies import trained_parameters
from editscope.training.reinforcement.sampler import seed_of

BatchT = TypeVar("BatchT")


@dataclass(frozen=True, slots=True, eq=False)
class LossPart:
    """A part of a loss, summed over rollouts, and numbers for the log, each a sum over ``count`` rollouts."""

    loss: torch.Tensor
    count: int
    numbers: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class UpdatePlan:
    """How a round's batches become optimizer steps: inner epochs over all of them, so many steps in each."""

    inner_epochs: int
    updates: int
    most_gradient: float
    seed: int


class Learner(ABC, Generic[BatchT]):
    """A network that learns from advantages. One rollout has one advantage; None takes it out of the loss."""

    name: str

    def __init__(self, network: torch.nn.Module, optimizer: torch.optim.Optimizer) -> None:
        self.network = network
        self.optimizer = optimizer
        if not trained_parameters(network):
            raise BadInput(
                f"the {self.name} has no weight that is trained; add a LoRA to it, or train the other part only"
            )

    @abstractmethod
    def sampling(self) -> AbstractContextManager[None]:
        """The weights that sample, without gradients."""

    @abstractmethod
    def losses(self, batch: BatchT, advantages: Sequence[float | None], salt: int) -> Iterator[LossPart]:
        """The loss of a batch in parts that are small enough for one backward pass each."""

    @abstractmethod
    def parts(self, batch: BatchT) -> int:
        """How many parts the loss of a batch has."""

    def end_round(self, round_number: int) -> dict[str, float]:
        """What is to be done after the updates of a round; gives numbers for the log."""
        return {}

    def state(self) -> dict[str, Any]:
        """All that a resumed run needs."""
        weights = {name: p.detach().clone() for name, p in trained_parameters(self.network).items()}
        return {"weights": weights, "optimizer": self.optimizer.state_dict()}

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Go on from what ``state`` gave."""
        parameters = trained_parameters(self.network)
        if set(parameters) != set(state["weights"]):
            raise BadInput(f"the checkpoint has other weights of the {self.name} than those that are trained now")
        with torch.no_grad():
            for name, parameter in parameters.items():
                parameter.copy_(state["weights"][name])
        self.optimizer.load_state_dict(dict(state["optimizer"]))

    def update(
        self, batches: Sequence[BatchT], advantages: Sequence[Sequence[float | None]], plan: UpdatePlan
    ) -> dict[str, float]:
        """Update the weights on all batches; gives means for the log. Batches without any advantage are left out."""
        used = [place for place, row in enumerate(advantages) if any(one is not None for one in row)]
        sums: dict[str, float] = {}
        counts: dict[str, int] = {}
        for epoch in range(plan.inner_epochs if used else 0):
            shuffle = torch.Generator().manual_seed(seed_of(plan.seed, "order", epoch))
            order = [used[place] for place in torch.randperm(len(used), generator=shuffle).tolist()]
            for share in _shares(order, plan.updates):
                total = sum(_count(advantages[place]) * self.parts(batches[place]) for place in share)
                for place in share:
                    salt = seed_of(plan.seed, "batch", epoch, place)
                    for part in self.losses(batches[place], advantages[place], salt):
                        self._check_finite(part.loss)
                        (part.loss / total).backward()  # type: ignore[no-untyped-call]
                        for name, number in {**part.numbers, "loss": float(part.loss.detach())}.items():
                            sums[name] = sums.get(name, 0.0) + number
                            counts[name] = counts.get(name, 0) + part.count
                norm = self._step(plan.most_gradient)
                sums["gradient"] = sums.get("gradient", 0.0) + norm
                counts["gradient"] = counts.get("gradient", 0) + 1
        return {f"{self.name}/{name}": sums[name] / counts[name] for name in sums}

    def _check_finite(self, loss: torch.Tensor) -> None:
        if not bool(torch.isfinite(loss.detach()).all()):
            self.optimizer.zero_grad()
            raise BrokenLoss(
                f"the loss of the {self.name} is {float(loss.detach())}; the last good checkpoint stays; "
                "go on from it with a lower rate"
            )

    def _step(self, most: float) -> float:
        parameters = list(trained_parameters(self.network).values())
        norm = float(torch.nn.utils.clip_grad_norm_(parameters, most))
        if not math.isfinite(norm):
            self.optimizer.zero_grad()
            raise BrokenLoss(
                f"the gradient of the {self.name} is {norm}; the last good checkpoint stays; "
                "go on from it with a lower rate"
            )
        self.optimizer.step()
        self.optimizer.zero_grad()
        return norm


class BrokenLoss(Stopped):
    """A loss or gradient that is no number; weights of this round are not saved."""


def _count(row: Sequence[float | None]) -> int:
    return sum(one is not None for one in row)


def _shares(order: Sequence[int], count: int) -> list[Sequence[int]]:
    """The batches of each optimizer step, as even as possible and none empty.

    >>> _shares([3, 1, 2, 0, 4], 2), _shares([0], 4)
    ([[3, 1, 2], [0, 4]], [[0]])
    """
    count = min(count, len(order))
    ends = [round(len(order) * number / count + 1e-9) for number in range(count + 1)]
    return [order[first:last] for first, last in pairwise(ends)]
