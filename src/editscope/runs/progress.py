"""Progress of a run as it is shown: a bar with its pace on a terminal, plain lines elsewhere."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

from editscope import printing
from editscope.time_left import TimeLeft, left_in_words
from editscope.wording import other_size

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console
    from rich.progress import Progress, ProgressColumn, TaskID

    from editscope.judges import Verdict
    from editscope.results import Run
    from editscope.runs.engine.progress_listener import ProgressListener
    from editscope.runs.judging.judge_queue import JudgeQueue
    from editscope.runs.judging.loop import VerdictListener

EVERY_S = 5.0
FIRST_WAIT_S = 10.0
"""After so many seconds without a case, a line says that the run waits; the next ones come ever more rarely."""
COMPILING = "compiling once, about 10 s"
JUDGED_BAR = 24
"""Columns of a terminal that the bar of a run with judges takes."""


class NoProgress:
    """Shows nothing."""

    def verdict(self, verdict: Verdict) -> None:
        """Nothing."""

    def step(self, status: str) -> None:
        """Nothing."""

    def note(self, text: str) -> None:
        """Nothing."""

    def compiling(self, done: int, total: int) -> None:
        """Nothing."""


class ProgressBar:
    """A Rich progress bar."""

    def __init__(self, progress: Progress, task: TaskID) -> None:
        self._progress = progress
        self._task = task
        self._total, self._done = int(progress.tasks[0].total or 0), int(progress.tasks[0].completed)
        self._time_left = TimeLeft()
        self._compiling: TaskID | None = None

    def step(self, status: str) -> None:
        """Move the bar on."""
        self._done += 1
        self._time_left.step(self._done, self._total)
        rate = self._time_left.rate()
        self._progress.update(self._task, advance=1, rate="" if rate is None else f"{rate:.3g} cases/s")
        left = self._time_left.left_s()
        self._progress.update(self._task, left="" if left is None else left_in_words(left))

    def note(self, text: str) -> None:
        """Print above the bar."""
        self._progress.console.print(text, markup=False, highlight=False)

    def compiling(self, done: int, total: int) -> None:
        """Show a bar of its own for what the first run compiles, until it is done."""
        if self._compiling is None and done < total:
            self._compiling = self._progress.add_task(COMPILING, total=total, rate="", left="")
        if self._compiling is not None and not self._progress.finished:
            self._progress.update(self._compiling, completed=done, visible=done < total)


class LinePace:
    """When a plain line is due: every tenth of a task, and every few seconds at most."""

    def __init__(self, done: int, total: int) -> None:
        self._said = time.monotonic()
        self._tenth = 10 * done // max(1, total)
        self.began = False
        """Whether a line was due already."""

    def due(self, done: int, total: int) -> bool:
        """Whether to print a line now; if so, the next one waits for its turn."""
        now = time.monotonic()
        tenth = 10 * done // max(1, total)
        due = done == total or now - self._said >= EVERY_S or (tenth > self._tenth and now - self._said >= 1)
        if due:
            self._said, self._tenth, self.began = now, tenth, True
        return due

    def overdue(self) -> bool:
        """The same where nothing moved on: every few seconds."""
        now = time.monotonic()
        if now - self._said < EVERY_S:
            return False
        self._said = now
        return True


def pace_in_words(counted: str, clock: TimeLeft, unit: str) -> str:
    """How far a task is, how fast it goes and how long it takes, as a plain line says it."""
    rate, left = clock.rate(), clock.left_s()
    parts = [counted]
    parts += [] if rate is None else [f"{rate:.3g} {unit}"]
    parts += [] if left is None else [left_in_words(left)]
    return f"  {' · '.join(parts)}"


class ProgressLines:
    """A plain line every tenth of the run, and every few seconds at most."""

    def __init__(self, stream: TextIO, total: int, done: int) -> None:
        self._stream = stream
        self._total = total
        self._done = done
        self._time_left = TimeLeft()
        self._pace = LinePace(done, total)
        self._compiling = False
        self.moved = False
        """Whether a case was finished."""

    def step(self, status: str) -> None:
        """Count, and say so now and then."""
        self._done += 1
        self.moved = True
        self._time_left.step(self._done, self._total)
        if self._pace.due(self._done, self._total):
            self.note(pace_in_words(f"{self._done:,}/{self._total:,} cases", self._time_left, "cases/s"))

    def note(self, text: str) -> None:
        """Print a line."""
        printing.write(self._stream, text)

    def compiling(self, done: int, total: int) -> None:
        """Say once that the first run compiles."""
        if not self._compiling and done < total:
            self._compiling = True
            self.note(f"  {COMPILING}")


@contextmanager
def _waiting_told(lines: ProgressLines) -> Iterator[None]:
    """Say now and then that no case is finished yet, as with a model that takes minutes for one."""
    ended = threading.Event()

    def tell() -> None:
        began, pause = time.monotonic(), FIRST_WAIT_S
        while not ended.wait(pause) and not lines.moved:
            lines.note(f"  waiting for the first case for {time.monotonic() - began:.0f} s")
            pause *= 2

    thread = threading.Thread(target=tell, name="waiting for the first case", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


@contextmanager
def progress_display(console: Console | None, total: int, done: int) -> Iterator[ProgressListener]:
    """The progress display for a console; None shows nothing."""
    if console is None or total == done:
        yield NoProgress()
    elif not console.is_terminal:
        lines = ProgressLines(console.file, total, done)  # type: ignore[arg-type]
        with _waiting_told(lines):
            yield lines
    else:
        from rich.progress import Progress, TextColumn

        with Progress(*_columns(40), TextColumn("{task.fields[left]}"), console=console) as bar:
            yield ProgressBar(bar, bar.add_task("scoring", total=total, completed=done, rate="", left=""))


def _columns(wide: int) -> tuple[ProgressColumn, ...]:
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn

    return (
        TextColumn(" {task.description}", markup=False),
        BarColumn(wide),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
    )


class CallCounter:
    """Calls to judges so far, in words: how many, how many a second, dollars, and how many at once."""

    def __init__(self, queue: JudgeQueue) -> None:
        self._queue = queue
        self._began = time.monotonic()
        self._count = self._cached = self._failed = 0
        self._cost: float | None = 0.0

    def count(self, verdict: Verdict) -> None:
        """One more verdict."""
        self._cached += verdict.cached
        self._failed += verdict.status != "ok"
        if not verdict.cached:
            self._count += 1
            cost = verdict.usage.cost_usd
            self._cost = None if cost is None or self._cost is None else self._cost + cost

    def within(self, width: int) -> str:
        """As much of it as a line has room for: whole parts, the first ones."""
        parts = self._parts()
        while len(parts) > 1 and len(" · ".join(parts)) > width:
            parts.pop()
        return " · ".join(parts)

    def __str__(self) -> str:
        return " · ".join(self._parts())

    def _parts(self) -> list[str]:
        rate = self._count / max(1e-6, time.monotonic() - self._began)
        parts = [f"{self._count:,} calls", f"{rate:.3g} calls/s"]
        parts += [] if self._cost is None else [f"${self._cost:,.2f}"]
        asked = [judge for judge in self._queue.judges if judge.batches is None]
        parts += [f"{sum(judge.at_once for judge in asked)} at once"] if asked else []
        parts += [f"{self._cached:,} from the cache"] if self._cached else []
        return parts + ([f"{self._failed:,} without a verdict"] if self._failed else [])


class JudgedProgressBar(ProgressBar):
    """A Rich progress bar that says how the judges do."""

    def __init__(self, progress: Progress, task: TaskID, calls: CallCounter) -> None:
        super().__init__(progress, task)
        self._calls = calls

    def step(self, status: str) -> None:
        """Move the bar on."""
        self._progress.update(self._task, advance=1)

    def verdict(self, verdict: Verdict) -> None:
        """Show what the judges have done."""
        self._calls.count(verdict)
        counted = len(f" {self._progress.tasks[0].total:.0f}") * 2
        self._progress.update(
            self._task, rate=self._calls.within(self._progress.console.width - JUDGED_BAR - len(" judging  ") - counted)
        )


class JudgedProgressLines(ProgressLines):
    """Plain lines that say how the judges do."""

    def __init__(self, stream: TextIO, total: int, done: int, calls: CallCounter) -> None:
        super().__init__(stream, total, done)
        self._calls = calls

    def verdict(self, verdict: Verdict) -> None:
        """Count, and say so now and then."""
        self._calls.count(verdict)
        if self._pace.overdue():
            self.note(f"  {self._done:,}/{self._total:,} cases · {self._calls}")


@contextmanager
def judging_progress_display(
    console: Console | None, total: int, done: int, queue: JudgeQueue
) -> Iterator[VerdictListener]:
    """The progress display for a console and a run with judges; None shows nothing."""
    if console is None or total == done:
        yield NoProgress()
    elif not console.is_terminal:
        yield JudgedProgressLines(console.file, total, done, CallCounter(queue))  # type: ignore[arg-type]
    else:
        from rich.progress import Progress

        with Progress(*_columns(JUDGED_BAR), console=console) as bar:
            yield JudgedProgressBar(
                bar, bar.add_task("judging", total=total, completed=done, rate=""), CallCounter(queue)
            )


def with_outcome(run: Run, console: Console | None) -> Run:
    """A run that has just ended; where it is shown, the user is told what went wrong in it."""
    if console is None:
        return run
    from editscope.results.failed_edits import failure_lines, logs
    from editscope.results.left_unchanged import reasons_in_words

    failures = failure_lines(run)
    resized = run.summary.get("resized")
    lines = [other_size(resized, run.coverage["ok"])] if resized else []
    lines += reasons_in_words(run.summary)
    lines += [*failures, *logs(run)] if failures else []
    for line in lines:
        console.print(f" {line}", markup=False, soft_wrap=True)
    return run
