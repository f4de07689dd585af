"""Learners for reinforcement learning: network, optimizer and loss."""

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
from editscope.training.reinforcement.sampler import seed_of
from editscope.training.supervised.exchange import ProcessExchange
from editscope.training.weights import trained_parameters

BatchT = TypeVar("BatchT")


@dataclass(frozen=True, slots=True, eq=False)
class LossPart:
    """A part of a loss, summed over rollouts, and numbers for the log, each a sum over ``count`` rollouts.

    All of them stay on their device, so that nothing waits for a GPU.
    """

    loss: torch.Tensor
    count: torch.Tensor
    numbers: Mapping[str, torch.Tensor]


def part_of(loss: torch.Tensor, numbers: Mapping[str, torch.Tensor], counted: torch.Tensor) -> LossPart:
    """A part from values of each rollout; ``counted`` is 1 for those that count and 0 for the others."""
    chosen = counted > 0
    summed = {name: torch.where(chosen, values, 0).sum() for name, values in numbers.items()}
    return LossPart(torch.where(chosen, loss, 0).sum(), counted.sum(), summed)


@dataclass(frozen=True, slots=True)
class UpdatePlan:
    """How a round's batches become optimizer steps: inner epochs over all of them, with ``updates`` steps in each."""

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
            raise BadInput(f"the {self.name} has no trainable weights; add a LoRA to it, or train only the other part")

    @abstractmethod
    def sampling(self) -> AbstractContextManager[None]:
        """The weights that sample, without gradients."""

    @abstractmethod
    def losses(self, batch: BatchT, advantages: Sequence[float | None], salt: int) -> Iterator[LossPart]:
        """The loss of a batch in parts that are small enough for one backward pass each."""

    @property
    @abstractmethod
    def parts(self) -> int:
        """How many parts the loss of a batch has."""

    @property
    def device(self) -> torch.device:
        """The device of the network."""
        return next(self.network.parameters()).device

    def end_round(self, round_number: int) -> dict[str, float]:
        """Finish a round after its updates; returns numbers for the log."""
        return {}

    def state(self) -> dict[str, Any]:
        """All that a resumed run needs. Weights are copied to the CPU: another copy of them may not fit on a GPU."""
        weights = {name: p.detach().to("cpu", copy=True) for name, p in trained_parameters(self.network).items()}
        return {"weights": weights, "optimizer": self.optimizer.state_dict()}

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Restore a saved state."""
        parameters = trained_parameters(self.network)
        if set(parameters) != set(state["weights"]):
            raise BadInput(
                f"the checkpoint has other trained weights of the {self.name} than this run; resume with the same "
                "[lora] and [planner]"
            )
        with torch.no_grad():
            for name, parameter in parameters.items():
                parameter.copy_(state["weights"][name])
        self.optimizer.load_state_dict(dict(state["optimizer"]))

    def update(
        self,
        batches: Sequence[BatchT | None],
        advantages: Sequence[Sequence[float | None]],
        plan: UpdatePlan,
        exchange: ProcessExchange | None = None,
    ) -> dict[str, float]:
        """Update the weights on all batches; returns means for the log. Batches without any advantage are left out.

        Advantages are those of all processes; a batch is None where another process has it.
        """
        together = exchange or ProcessExchange()
        used = [place for place, row in enumerate(advantages) if any(one is not None for one in row)]
        sums: dict[str, torch.Tensor] = {}
        counts: dict[str, torch.Tensor] = {}
        norms: list[float] = []
        for epoch in range(plan.inner_epochs if used else 0):
            shuffle = torch.Generator().manual_seed(seed_of(plan.seed, "order", epoch))
            order = [used[place] for place in torch.randperm(len(used), generator=shuffle).tolist()]
            for share in _shares(order, plan.updates):
                total = sum(_count(advantages[place]) for place in share) * self.parts
                loss = torch.zeros((), device=self.device)
                for place in share:
                    batch = batches[place]
                    if batch is None:
                        continue
                    salt = seed_of(plan.seed, "batch", epoch, place)
                    for part in self.losses(batch, advantages[place], salt):
                        (part.loss / total).backward()  # type: ignore[no-untyped-call]
                        loss += part.loss.detach()
                        for name, number in {**part.numbers, "loss": part.loss.detach()}.items():
                            sums[name] = sums[name] + number if name in sums else number
                            counts[name] = counts[name] + part.count if name in counts else part.count
                norms.append(self._step(plan.most_gradient, loss, together))
        return {f"{self.name}/{name}": value for name, value in _means(sums, counts, norms, together).items()}

    def _step(self, most: float, loss: torch.Tensor, together: ProcessExchange) -> float:
        """A step of the optimizer on the gradients of all processes; returns their norm, or raises BrokenLoss."""
        parameters = list(trained_parameters(self.network).values())
        summed = float(together.total(loss))
        if math.isfinite(summed):
            together.sum_gradients(parameters)
            norm = float(torch.nn.utils.clip_grad_norm_(parameters, most))
        broken = ("loss", summed) if not math.isfinite(summed) else ("gradient", norm)
        if not math.isfinite(broken[1]):
            self.optimizer.zero_grad()
            raise BrokenLoss(f"the {broken[0]} of the {self.name} is {broken[1]}")
        self.optimizer.step()
        self.optimizer.zero_grad()
        return norm


class BrokenLoss(Stopped):
    """A loss or gradient is not finite; the weights of this round are not saved."""


def _means(
    sums: Mapping[str, torch.Tensor],
    counts: Mapping[str, torch.Tensor],
    norms: Sequence[float],
    together: ProcessExchange,
) -> dict[str, float]:
    """Means over the rollouts of all processes, and that of the norms of gradients, which all have."""
    own = {name: (float(sums[name]), float(counts[name])) for name in sums}
    every = together.collected(own)
    means: dict[str, float] = {}
    for name in dict.fromkeys(name for one in every for name in one):
        given = [one[name] for one in every if name in one]
        means[name] = sum(number for number, _ in given) / sum(count for _, count in given)
    return means | ({"gradient": sum(norms) / len(norms)} if norms else {})


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
