"""Rewards from pixels, without a judge."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from editscope.errors import BadInput, EditscopeError
from editscope.images import Pixels, interpolate
from editscope.scoring.batch import score_batch
from editscope.scoring.classic.registry import edit_region
from editscope.scoring.psnr import psnr
from editscope.training.data.examples import EditExample
from editscope.training.rewards.base import Reward, RewardValue, Rollout

NOTHING_OUTSIDE = "no pixel lies outside the edit"


class Miou(Reward):
    """The mean of the eleven IoUs of an output with the answer of its example.

    ``jobs`` is the number of threads, one per core unless given.
    """

    name: ClassVar[str] = "miou"

    def __init__(self, jobs: int | None = None) -> None:
        if jobs is not None and jobs < 1:
            raise BadInput(f"reward miou, option jobs: must be a whole number of at least 1, not {jobs}")
        self.jobs = jobs

    def check(self, example: EditExample) -> None:
        """Raise BadInput for an example without an answer, or with one of another size."""
        _check_answer("miou", example)

    def score(self, rollouts: Sequence[Rollout]) -> list[RewardValue]:
        """The scores of all outputs, on all cores."""
        values = [_no_answer(rollout.example) for rollout in rollouts]
        answers = {
            n: rollout.example.answer for n, rollout in enumerate(rollouts) if rollout.example.answer is not None
        }
        scores = score_batch(
            [rollouts[number].example.pictures[0] for number in answers],
            list(answers.values()),
            [rollouts[number].picture for number in answers],
            jobs=self.jobs,
            errors="keep",
        )
        for number, score in zip(answers, scores, strict=True):
            if isinstance(score, EditscopeError):
                values[number] = RewardValue(None, "error", str(score))
            else:
                values[number] = RewardValue(score.miou)
        return values


class PsnrOutside(Reward):
    """PSNR between source and output where nothing should change: 0 at ``worst`` dB and below, 1 at ``best`` and above.

    Nothing should change where source and answer agree; without an answer, outside the regions of the case. An
    output of another size is interpolated to that of the source.
    """

    name: ClassVar[str] = "psnr_outside"

    def __init__(self, worst: float = 0.0, best: float = 50.0) -> None:
        if not 0 <= worst < best <= 100:
            raise BadInput(
                f"reward psnr_outside: worst is {worst:g} and best is {best:g}; write 0 ≤ worst < best ≤ 100"
            )
        self.worst, self.best = worst, best

    def check(self, example: EditExample) -> None:
        """Raise BadInput for an example that does not say what should stay, or in which nothing should."""
        _check_answer("psnr_outside", example, or_regions=True)
        kept = _kept(example)
        if kept is None or not kept.any():
            raise BadInput(f"example {example.id!r} cannot be scored by psnr_outside: {NOTHING_OUTSIDE}")

    def score(self, rollouts: Sequence[Rollout]) -> list[RewardValue]:
        """The scaled PSNR of each output."""
        return [self._scored(rollout) for rollout in rollouts]

    def _scored(self, rollout: Rollout) -> RewardValue:
        source = rollout.example.pictures[0]
        kept = _kept(rollout.example)
        if kept is None:
            return _no_answer(rollout.example)
        height, width = source.shape[:2]
        same = rollout.picture.shape == source.shape
        level = psnr(source, rollout.picture if same else interpolate(rollout.picture, height, width), kept)
        if isnan(level):
            return RewardValue(None, "error", NOTHING_OUTSIDE)
        share = (level - self.worst) / (self.best - self.worst)
        return RewardValue(min(1.0, max(0.0, share)), reason=f"{level:.2f} dB")


def _kept(example: EditExample) -> npt.NDArray[np.bool_] | None:
    """Which pixels should stay; None if that is unknown."""
    source, answer = example.pictures[0], example.answer
    regions = example.case.regions if example.case is not None else ()
    if answer is not None and answer.shape == source.shape:
        return ~edit_region(source, answer)
    return ~edit_region(source, None, regions) if answer is None and regions else None


def _check_answer(reward: str, example: EditExample, *, or_regions: bool = False) -> None:
    source, answer = example.pictures[0], example.answer
    if answer is None and not (or_regions and example.case is not None and example.case.regions):
        needed = "an answer or regions" if or_regions else "an answer"
        raise BadInput(
            f"example {example.id!r} of {example.part!r} has no {needed.removeprefix('an ')}, and the reward {reward} "
            f"needs {needed}; train on data with answers, or use a reward that a judge gives"
        )
    if answer is not None and answer.shape != source.shape:
        raise BadInput(
            f"example {example.id!r} of {example.part!r} has an input of {_size(source)} and an answer of "
            f"{_size(answer)} pixels; the reward {reward} needs both in one size"
        )


def _no_answer(example: EditExample) -> RewardValue:
    return RewardValue(None, "error", f"example {example.id!r} has no answer or regions to score against")


def _size(pixels: Pixels) -> str:
    return f"{pixels.shape[1]}×{pixels.shape[0]}"
