"""What the numbers of a training say: which names are scores, the best step by a held-out score, how it ended."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from editscope.scoring.classic.registry import built_in_label
from editscope.training.log.metrics_file import LoggedTraining, TrainingEvent
from editscope.training.run_files import checkpoints_in

HELD_OUT, REWARD, CHECKPOINT, STOPPED = "held_out", "reward", "checkpoint", "stopped"
TOTAL = "reward/total"
GONE = "It is no longer in the folder: [checkpoints] keep removes old ones."
NOT_REWARDS = ("reward/spread",)
IDENTITY, OVER_EDIT = "identity_rate", "over_edit_ratio"


@dataclass(frozen=True, slots=True)
class BestStep:
    """The step at which a held-out score was best, and the last one that has the score."""

    metric: str
    step: int
    value: float
    last_step: int
    last_value: float
    checkpoint: str
    """A sentence on the checkpoint of that step, also if it is gone; "" if none was saved."""


def held_out_names(record: LoggedTraining) -> list[str]:
    """The metrics that are scores on held-out cases; losses come last."""
    names = [name for name in record.names() if name == HELD_OUT or name.startswith(f"{HELD_OUT}/")]
    return sorted(names, key=is_loss)


def reward_names(record: LoggedTraining) -> list[str]:
    """The metrics that are rewards, their total first."""
    names = [name for name in record.names() if name == REWARD or name.startswith(f"{REWARD}/")]
    return sorted((name for name in names if name not in NOT_REWARDS), key=lambda name: name not in (TOTAL, REWARD))


def named(record: LoggedTraining, ending: str) -> str | None:
    """The metric whose name ends so, whatever group it is in.

    >>> named(LoggedTraining(metrics={1: {"monitor/identity_rate": 0.1}}), "identity_rate")
    'monitor/identity_rate'
    """
    return next((name for name in record.names() if name.rpartition("/")[2] == ending), None)


def is_loss(name: str) -> bool:
    """Whether lower is better: for a loss, or a distance such as LPIPS.

    >>> is_loss("held_out/loss"), is_loss("held_out/lpips"), is_loss("held_out/miou")
    (True, True, False)
    """
    plain = name.rpartition("/")[2]
    label = built_in_label(plain)
    return plain == "loss" or (label is not None and label.higher_is_better is False)


def is_score(name: str) -> bool:
    """Whether a number has a best value at an end: an over-edit ratio is right at 1, an identity rate only watched.

    >>> is_score("held_out/miou"), is_score("held_out/over_edit_ratio")
    (True, False)
    """
    return name.rpartition("/")[2] not in (IDENTITY, OVER_EDIT)


def steps_there(folder: Path) -> frozenset[int]:
    """The steps whose checkpoints are in the folder of a training."""
    return frozenset(step for step, _ in checkpoints_in(folder))


def best_steps(record: LoggedTraining, there: Collection[int] | None = None) -> list[BestStep]:
    """The best step by each held-out score; higher is better, but for losses, and of equals the first counts.

    Numbers that are not scores have none. ``there`` are the steps whose checkpoints are still in the folder, None if
    unknown.
    """
    saved = {
        event.step: event.sentence if there is None or event.step in there else f"{event.sentence} {GONE}"
        for event in current(record.events)
        if event.kind == CHECKPOINT
    }
    best = []
    for name in filter(is_score, held_out_names(record)):
        curve = record.curve(name)
        if curve:
            step, value = (min if is_loss(name) else max)(curve, key=lambda point: point[1])
            best.append(BestStep(name, step, value, *curve[-1], saved.get(step, "")))
    return best


def reward_before(record: LoggedTraining, name: str, held_out: str) -> list[tuple[int, float, float]]:
    """For each held-out score its step, the mean reward of the steps since the score before it, and the score."""
    rewards, pairs, since = record.curve(name), [], -1
    for step, score in record.curve(held_out):
        between = [value for at, value in rewards if since < at <= step]
        if between:
            pairs.append((step, sum(between) / len(between), score))
        since = step
    return pairs


def current(events: Sequence[TrainingEvent]) -> list[TrainingEvent]:
    """Events that are not superseded by a later start."""
    return [event for event in events if not event.superseded]


def stop(record: LoggedTraining) -> TrainingEvent | None:
    """Why the training stopped, if it did and was not resumed."""
    last = current(record.events)[-1:]
    return next((event for event in last if event.kind == STOPPED and event.step >= record.last_step), None)
