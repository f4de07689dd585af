"""Log of a training: loops call it, and it writes to files and trackers."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, SupportsFloat

from editscope import printing
from editscope.runfolder.journal import Journal
from editscope.training.log.metrics_file import (
    EVENT,
    FILE,
    SAMPLES,
    START,
    STEP,
    SampleCase,
    read_training,
    sample_fields,
)
from editscope.training.log.samples import save_samples, write_grid
from editscope.training.log.tracker_feed import TrackerFeed, training_targets
from editscope.training.rewards.base import Rollout


@contextmanager
def locked_folder(folder: Path | None) -> Iterator[Journal | None]:
    """Lock the folder of a training against other processes; BadInput if one has locked it. None locks nothing.

    A folder that is made for the lock is removed if nothing was logged.
    """
    if folder is None:
        yield None
        return
    journal = Journal(folder, FILE)
    try:
        yield journal
    finally:
        (journal.take_back if journal.empty else journal.close)()


class TrainingLog:
    """The log of the experiment in a folder; None logs nothing, for all but the first of processes that train together.

    A process that continues from a checkpoint gives its step as ``start``: what was logged after that step is void
    from then on, and the clock continues from there. ``settings`` are those of the experiment, as in its TOML file.
    ``trackers`` are targets as ``--log`` takes them; "tensorboard" alone logs into the folder of the experiment.
    ``journal`` is that of ``locked_folder``, if the folder is locked already; it stays open.
    """

    def __init__(
        self,
        folder: str | Path | None,
        *,
        settings: Mapping[str, Any] | None = None,
        trackers: Sequence[str] = ("tensorboard",),
        start: int = 0,
        say: Callable[[str], None] = partial(printing.say, error=True),
        journal: Journal | None = None,
    ) -> None:
        self.folder = None if folder is None else Path(folder)
        self._began = time.monotonic()
        self._samples: dict[int, tuple[SampleCase, ...]] = {}
        self._feeds: list[TrackerFeed] = []
        self._journal: Journal | None = None
        self._own = journal is None
        if self.folder is None:
            return
        targets = training_targets(self.folder, trackers, say)
        self._journal = journal or Journal(self.folder, FILE)
        record = read_training(self.folder)
        self._samples |= {step: cases for step, cases in record.samples.items() if step <= start}
        self._began -= record.seconds_at(start)
        self._write(START, start, settings=dict(settings or {}))
        self._feeds += [TrackerFeed(self.folder, target, settings or {}, say) for target in targets]

    @property
    def seconds(self) -> float:
        """How long the training has taken, without superseded steps and pauses."""
        return time.monotonic() - self._began

    def step(self, step: int, metrics: Mapping[str, SupportsFloat | None]) -> None:
        """Log numbers of a step by name, as "loss" or "reward/miou"; a later value of a name takes its place.

        What is not finite is kept as no value: say so in an event.
        """
        self._write(STEP, step, metrics={name: _finite(value) for name, value in metrics.items()})

    def event(self, step: int, kind: str, sentence: str) -> None:
        """Log that something happened: ``kind`` as "checkpoint", "evaluation" or "stopped", and a sentence."""
        self._write(EVENT, step, event=kind, sentence=sentence)

    def sample(self, step: int, rollouts: Sequence[Rollout]) -> None:
        """Save the edits of the fixed cases, the same ones every time, and redraw the grid."""
        if self.folder is None:
            return
        cases = save_samples(self.folder, step, rollouts)
        self._write(SAMPLES, step, cases=sample_fields(cases))
        self._samples[step] = cases
        if cases:
            write_grid(self.folder, self._samples)

    def close(self) -> None:
        """Send trackers the lines that they lack, and unlock the folder."""
        try:
            for feed in self._feeds:
                feed.close()
        finally:
            if self._journal is not None and self._own:
                self._journal.close()
            elif self._journal is not None:
                self._journal.sync()

    def __enter__(self) -> TrainingLog:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _write(self, kind: str, step: int, **fields: Any) -> None:
        if self._journal is not None:
            self._journal.append({"kind": kind, "step": int(step), "seconds": round(self.seconds, 3), **fields})


def _finite(value: SupportsFloat | None) -> float | None:
    number = math.nan if value is None else float(value)
    return number if math.isfinite(number) else None
