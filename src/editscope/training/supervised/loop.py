"""Training loop: steps of several batches, checkpoints, and stops that can be resumed."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Any

import torch

from editscope.errors import BadInput, Stopped
from editscope.runfolder.journal import Journal
from editscope.runs.stop_message import without_resume
from editscope.training.checkpoints import (
    TrainingState,
    check_same,
    load_checkpoint,
    random_state,
    remove_unfinished,
    save_checkpoint,
    set_random_state,
)
from editscope.training.log.training_log import TrainingLog
from editscope.training.monitors import MonitorStop
from editscope.training.run_files import checkpoints_in
from editscope.training.supervised.averaging import WeightAverage
from editscope.training.supervised.exchange import ProcessExchange
from editscope.training.supervised.interrupts import StepInterrupts
from editscope.training.supervised.loop_settings import Hooks as Hooks
from editscope.training.supervised.loop_settings import LoopSettings as LoopSettings
from editscope.training.supervised.objective import BatchSource, Objective
from editscope.training.supervised.operations import DevicePeak, StepOperations
from editscope.training.supervised.optimizers import make_optimizer, rate_at, set_rate
from editscope.training.supervised.parallel import Processes, on_cpu, placed_like, whole
from editscope.training.supervised.step_result import StepResult
from editscope.training.weights import trained_parameters


class Diverged(Stopped):
    """The loss or the gradient is not finite; the weights of that step are discarded."""


class TrainingLoop:
    """Training of one network with one optimizer.

    All random draws for an example depend only on the seed, the step and its position in the step: how the examples
    of a step are split over batches and processes changes only the order of sums.
    """

    def __init__(
        self,
        objective: Objective,
        source: BatchSource,
        settings: LoopSettings,
        folder: Path,
        *,
        processes: Processes | None = None,
        hooks: Hooks = Hooks(),
        say: Callable[[str], None] = lambda _: None,
        resume_with: str = "run the same command with --resume",
        trackers: Sequence[str] = (),
        journal: Journal | None = None,
    ) -> None:
        self.objective, self.source, self.settings, self.folder = objective, source, settings, folder
        self.processes = processes or Processes(settings.training.parallel, cpu=on_cpu(objective.network))
        self.exchange = ProcessExchange(self.processes)
        self._hooks = hooks
        self._say, self._resume_with = say, resume_with
        self._batches = self._batches_of_a_step()
        network = self.processes.prepared(objective.network, objective.blocks)
        objective.network = network
        inner = self.processes.unwrapped(network)
        self.trained = trained_parameters(inner)
        if settings.optimizer.kind == "8bit" and settings.training.parallel == "fsdp":
            raise BadInput('[optimizer] kind: "8bit" with parallel = "fsdp" is not supported; write "adamw" or "fused"')
        self.optimizer = make_optimizer(settings.optimizer, self.trained.values())
        self.average = WeightAverage(settings.ema, self.trained) if settings.ema else None
        self.step = 0
        self.more: dict[str, Any] = {}
        """State of hooks, saved with checkpoints as JSON."""
        self.log = TrainingLog(None)
        """Where hooks log; it only logs during ``run``, and only in the first process."""
        self.stop_because = ""
        """A hook of the first process sets this sentence to stop the training after a checkpoint."""
        self._peak = DevicePeak(self.processes.device, self.processes.count)
        self._trackers, self._journal = tuple(trackers), journal
        self._saved: int | None = None
        self._hooks_done = True
        """Whether the hooks of this step have run."""
        self._ended = False
        """Whether the hooks at the end have run."""

    def resume(self) -> int:
        """Load the last checkpoint; returns its step. BadInput if there is none, or it has different settings."""
        there = checkpoints_in(self.folder)
        if not there:
            raise BadInput(f"{self.folder} has no checkpoint to resume from; run without --resume")
        _, place = there[-1]
        checkpoint = load_checkpoint(place)
        check_same(place, checkpoint.settings, self.settings.decides)
        self._take(checkpoint)
        return self.step

    def run(self) -> int:
        """Train until the last step, or the end of the data; returns the step. Raises Stopped after Ctrl-C.

        A checkpoint is saved in any case.
        """
        batches = iter(self.source)
        self.objective.network.train()
        place = self.folder if self.processes.first else None
        settings, trackers = self.settings.shown or self.settings.decides, self._trackers
        with (
            TrainingLog(place, settings=settings, trackers=trackers, start=self.step, journal=self._journal) as log,
            StepInterrupts() as interrupts,
        ):
            self.log = log
            if self.processes.first:  # the log has locked the folder, so nobody else is saving there
                remove_unfinished(self.folder)
            try:
                self._train(batches, interrupts)
            except Stopped as stop:
                log.event(self.step, "stopped", str(stop))
                raise
        return self.step

    def _train(self, batches: Iterator[Sequence[Any]], interrupts: StepInterrupts) -> None:
        """Take the steps that are left, with their hooks and checkpoints."""
        training = self.settings.training
        for hook in self._hooks.at_start if self.step == 0 else ():
            hook(self)
        if not self._hooks_done:  # they were stopped
            self._after_step(interrupts)
        while self.step < training.steps:
            result = self._one_step(batches, time.perf_counter())
            if result is None:
                self._end_of_data()
                break
            self.log.step(result.step, result.metrics)
            if result.step % training.log_every == 0 or result.step in (1, training.steps):
                self._say(result.in_words(training.steps))
            self._after_step(interrupts)

    def _after_step(self, interrupts: StepInterrupts) -> None:
        """Run the hooks of this step, and save a checkpoint if one is due or the training stops here."""
        steps = self.settings.training.steps
        last = self.step == steps
        self._run_hooks(last)
        requested, watched = self._flags(interrupts.requested, bool(self.stop_because))
        if last or requested or watched or self.step % self.settings.checkpoints.every == 0:
            self.save()
            self.log.event(self.step, "checkpoint", f"Checkpoint of step {self.step} saved.")
        if watched:
            raise self._stopped_by_monitor()
        if requested and not last:
            raise Stopped(
                f"stopped after step {self.step} of {steps}, with a checkpoint; to resume, {self._resume_with}"
            )

    def _run_hooks(self, last: bool) -> None:
        """Run the hooks of this step. If they stop, a resumed training runs them again."""
        resumed, self._hooks_done = not self._hooks_done, False
        with self._saved_if_stopped():
            for hook in self._hooks.after_step:
                hook(self)
            if last:
                self._run_end_hooks()
        self._hooks_done = True
        if resumed:
            self._saved = None

    @contextmanager
    def _saved_if_stopped(self) -> Iterator[None]:
        """Save a checkpoint if a hook stops, so that the steps before an evaluation that is stopped are not lost."""
        try:
            yield
        except Stopped as stop:
            self._saved = None
            self.save()
            raise Stopped(
                f"{without_resume(str(stop))}; a checkpoint of step {self.step} is saved: to resume, "
                f"{self._resume_with}"
            ) from stop

    def _end_of_data(self) -> None:
        """Run the hooks at the end and save a checkpoint; BadInput if nothing was trained."""
        steps = self.settings.training.steps
        if not self.step:
            raise BadInput(f"the data ended before step 1 of {steps}; remove [data] epochs, or reduce the steps")
        with self._saved_if_stopped():
            self._run_end_hooks()
        self.save()
        if any(self._flags(bool(self.stop_because))):
            raise self._stopped_by_monitor()
        sentence = (
            f"the data ended after step {self.step} of {steps}: all [data] epochs are done, and incomplete batches "
            "were dropped; a checkpoint is saved, and the weights are those of this step"
        )
        self.log.event(self.step, "ended", sentence)
        self._say(sentence)

    def _stopped_by_monitor(self) -> MonitorStop:
        return MonitorStop(
            f"{self.stop_because or 'stopped by a monitor'}; a checkpoint is saved: to resume from it, change "
            f"[monitors] and {self._resume_with}"
        )

    def _run_end_hooks(self) -> None:
        """Run the hooks at the end, once: a training that is resumed after its data have ended does not repeat them."""
        if not self._ended:
            for hook in self._hooks.at_end:
                hook(self)
            self._ended, self._saved = True, None

    def save(self) -> None:
        """Save a checkpoint of this step, if there is none yet."""
        if self._saved == self.step:
            return
        checkpoint = self._checkpoint()  # every process takes part in putting shards together
        if self.processes.first:
            save_checkpoint(self.folder, checkpoint, self.settings.checkpoints.keep)
        self.processes.wait()
        self._saved = self.step

    # --- one step ---------------------------------------------------------------------------------

    def _one_step(self, batches: Iterator[Sequence[Any]], began: float) -> StepResult | None:
        mine = self._mine(batches)
        if mine is None:
            return None
        total = sum(len(batch) for _, _, batch in mine)
        counted = int(self.processes.summed(torch.tensor([total], device=self.processes.device)).item())
        rate = self.settings.optimizer.rate * rate_at(self.step, self.settings.training.steps, self.settings.schedule)
        for group in self.optimizer.param_groups:
            set_rate(group, rate)
        summed = torch.zeros((), dtype=torch.float64)
        for place, (number, first, batch) in enumerate(mine):
            generators = [self._generator("example", first + one) for one in range(len(batch))]
            torch.manual_seed(self._seed("batch", number))  # for dropout
            with self.processes.without_exchange(self.objective.network, place < len(mine) - 1):
                losses = self.objective.losses(batch, generators)
                self._must_be_finite(losses, batch)
                # DDP and FSDP take the mean over processes, so that the sum is divided by their count once more.
                (losses.sum() * self.processes.count / counted).backward()  # type: ignore[no-untyped-call]
            summed += losses.detach().double().sum().cpu()
        loss, operations = self._over_processes(summed)
        loss /= counted
        gradient = self._clipped()
        if not (math.isfinite(gradient) and math.isfinite(loss)):
            raise self._diverged(f"the gradient of step {self.step + 1} is {gradient}, its loss {loss}")
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        self.step += 1
        if self.average is not None:
            self.average.update()
        seconds = time.perf_counter() - began
        speed = self._peak.metrics(operations, seconds)
        if speed and self.step == 1 and not self._peak.known:
            self._say(
                f"the peak of this device ({self._peak.name}) is unknown: TFLOP/s are logged instead of utilization"
            )
        return StepResult(self.step, loss, gradient, rate, counted, seconds, speed, self.objective.unit)

    def _over_processes(self, summed: torch.Tensor) -> tuple[float, StepOperations | None]:
        """The sum of losses over all processes, and that of operations if they are counted."""
        mine = self.objective.operations()
        counts = StepOperations() if mine is None else mine
        values = torch.tensor([float(summed.float()), counts.model, counts.hardware], dtype=torch.float32)
        loss, model, hardware = self.processes.summed(values.to(self.processes.device)).tolist()
        return loss, None if mine is None else StepOperations(model, hardware)

    def _mine(self, batches: Iterator[Sequence[Any]]) -> list[tuple[int, int, Sequence[Any]]] | None:
        """The batches of a step for this process: numbers, positions of their first examples, and examples.

        None if the data end before the step is complete, which all processes see alike.
        """
        mine = []
        for number in range(self.processes.number, self._batches, self.processes.count):
            batch = next(batches, None)
            if batch is None:
                return None
            mine.append((number, number * self.settings.training.batch, batch))
        return mine

    def _batches_of_a_step(self) -> int:
        training, count = self.settings.training, self.processes.count
        batches = training.examples // training.batch
        if batches % count:
            raise BadInput(
                f"[training] global_batch: {training.examples} examples in batches of {training.batch} cannot be split "
                f"over {count} processes; write a multiple of {training.batch * count}"
            )
        return batches

    def _clipped(self) -> float:
        most = self.settings.training.clip
        norm: Any = torch.nn.utils.clip_grad_norm_(self.trained.values(), most if most > 0 else math.inf)
        return float(whole(norm))

    def _must_be_finite(self, losses: torch.Tensor, batch: Sequence[Any]) -> None:
        bad = (~torch.isfinite(losses)).nonzero().flatten().tolist()
        if bad:
            names = ", ".join(self.objective.name_of(batch[number]) for number in bad[:3])
            raise self._diverged(
                f"the loss of step {self.step + 1} is {float(losses.detach()[bad[0]])} (example {names})"
            )

    def _diverged(self, what: str) -> Diverged:
        there = checkpoints_in(self.folder)
        kept = f"the last good checkpoint is that of step {there[-1][0]}" if there else "there is no checkpoint yet"
        return Diverged(f"{what}; {kept}. Lower [optimizer] rate, or raise [schedule] warmup, and start over")

    def _flags(self, *mine: bool) -> list[bool]:
        """For each flag, whether any process has raised it."""
        summed = self.processes.summed(torch.tensor([float(flag) for flag in mine], device=self.processes.device))
        return [count > 0 for count in summed.tolist()]

    def _seed(self, kind: str, number: int) -> int:
        text = f"{self.settings.training.seed}\x1f{self.step}\x1f{kind}\x1f{number}"
        return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big") >> 1

    def _generator(self, kind: str, number: int) -> torch.Generator:
        return torch.Generator("cpu").manual_seed(self._seed(kind, number))

    # --- checkpoints ------------------------------------------------------------------------------

    def _checkpoint(self) -> TrainingState:
        names = list(self.trained)
        states = self.optimizer.state_dict()
        kept = {
            str(number): {name: whole(value) if torch.is_tensor(value) else value for name, value in state.items()}
            for number, state in states["state"].items()
        }
        return TrainingState(
            step=self.step,
            weights={name: whole(value) for name, value in self.trained.items()},
            average=None if self.average is None else {name: whole(v) for name, v in self.average.values.items()},
            optimizer={"names": names, "state": kept},
            settings=self.settings.decides,
            loader=self.source.state(),
            random=random_state(),
            more={
                "loop": self.more,
                "average_steps": self.average.steps if self.average else 0,
                "ended": self._ended,
                "hooks_done": self._hooks_done,
            },
        )

    @torch.no_grad()
    def _take(self, checkpoint: TrainingState) -> None:
        names = list(self.trained)
        if set(checkpoint.weights) != set(names) or checkpoint.optimizer["names"] != names:
            raise BadInput("the checkpoint has other weights than this experiment; start over with another --out")
        for name, value in self.trained.items():
            value.copy_(placed_like(checkpoint.weights[name], value))
        state = self.optimizer.state_dict()
        state["state"] = {
            int(number): {
                name: placed_like(value, self.trained[names[int(number)]])
                if torch.is_tensor(value) and value.ndim
                else value
                for name, value in entries.items()
            }
            for number, entries in checkpoint.optimizer["state"].items()
        }
        self.optimizer.load_state_dict(state)
        if self.average is not None:
            if checkpoint.average is None:
                raise BadInput("the checkpoint has no average of weights; start over, or remove [ema]")
            self.average.steps = int(checkpoint.more["average_steps"])
            self.average.values = {
                name: placed_like(checkpoint.average[name], value).clone()
                for name, value in self.average.values.items()
            }
        self.source.load_state(checkpoint.loader)
        set_random_state(checkpoint.random)
        self.more = dict(checkpoint.more["loop"])
        self.step = self._saved = checkpoint.step
        self._ended = bool(checkpoint.more.get("ended"))
        self._hooks_done = bool(checkpoint.more.get("hooks_done", True))
