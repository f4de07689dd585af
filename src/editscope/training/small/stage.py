"""A stage of the small editor's training: some minutes from where the last stage ended, in a folder to resume from."""

from __future__ import annotations

import math
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from torch import Tensor

from editscope.errors import BadInput, Stopped
from editscope.runfolder.journal import Journal
from editscope.training.checkpoints import (
    TrainingState,
    check_same,
    checkpoints_in,
    load_checkpoint,
    read_state,
    remove_unfinished,
    save_checkpoint,
)
from editscope.training.log.training_log import TrainingLog
from editscope.training.small.held_out import HELD_OUT, held_out_by, held_out_in, never_seen
from editscope.training.small.learner import SmallLearner
from editscope.training.small.settings import SmallRecipe
from editscope.training.small.stream import ExampleStream, batches, is_death_of_worker
from editscope.training.supervised.interrupts import StepInterrupts
from editscope.training.supervised.loop import Diverged

KEPT = 2
"""Checkpoints to keep."""


class SmallStage:
    """A stage in a folder. One that was stopped continues where it left off; one that ended is followed by the next.

    ``journal`` is that of ``locked_folder``, if the folder is held already. ``go_on`` tells how to continue.
    """

    def __init__(
        self,
        recipe: SmallRecipe,
        folder: Path,
        *,
        say: Callable[[str], None] = lambda _: None,
        go_on: str = "run the same command with --resume",
        journal: Journal | None = None,
    ) -> None:
        self.recipe, self.settings, self.folder, self._say = recipe, recipe.stage, folder, say
        self._go_on, self._journal = go_on, journal
        self.learner = SmallLearner(recipe.stage, recipe.network)
        self.first = 0
        """The step at which this stage began."""
        self.spent = 0.0
        self.ended = False
        self.held_out = never_seen(recipe.stage.without)
        """What the weights have never seen."""
        self._learning = False
        """Whether a step is being taken, so that the weights are those of no step."""

    def start_from(self, path: Path) -> None:
        """Begin with the averaged weights of another training."""
        self.learner.start_from(path)
        self.held_out = never_seen(self.settings.without, held_out_in(path))

    def resume(self) -> None:
        """Continue from the last checkpoint.

        Raises BadInput if it is of another network, or of an unfinished stage with other settings.
        """
        place = checkpoints_in(self.folder)[-1][1]
        saved = load_checkpoint(place)
        more = saved.more
        decides = self.recipe.decides
        if more["ended"]:
            same = {name: value for name, value in decides.items() if name.startswith("network.")}
            check_same(place, {name: saved.settings.get(name) for name in same}, same)
        else:
            check_same(place, saved.settings, decides)
        self.learner.resume_from(saved)
        before = held_out_by({"more": more, "settings": saved.settings})
        self.held_out = never_seen(self.settings.without, before)
        self.first = saved.step if more["ended"] else int(more["first"])
        self.spent = 0.0 if more["ended"] else float(more["spent"])

    def run(self) -> None:
        """Train until the time or the steps run out. Raises Stopped after Ctrl-C, with a checkpoint saved."""
        with (
            TrainingLog(
                self.folder,
                settings=self.recipe.decides,
                trackers=(),
                start=self.learner.step,
                journal=self._journal,
            ) as log,
            StepInterrupts() as interrupts,
        ):
            remove_unfinished(self.folder)  # the log has locked the folder
            try:
                with self._told_of_workers():
                    self._train(log, interrupts)
            except Stopped as stop:
                log.event(self.learner.step, "stopped", str(stop))
                raise

    @contextmanager
    def _told_of_workers(self) -> Iterator[None]:
        """Turn PyTorch's error about a worker that died into one that says how to continue, with a checkpoint."""
        try:
            yield
        except (RuntimeError, EOFError, ConnectionError) as error:
            if not is_death_of_worker(error):
                raise
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # PyTorch's handler would raise the error again
            if self.learner.step > self.first and not self._learning:
                self.save()
            saved = checkpoints_in(self.folder)
            kept = f"the last checkpoint is that of step {saved[-1][0]}" if saved else "there is no checkpoint yet"
            more = f"to continue, {self._go_on}" if saved else "start over"
            raise Stopped(
                f"a process that makes problems ended, perhaps because memory was short; {kept}: {more}, with fewer "
                "[stage] workers if it happens again"
            ) from error

    def _train(self, log: TrainingLog, interrupts: StepInterrupts) -> None:
        learner, settings = self.learner, self.settings
        source = self._batches()
        sums: dict[str, Any] = {}
        counted, waited = 0, 0.0
        batch = next(source)
        mark = time.monotonic()
        began = mark - self.spent
        while (left := self._left()) > 0:
            rate = self.rate_at(left)
            self._learning = True
            parts = learner.learn(batch, rate)
            self._learning = False
            for name, value in parts.items():
                sums[name] = sums.get(name, 0) + value
            counted += 1
            self.spent = time.monotonic() - began
            self.ended = self._left() <= 0
            stop = interrupts.requested  # read once: a later Ctrl-C waits for the next step
            last = self.ended or stop
            due = learner.step % settings.save_every == 0
            if last or due or learner.step % settings.log_every == 0:
                now = time.monotonic()
                means = {name: float(value) / counted for name, value in sums.items()}
                self._must_be_finite(means)
                speed = counted * settings.batch / max(now - mark, 1e-9)
                share = waited / max(now - mark, 1e-9)
                log.step(learner.step, {**means, "rate": rate, "pictures_per_s": speed, "waited": share})
                self._say(f"step {learner.step}: loss {means['loss']:.4f}, rate {rate:.3g}, {speed:.1f} pictures/s")
                sums, counted, waited, mark = {}, 0, 0.0, now
            if last or due:
                self.save()
                log.event(learner.step, "checkpoint", f"Checkpoint of step {learner.step} saved.")
            if stop and not self.ended:
                raise Stopped(f"stopped after step {learner.step}, with a checkpoint; to continue, {self._go_on}")
            if not self.ended:
                before = time.monotonic()
                batch = next(source)
                waited += time.monotonic() - before

    def rate_at(self, left: float) -> float:
        """The rate of the next step, if ``left`` is the share of the stage that is left."""
        settings = self.settings
        share = min(1.0, (self.learner.step - self.first + 1) / settings.warmup) if settings.warmup else 1.0
        return settings.rate * share * (min(1.0, left / settings.fall) if settings.fall else 1.0)

    def save(self) -> None:
        """Save everything that a later stage needs, completely or not at all."""
        learner = self.learner
        state = TrainingState(
            step=learner.step,
            weights=learner.weights(),
            average=learner.average,
            optimizer={"optimizers": [optimizer.state_dict() for optimizer in learner.optimizers]},
            settings=self.recipe.decides,
            loader={"part": learner.part, "size": self.settings.part},
            more={
                "first": self.first,
                "spent": self.spent,
                "ended": self.ended,
                "stage": self.recipe.number,
                HELD_OUT: list(self.held_out),
                "sizes": asdict(learner.network.settings),
            },
        )
        save_checkpoint(self.folder, state, KEPT)

    def _left(self) -> float:
        """The share of the stage that is left."""
        done = self.learner.step - self.first
        return min(1 - self.spent / self.settings.seconds, 1 - done / self.settings.steps)

    def _batches(self) -> Iterator[dict[str, Tensor]]:
        settings = self.settings
        stream = ExampleStream(settings.seed, settings.part, self.learner.part, settings.shares, settings.without)
        return batches(stream, settings.workers, settings.batch // settings.part, self.learner.device)

    def _must_be_finite(self, means: dict[str, float]) -> None:
        if math.isfinite(sum(means.values())):
            return
        saved = checkpoints_in(self.folder)
        kept = f"the last good checkpoint is that of step {saved[-1][0]}" if saved else "there is no checkpoint yet"
        raise Diverged(f"the loss of step {self.learner.step} is not a number; {kept}. Lower [stage] rate")


def next_stage(folder: Path) -> int:
    """The number of the stage with which a folder continues, from 1."""
    more = read_state(checkpoints_in(folder)[-1][1])["more"]
    if "sizes" not in more:  # the checkpoint of another kind of training
        raise BadInput(f"{folder} is not a training of the small editor; give the folder of `editscope train small`")
    return int(more.get("stage", 1)) + bool(more["ended"])


def check_place(folder: Path, resume: bool, start: Path | None) -> None:
    """Raise BadInput if a training would overwrite another one, or if there is nothing to resume."""
    from editscope.training.supervised.start import check_folder

    check_folder(folder, resume)
    if resume and start is not None:
        raise BadInput("--resume continues from the checkpoint in --out; leave out --start")
