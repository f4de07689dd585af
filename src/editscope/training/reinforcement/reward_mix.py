"""Rewards of a round: totals by group, which of them each part learns from, and waiting for a judge that is down."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from statistics import fmean, pstdev

from editscope.errors import BadInput, Stopped, unknown
from editscope.training.data.examples import EditExample
from editscope.training.reinforcement.advantages import is_flat, is_small, standardized
from editscope.training.rewards.base import RewardValue, Rollout
from editscope.training.rewards.summed import FaultyValue, RewardSum, checked_values

Totals = list[list[float | None]]
"""The total of every edit by groups; None for an edit without one."""
DOWN = 0.5
"""If at least this share of edits has no verdict because of errors, the judge is considered down."""


class JudgeDown(Stopped):
    """No verdict came for longer than the run may wait; the run pauses and can be resumed later."""


class RewardFault(Stopped):
    """The code of a reward fails, so waiting would not help; the run stops with a checkpoint."""


@dataclass(frozen=True, slots=True)
class JudgePatience:
    """How long to wait for a judge that is down: pauses that double, up to ``most`` seconds in all."""

    first: float = 5.0
    most: float = 1800.0
    longest: float = 300.0
    sleep: Callable[[float], None] = time.sleep
    tell: Callable[[str], None] = lambda sentence: None


@dataclass(frozen=True, slots=True, eq=False)
class RewardMix:
    """The parts of a sum of rewards, as groups of edits need them.

    The total of an edit is ``Σ weight * value``. With ``normalize``, each reward is first brought to mean 0 and
    deviation 1 within its group; the plain sum (the paper's preset) does not change them. An edit has a total only if
    every reward that is on gave a verdict.
    """

    rewards: RewardSum
    normalize: bool = False
    patience: JudgePatience = JudgePatience()

    def __post_init__(self) -> None:
        if all(self.rewards.weights[name] == 0 for name in self.rewards.on):
            raise BadInput(
                "[rewards.weights] every weight is 0, so no edit is better than another; give one of them a weight"
            )

    def check(self, examples: Sequence[EditExample]) -> None:
        """Raise BadInput if an example lacks what a reward needs, before anything is sampled."""
        for example in examples:
            self.rewards.check(example)

    def check_names(self, names: Sequence[str], where: str) -> None:
        """Raise BadInput for a name that is not a reward, and if all named rewards are off."""
        for name in names:
            if name not in self.rewards.rewards:
                raise BadInput(f"{where}: {unknown('reward', name, self.rewards.rewards)}")
        if names and not set(names) & set(self.rewards.on):
            raise BadInput(f"{where}: {', '.join(names)} are all off; leave at least one of them on")

    def score(
        self, rollouts: Sequence[Rollout], waiting: Callable[[], AbstractContextManager[None]] = nullcontext
    ) -> dict[str, list[RewardValue]]:
        """The values of every reward that is on. Waits for a judge that is down; JudgeDown if it takes too long.

        ``waiting`` is entered for each pause.
        """
        return {name: self._patiently(name, rollouts, waiting) for name in self.rewards.on}

    def totals(self, values: Mapping[str, Sequence[RewardValue]], group_size: int, only: Sequence[str] = ()) -> Totals:
        """The total of every edit, by groups of equal size; only of the rewards in ``only``, if there are any."""
        names = [name for name in self.rewards.on if not only or name in only]
        groups: Totals = []
        count = len(values[names[0]])
        for first in range(0, count, group_size):
            columns = [[one.value for one in values[name][first : first + group_size]] for name in names]
            if self.normalize:
                columns = [standardized(column) for column in columns]
            weights = [self.rewards.weights[name] for name in names]
            groups.append([_weighted(row, weights) for row in zip(*columns, strict=True)])
        return groups

    def _patiently(
        self, name: str, rollouts: Sequence[Rollout], waiting: Callable[[], AbstractContextManager[None]]
    ) -> list[RewardValue]:
        """Values of a reward. If half of them or more are errors, the judge is considered down and is asked again.

        It is asked only for the missing ones.
        """
        reward, patience = self.rewards.rewards[name], self.patience
        pause, waited = patience.first, 0.0
        values = checked_values(reward, rollouts)
        while True:
            failed = [place for place, value in enumerate(values) if value.status == "error"]
            if not failed or len(failed) < DOWN * len(values):
                return values
            reason = values[failed[0]].reason or "no reason was given"
            if all(isinstance(value, FaultyValue) for value in values):
                raise RewardFault(
                    f"the reward {name!r} gave no value at all: {reason}; this is a fault of the reward itself, so the "
                    "run does not wait: fix it and resume from the checkpoint, or start over"
                )
            if waited >= patience.most:
                raise JudgeDown(
                    f"the reward {name!r} gave no verdict for {waited:.0f} s ({reason}); the run pauses; "
                    "resume it to continue from its checkpoint"
                )
            pause = min(pause, patience.most - waited, patience.longest)
            patience.tell(f"the reward {name!r} gives no verdict ({reason}); trying again in {pause:.0f} s")
            with waiting():
                patience.sleep(pause)
            waited, pause = waited + pause, pause * 2
            again = checked_values(reward, [rollouts[place] for place in failed])
            for place, value in zip(failed, again, strict=True):
                values[place] = value


def reward_metrics(values: Mapping[str, Sequence[RewardValue]], totals: Totals) -> dict[str, float]:
    """Means of rewards, and how many edits and groups teach nothing."""
    verdicts = [[total for total in group if total is not None] for group in totals]
    every = [total for group in verdicts for total in group]
    spreads = [pstdev(group) for group in verdicts if len(group) > 1]
    return {
        **{f"reward/{name}": mean for name, mean in means(values).items()},
        **({"reward/total": fmean(every)} if every else {}),
        **({"reward/spread": fmean(spreads)} if spreads else {}),
        "groups/without_verdict": float(sum(total is None for group in totals for total in group)),
        "groups/small": float(sum(map(is_small, totals))),
        "groups/flat": float(sum(map(is_flat, totals))),
    }


def no_totals(values: Mapping[str, Sequence[RewardValue]]) -> str:
    """The sentence about a round in which no edit has a total: replies that nobody can read, for example."""
    name, lost = next((name, value) for name, row in values.items() for value in row if value.value is None)
    return (
        f"no edit got a value from every reward ({name!r}: {lost.status}, {lost.reason or 'no reason was given'}); the "
        "checkpoint holds the state before this round; check the judge, then resume"
    )


def means(values: Mapping[str, Sequence[RewardValue]]) -> dict[str, float]:
    """The mean of each reward over the edits that have a verdict; a reward without any is left out."""
    numbers = {name: [one.value for one in row if one.value is not None] for name, row in values.items()}
    return {name: fmean(row) for name, row in numbers.items() if row}


def _weighted(row: Sequence[float | None], weights: Sequence[float]) -> float | None:
    total = 0.0
    for value, weight in zip(row, weights, strict=True):
        if value is None:
            return None
        total += weight * value
    return total
