"""Several rewards as one: a weighted sum, whose parts can be switched off."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import ClassVar

from editscope.errors import BadInput, Stopped, unknown
from editscope.outside import kind_of, one_line
from editscope.training.data.examples import EditExample
from editscope.training.rewards.base import Reward, RewardValue, Rollout
from editscope.training.rewards.registry import load_reward, part_name


@dataclass(frozen=True, slots=True)
class FaultyValue(RewardValue):
    """No value, because the code of a reward is at fault: asking again would give the same."""


class RewardSum(Reward):
    """The sum of weight · value over its parts, without any normalizing.

    ``rewards`` are specs or rewards, by a name of your choice or in a list. Parts that ``off`` names are not asked and
    do not count; nothing else changes. A rollout that lacks the value of one part has no sum.
    """

    name: ClassVar[str] = "sum"

    def __init__(
        self,
        rewards: Mapping[str, str | Reward] | Sequence[str | Reward],
        weights: Mapping[str, float] | Sequence[float] | None = None,
        off: Collection[str] = (),
    ) -> None:
        if isinstance(rewards, str):
            raise BadInput("rewards must be a list or mapping of specs, not a string")
        if isinstance(rewards, Mapping):
            self.rewards = {name: load_reward(reward) for name, reward in rewards.items()}
        else:
            loaded = [load_reward(reward) for reward in rewards]
            self.rewards = {part_name(reward): reward for reward in loaded}
            if len(self.rewards) < len(loaded):
                raise BadInput("two rewards of a sum have the same name; give them as a mapping with names of your own")
        if not self.rewards:
            raise BadInput("a sum needs at least one reward, such as miou")
        self.weights = self._read_weights(weights)
        if isinstance(off, str) or not isinstance(off, Collection) or not all(isinstance(name, str) for name in off):
            raise BadInput(f'off is {off!r}; write a list of names, such as off = ["miou"]')
        for name in off:
            if name not in self.rewards:
                raise unknown("reward to switch off", name, self.rewards)
        self.on = tuple(name for name in self.rewards if name not in set(off))
        if not self.on:
            raise BadInput("every reward of the sum is off; leave at least one on")

    @property
    def low(self) -> float:  # type: ignore[override] # parts may learn their scale later, in prepare()
        """The lower end of the scale."""
        return sum(min(ends) for ends in self._ends())

    @property
    def high(self) -> float:  # type: ignore[override]
        """The upper end of the scale."""
        return sum(max(ends) for ends in self._ends())

    def _ends(self) -> list[tuple[float, float]]:
        """Both ends of each part that is on, weighted; a negative weight turns them around."""
        parts = [(self.weights[name], self.rewards[name]) for name in self.on]
        return [(float(weight * part.low), float(weight * part.high)) for weight, part in parts]

    def _read_weights(self, given: Mapping[str, float] | Sequence[float] | None) -> dict[str, float]:
        names = list(self.rewards)
        if given is None:
            return dict.fromkeys(names, 1.0)
        if not isinstance(given, Mapping):
            if isinstance(given, str) or not isinstance(given, Sequence):
                raise BadInput(
                    f"weights is {given!r}; write a number for each reward, by its name in a table or in a list"
                )
            if len(given) != len(names):
                raise BadInput(f"there are {len(given)} weights for {len(names)} rewards; give one for each")
            given = dict(zip(names, given, strict=True))
        for name, weight in given.items():
            if name not in self.rewards:
                raise unknown("reward to weigh", name, names)
            if isinstance(weight, bool) or not isinstance(weight, int | float) or not isfinite(weight):
                raise BadInput(f"the weight of {name} is {weight!r}; write a number")
        return {name: float(given.get(name, 1.0)) for name in names}

    def check(self, example: EditExample) -> None:
        """Raise BadInput if an example lacks what one of the parts needs."""
        for name in self.on:
            self.rewards[name].check(example)

    def prepare(self) -> None:
        """Raise BadInput if one of the parts cannot be asked."""
        for name in self.on:
            self.rewards[name].prepare()

    def close(self) -> None:
        """Release all parts."""
        for reward in self.rewards.values():
            reward.close()

    def parts(self, rollouts: Sequence[Rollout]) -> dict[str, list[RewardValue]]:
        """The values of each part that is on, neither weighted nor summed."""
        return {name: checked_values(self.rewards[name], rollouts) for name in self.on}

    def total(self, parts: Mapping[str, Sequence[RewardValue]]) -> list[RewardValue]:
        """The weighted sums of the values that ``parts`` returned."""
        return [self._sum(dict(zip(parts, values, strict=True))) for values in zip(*parts.values(), strict=True)]

    def score(self, rollouts: Sequence[Rollout]) -> list[RewardValue]:
        """The sum for each rollout."""
        return self.total(self.parts(rollouts))

    def _sum(self, values: Mapping[str, RewardValue]) -> RewardValue:
        sum_ = 0.0
        for name, one in values.items():
            if one.value is None:
                return RewardValue(None, one.status, f"{name}: {one.reason}")
            sum_ += self.weights[name] * one.value
        if len(values) == 1:
            return RewardValue(sum_, reason=next(iter(values.values())).reason)
        return RewardValue(sum_, reason=", ".join(f"{name} {one.value:.4g}" for name, one in values.items()))


def checked_values(reward: Reward, rollouts: Sequence[Rollout]) -> list[RewardValue]:
    """The values of a reward that may be somebody else's code: one for each rollout, each a finite number or a status.

    If it raises, or returns something other than a finite number, rollouts have no value; only Stopped passes.
    """
    who = part_name(reward)
    try:
        values = reward.score(rollouts)
        if not isinstance(values, Sequence) or len(values) != len(rollouts):
            count = f"{len(values)} values" if isinstance(values, Sequence) else kind_of(values)
            why = f"the reward {who} gave {count} for {len(rollouts)} rollouts; return one for each"
            return [FaultyValue(None, "error", why)] * len(rollouts)
    except Stopped:
        raise
    except Exception as error:
        why = str(error) if isinstance(error, BadInput) else f"the reward {who} failed ({one_line(error)})"
        return [(FaultyValue if is_fault(error) else RewardValue)(None, "error", why)] * len(rollouts)
    return [_checked_value(who, value) for value in values]


def is_fault(error: BaseException) -> bool:
    """Whether an exception is one of Python's own, which faulty code raises, not one of a network or a library.

    >>> is_fault(KeyError("score")), is_fault(ConnectionRefusedError()), is_fault(TimeoutError())
    (True, False, False)
    """
    if type(error).__module__ != "builtins" or isinstance(error, OSError | MemoryError | EOFError):
        return False
    before = error.__cause__ or error.__context__
    return before is None or is_fault(before)


def _checked_value(who: str, value: RewardValue) -> RewardValue:
    if not isinstance(value, RewardValue):
        return FaultyValue(None, "error", f"the reward {who} gave {kind_of(value)}, not an editscope.RewardValue")
    if value.status != "ok" or value.value is None:
        status = "error" if value.status == "ok" else value.status
        return RewardValue(None, status, value.reason or f"the reward {who} gave no value")
    try:
        number = float(value.value)
    except (TypeError, ValueError, OverflowError):
        return RewardValue(None, "error", f"the reward {who} gave {kind_of(value.value)}, which is not a finite number")
    if not isfinite(number):
        return RewardValue(None, "error", f"the reward {who} gave {number}, which is not a finite number")
    return RewardValue(number, reason=value.reason)
