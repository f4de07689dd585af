"""Advantages: how much better an edit is than the others of its group."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean, pstdev

from editscope.training.reinforcement.settings import Normalization

SMALLEST = 2
"""Edits with a verdict that a group needs: a single one has nothing to be compared with."""
GUARD = 1e-4
"""Added to a standard deviation, as in Flow-GRPO's release, so that a group of nearly equal rewards stays small."""

Rewards = Sequence[float | None]
"""The rewards of a group; None for an edit without a verdict, which counts as nothing, not as 0."""


def group_advantages(
    groups: Sequence[Rewards], normalization: Normalization = "group", most: float = 5.0
) -> list[list[float | None]]:
    """For each edit ``(reward - mean of its group) / deviation``, cut at ``most``; None where it has no say.

    The deviation is that of the group, or that of all edits of the round ("round", ``global_std`` of Flow-GRPO's
    release), or 1 ("none"). An edit without a verdict leaves its group smaller; a group with under two verdicts has no
    advantages.

    >>> group_advantages([[1.0, 2.0, None, 3.0]], "none")
    [[-1.0, 0.0, None, 1.0]]
    >>> group_advantages([[1.0, None], [5.0, 5.0]])
    [[None, None], [0.0, 0.0]]
    """
    rewarded = [_verdicts(group) for group in groups]
    of_round = _deviation([reward for verdicts in rewarded for reward in verdicts])
    made: list[list[float | None]] = []
    for group, verdicts in zip(groups, rewarded, strict=True):
        if len(verdicts) < SMALLEST:
            made.append([None] * len(group))
            continue
        mean = fmean(verdicts)
        scale = {"group": _deviation(verdicts) + GUARD, "round": of_round + GUARD, "none": 1.0}[normalization]
        flat = is_flat(group)
        made.append([None if r is None else 0.0 if flat else _cut((r - mean) / scale, most) for r in group])
    return made


def is_small(group: Rewards) -> bool:
    """Whether a group has too few verdicts to learn from."""
    return len(_verdicts(group)) < SMALLEST


def is_flat(group: Rewards) -> bool:
    """Whether all rewards of a group are equal, so that none is better."""
    verdicts = _verdicts(group)
    return len(verdicts) >= SMALLEST and min(verdicts) == max(verdicts)


def optimality(advantage: float, most: float) -> float:
    """The probability that an edit is a good one, from its advantage (DiffusionNFT): 0 to 1, and 0.5 for the mean.

    >>> optimality(5.0, 5.0), optimality(0.0, 5.0), optimality(-2.5, 5.0)
    (1.0, 0.5, 0.25)
    """
    return 0.5 + 0.5 * _cut(advantage / most, 1.0)


def standardized(group: Rewards) -> list[float | None]:
    """Rewards of a group with mean 0 and deviation 1, so that those of different scales weigh the same.

    >>> standardized([0.0, None, 10.0])
    [-1.0, None, 1.0]
    """
    verdicts = _verdicts(group)
    deviation = _deviation(verdicts)
    if deviation == 0:
        return [None if reward is None else 0.0 for reward in group]
    mean = fmean(verdicts)
    return [None if reward is None else (reward - mean) / deviation for reward in group]


def _verdicts(group: Rewards) -> list[float]:
    return [reward for reward in group if reward is not None and math.isfinite(reward)]


def _deviation(values: Sequence[float]) -> float:
    return pstdev(values) if len(values) > 1 else 0.0


def _cut(value: float, most: float) -> float:
    return max(-most, min(most, value))
