"""Rewards whose best edit is known, judges that fail when told to, and checkpoints on disk."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import torch

from editscope.training.rewards.base import Reward, RewardValue, Rollout


class ByFunction(Reward):
    """A reward that is a function of the rollout; None stands for a rollout that nobody judged."""

    name: ClassVar[str] = "function"

    def __init__(self, function: Callable[[Rollout], float | None]) -> None:
        self._function = function
        self.asked = 0

    def score(self, rollouts: Sequence[Rollout]) -> list[RewardValue]:
        self.asked += len(rollouts)
        values = [self._function(rollout) for rollout in rollouts]
        return [RewardValue(None, "unparsed", "no number") if v is None else RewardValue(v) for v in values]


def brightness(rollout: Rollout) -> float:
    """How bright an edit is, 0 to 1. White wins, whatever the instruction says."""
    return float(rollout.picture.mean() / 255)


def closeness(rollout: Rollout) -> float:
    """How near an edit is to its answer, 1 for equal."""
    assert rollout.example.answer is not None
    return 1 - float(np.abs(rollout.picture.astype(float) - rollout.example.answer).mean() / 255)


class DownJudge(Reward):
    """Gives errors for some calls, from the first of ``down`` to before the last, and brightness otherwise."""

    name: ClassVar[str] = "down"

    def __init__(self, down: range) -> None:
        self.calls = 0
        self._down = down

    def score(self, rollouts: Sequence[Rollout]) -> list[RewardValue]:
        self.calls += 1
        if self.calls - 1 in self._down:
            return [RewardValue(None, "error", "connection refused")] * len(rollouts)
        return [RewardValue(brightness(rollout)) for rollout in rollouts]


class FileCheckpoints:
    """The latest state of a run in a file."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "state.pt"
        self.steps: list[int] = []

    def save(self, step: int, state: Mapping[str, Any]) -> None:
        self.steps.append(step)
        torch.save(dict(state), self._file)

    def latest(self) -> Mapping[str, Any] | None:
        if not self._file.exists():
            return None
        state: dict[str, Any] = torch.load(self._file, weights_only=True)
        return state
