"""Log of a watch: each evaluated checkpoint at its step, for TensorBoard and other trackers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from editscope.results.run import open_run
from editscope.runfolder.run_json import FILE
from editscope.trackers.run_log import LogEntry, RunLog, config_of
from editscope.trackers.scalars import score_scalars
from editscope.trackers.targets import LogTarget
from editscope.watch.history import CheckpointResult, History


class CheckpointLog:
    """What trackers get of a watch. What one of them does not have yet, it gets with the next checkpoint."""

    def __init__(self, out: Path, targets: Sequence[LogTarget], say: Callable[[str], None]) -> None:
        self._out = out
        self._log = RunLog(out, targets, say)

    def add(self, history: History) -> None:
        """Log all checkpoints that have a score and whose runs are there."""
        if not self._log.targets:
            return
        there = [result for result in history if result.status == "done" and (self._out / result.run / FILE).is_file()]
        entries = [self._entry(result, place) for place, result in enumerate(there, start=1) if result.score]
        if entries:
            self._log.add(entries, partial(self._config, history, there[0]))

    def _entry(self, result: CheckpointResult, place: int) -> LogEntry:
        step = place if result.step is None else result.step
        return LogEntry(result.run, partial(open_run, self._out / result.run), step, watch_scalars(result))

    def _config(self, history: History, result: CheckpointResult) -> dict[str, Any]:
        """What was watched; the editor with its {checkpoint}, as it is the same for all."""
        return {**config_of(open_run(self._out / result.run)), "editor": history.about["editor"]}


def watch_scalars(result: CheckpointResult) -> dict[str, float]:
    """How a checkpoint differs from the baseline and from the best before it, and whether it has fallen."""
    scalars = {"watch/fallen": float(result.fallen)}
    for name, difference in (("to_baseline", result.baseline), ("to_best", result.best)):
        if difference is not None:
            scalars |= score_scalars(f"watch/{name}", asdict(difference), "difference")
    return scalars
