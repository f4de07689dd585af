"""Several rewards as one: weights, switches, and what happens when a judge is down."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from editscope.errors import BadInput, Stopped, unknown
from editscope.training.data.examples import EditExample
from editscope.training.reinforcement.advantages import standardized
from editscope.training.rewards.base import Reward, RewardValue, Rollout

SECTION = "[reinforcement.rewards]"
DOWN = 0.5
"""Share of edits without a verdict, because of errors, from which on a judge is taken to be down."""


class JudgeDown(Stopped):
    """No verdict came for longer than the run was told to wait; the run pauses and can go on later."""


@dataclass(frozen=True, slots=True)
class JudgePatience:
    """How long to wait for a judge that is down: pauses that double, up to so many seconds in all."""

    first: float = 5.0
    most: float = 1800.0
    longest: float = 300.0
    sleep: Callable[[float], None] = time.sleep
    tell: Callable[[str], None] = lambda sentence: None


@dataclass(frozen=True, slots=True, eq=False)
class RewardMix:
    """Rewards by name with their weights. Those in ``off`` are neither asked nor counted, which is the ablation.

    The total of an edit is ``Σ weight * value``. With ``normalize`` each reward is first brought to mean 0 and
    deviation 1 within its group; the plain sum (the paper's preset) leaves them as they are. An edit has a total
    only where every reward that is on gave a verdict.
    """

    rewards: Mapping[str, Reward]
    weights: Mapping[str, float] = field(default_factory=dict)
    off: frozenset[str] = frozenset()
    normalize: bool = False
    patience: JudgePatience = JudgePatience()

    def __post_init__(self) -> None:
        for name in (*self.weights, *self.off):
            if name not in self.rewards:
                raise BadInput(f"{SECTION} {unknown('reward', name, self.rewards)}")
        for name, weight in self.weights.items():
            if not math.isfinite(weight):
                raise BadInput(f"{SECTION} {name}: {weight} is not a weight; give a finite number")
        if not self.on:
            raise BadInput(f"{SECTION} every reward is switched off; leave at least one on")
        if all(self.weight(name) == 0 for name in self.on):
            raise BadInput(f"{SECTION} every weight is 0, so no edit would be better than another")

    @property
    def on(self) -> tuple[str, ...]:
        """The rewards that count, in the order in which they were given."""
        return tuple(name for name in self.rewards if name not in self.off)

    def weight(self, name: str) -> float:
        """The weight of a reward: 1 where none was given."""
        return self.weights.get(name, 1.0)

    def check(self, examples: Sequence[EditExample]) -> None:
        """Raise BadInput where an example lacks what a reward needs, before anything is sampled."""
        for name in self.on:
            for example in examples:
                self.rewards[name].check(example)

    def score(self, rollouts: Sequence[Rollout]) -> dict[str, list[RewardValue]]:
        """The values of every reward that is on. Waits for a judge that is down; JudgeDown where it takes too long."""
        return {name: self._patiently(name, rollouts) for name in self.on}

    def totals(
        self, values: Mapping[str, Sequence[RewardValue]], group_size: int, only: Sequence[str] = ()
    ) -> list[list[float | None]]:
        """The total of every edit, by groups of equal size; of the rewards in ``only``, where some are named."""
        names = [name for name in self.on if not only or name in only]
        groups: list[list[float | None]] = []
        count = len(values[names[0]])
        for first in range(0, count, group_size):
            columns = [[_number(one) for one in values[name][first : first + group_size]] for name in names]
            if self.normalize:
                columns = [standardized(column) for column in columns]
            weights = [self.weight(name) for name in names]
            groups.append([_weighted(row, weights) for row in zip(*columns, strict=True)])
        return groups

    def check_names(self, names: Sequence[str], where: str) -> None:
        """Raise BadInput for a name that is no reward, or one that is switched off."""
        for name in names:
            if name not in self.rewards:
                raise BadInput(f"{where}: {unknown('reward', name, self.rewards)}")
        if names and not set(names) & set(self.on):
            raise BadInput(f"{where}: {', '.join(names)} are all switched off; leave one of them on")

    def _patiently(self, name: str, rollouts: Sequence[Rollout]) -> list[RewardValue]:
        """Values of a reward. Where half of them or more are errors, the judge is taken to be down and is asked again.

        It is asked again for those only that have none.
        """
        patience = self.patience
        pause, waited = patience.first, 0.0
        values = self._values(name, rollouts)
        while True:
            failed = [place for place, value in enumerate(values) if value.status == "error"]
            if not failed or len(failed) < DOWN * len(values):
                return values
            reason = values[failed[0]].reason or "no reason was given"
            if waited >= patience.most:
                raise JudgeDown(
                    f"the reward {name!r} gave no verdict for {waited:.0f} s ({reason}); the run pauses, and goes "
                    "on from its checkpoint when you resume it"
                )
            pause = min(pause, patience.most - waited, patience.longest)
            patience.tell(f"the reward {name!r} gives no verdict ({reason}); trying again in {pause:.0f} s")
            patience.sleep(pause)
            waited, pause = waited + pause, pause * 2
            again = self._values(name, [rollouts[place] for place in failed])
            for place, value in zip(failed, again, strict=True):
                values[place] = value

    def _values(self, name: str, rollouts: Sequence[Rollout]) -> list[RewardValue]:
        values = list(self.rewards[name].score(rollouts))
        if len(values) != len(rollouts):
            raise BadInput(f"the reward {name!r} gave {len(values)} values for {len(rollouts)} edits")
        return values


def means(values: Mapping[str, Sequence[RewardValue]]) -> dict[str, float]:
    """The mean of each reward over the edits that have a verdict; a reward without any is left out."""
    numbers = {name: [n for one in row if (n := _number(one)) is not None] for name, row in values.items()}
    return {name: fmean(row) for name, row in numbers.items() if row}


def _number(value: RewardValue) -> float | None:
    """The value of a reward as it counts: None without a verdict, and where it is no number."""
    return value.value if value.status == "ok" and value.value is not None and math.isfinite(value.value) else None


def _weighted(row: Sequence[float | None], weights: Sequence[float]) -> float | None:
    total = 0.0
    for value, weight in zip(row, weights, strict=True):
        if value is None:
            return None
        total += weight * value
    return total
