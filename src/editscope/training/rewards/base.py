"""Base class of rewards: a number for an edit, or the reason why there is none."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

from editscope.cases import Status
from editscope.images import Pixels
from editscope.training.data.examples import EditExample
from editscope.transport.forecast import PaidCalls


@dataclass(frozen=True, slots=True, eq=False)
class Rollout:
    """What a model made of an example: a picture, and the plan that it wrote first, if it writes one."""

    example: EditExample
    picture: Pixels
    plan: str = ""


@dataclass(frozen=True, slots=True)
class RewardValue:
    """The reward of a rollout. If ``status`` is not "ok", there is no verdict, and ``value`` is None, not 0."""

    value: float | None
    status: Status = "ok"
    reason: str = ""


class Reward(ABC):
    """A reward. Higher is better; ``low`` and ``high`` are the ends of its scale."""

    name: ClassVar[str]
    spec: str = ""
    """The spec that it was loaded from; "" for an object that was made in Python."""
    low: float = 0.0
    high: float = 1.0
    needs_plan: ClassVar[bool] = False
    """Whether it scores what a planner writes, so that it needs one."""

    def check(self, example: EditExample) -> None:  # noqa: B027 - most rewards need nothing more
        """Raise BadInput if an example lacks what the reward needs, before anything is sampled."""

    def prepare(self) -> None:  # noqa: B027 - pixels need nobody
        """Raise BadInput if no values can be had now: a judge has no key, or a server is down."""

    @abstractmethod
    def score(self, rollouts: Sequence[Rollout]) -> list[RewardValue]:
        """A value for each rollout, in order. Raises Stopped if a budget is spent, and nothing else."""

    def forecast(self, rollout: Rollout) -> tuple[PaidCalls, ...]:
        """The paid calls that the value of such a rollout takes. Asks nobody."""
        return ()

    def close(self) -> None:  # noqa: B027 - or to release
        """Release judges and connections."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
