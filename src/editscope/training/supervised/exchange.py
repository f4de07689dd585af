"""Exchange between the processes of a run: groups to paint, objects, sums of gradients, and one that acts for all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import timedelta
from typing import Any, TypeVar

import torch
import torch.distributed as distributed

from editscope.errors import BadInput, EditscopeError, Stopped
from editscope.training.supervised.parallel import Processes

T = TypeVar("T")

PATIENCE = timedelta(days=7)
"""How long processes wait for the first one, which may wait for a judge. A process that dies is noticed at once."""
BUCKET = 1 << 24
"""Numbers of gradients that are summed at a time."""


class ProcessExchange:
    """What the processes of a training tell each other. All of them call each method, in the same order.

    Objects travel over a group of their own (gloo, on the CPU), so that no timeout of a GPU's group runs while the
    first process evaluates or waits for a judge. Without ``processes`` there is one.
    """

    def __init__(self, processes: Processes | None = None) -> None:
        self.count = 1 if processes is None else processes.count
        self.number = 0 if processes is None else processes.number
        self._device = torch.device("cpu") if processes is None else processes.device
        self._group: Any = None
        if self.count > 1:
            self._group = distributed.new_group(backend="gloo", timeout=PATIENCE)

    @property
    def first(self) -> bool:
        """Whether this process asks for rewards, writes and prints."""
        return self.number == 0

    def owns(self, group: int) -> bool:
        """Whether this process samples a group of the round, and trains on it."""
        return group % self.count == self.number

    def collected(self, own: T) -> list[T]:
        """The objects of all processes, in order."""
        if self.count == 1:
            return [own]
        everyone: list[Any] = [None] * self.count
        distributed.all_gather_object(everyone, own, group=self._group)
        return everyone

    def for_first(self, own: T) -> list[T]:
        """The objects of all processes, for the first one; the others get an empty list."""
        if self.count == 1:
            return [own]
        everyone: list[Any] | None = [None] * self.count if self.first else None
        distributed.gather_object(own, everyone, dst=0, group=self._group)
        return everyone or []

    def any(self, flag: bool) -> bool:
        """Whether the flag is set in one of the processes."""
        return any(self.collected(flag))

    def by_first(self, action: Callable[[], T]) -> T:
        """The result of an action that only the first process takes. What it raises ends all of them."""
        if self.count == 1:
            return action()
        outcome: list[Any] = [None]
        failure: BaseException | None = None
        if self.first:
            try:
                outcome = [("gave", action())]
            except BaseException as error:
                failure = error
                kind = "refused" if isinstance(error, BadInput) else "stopped"
                known = isinstance(error, EditscopeError)
                outcome = [(kind, str(error) if known else "the first process failed; see its message")]
        distributed.broadcast_object_list(outcome, src=0, group=self._group)
        if failure is not None:
            raise failure
        kind, given = outcome[0]
        if kind == "gave":
            result: T = given
            return result
        raise (BadInput if kind == "refused" else Stopped)(given)

    def kept_by_first(self, action: Callable[[], T]) -> T | None:
        """The result of an action that only the first process takes, and that stays there; None in the others."""
        results: list[T] = []
        self.by_first(lambda: results.append(action()))
        return results[0] if results else None

    def total(self, value: torch.Tensor) -> torch.Tensor:
        """The sum of a tensor over all processes."""
        if self.count == 1:
            return value
        summed = value.detach().to(self._device).clone()
        distributed.all_reduce(summed)
        return summed

    def sum_gradients(self, parameters: Iterable[torch.nn.Parameter]) -> None:
        """Put the sum over all processes into the gradients; one that no process has stays without."""
        if self.count == 1:
            return
        every = list(parameters)
        there = self.total(torch.tensor([float(one.grad is not None) for one in every])).tolist()
        used = [one for one, count in zip(every, there, strict=True) if count]
        for one in used:
            if one.grad is None:
                one.grad = torch.zeros_like(one)
        for bucket in _buckets(used):
            gradients = [one.grad for one in bucket if one.grad is not None]
            flat = torch.cat([gradient.flatten() for gradient in gradients])
            distributed.all_reduce(flat)
            parts = torch.split(flat, [one.numel() for one in gradients])
            for gradient, summed in zip(gradients, parts, strict=True):
                gradient.copy_(summed.view_as(gradient))

    @torch.no_grad()
    def same_start(self, parameters: Iterable[torch.nn.Parameter]) -> None:
        """Give all processes the weights of the first one."""
        for one in parameters if self.count > 1 else ():
            distributed.broadcast(one.data, src=0)


def _buckets(parameters: Sequence[torch.nn.Parameter]) -> list[list[torch.nn.Parameter]]:
    """Parameters of one type whose gradients are summed together."""
    buckets: list[list[torch.nn.Parameter]] = []
    filled = 0
    for one in parameters:
        if not buckets or filled + one.numel() > BUCKET or buckets[-1][0].dtype != one.dtype:
            buckets.append([])
            filled = 0
        buckets[-1].append(one)
        filled += one.numel()
    return buckets
