"""How a run shows that it goes on: a bar with rate and time left on a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol, TextIO

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console
    from rich.progress import Progress, TaskID

EVERY_S = 5.0


class Meter(Protocol):
    """What a run tells its steps to."""

    def step(self, status: str) -> None:
        """One more case has its score."""

    def note(self, text: str) -> None:
        """A line that the user should see now."""


class Silence:
    """Shows nothing."""

    def step(self, status: str) -> None:
        """Nothing."""

    def note(self, text: str) -> None:
        """Nothing."""


class Bar:
    """A Rich progress bar."""

    def __init__(self, progress: Progress, task: TaskID) -> None:
        self._progress = progress
        self._task = task
        self._began = time.monotonic()
        self._steps = 0

    def step(self, status: str) -> None:
        """Move the bar on."""
        self._steps += 1
        rate = self._steps / max(1e-6, time.monotonic() - self._began)
        self._progress.update(self._task, advance=1, rate=f"{rate:.3g} cases/s")

    def note(self, text: str) -> None:
        """Print above the bar."""
        self._progress.console.print(text, markup=False, highlight=False)


class Lines:
    """A plain line every tenth of the run, and every few seconds at most."""

    def __init__(self, stream: TextIO, total: int, done: int) -> None:
        self._stream = stream
        self._total = total
        self._done = self._before = done
        self._began = self._said = time.monotonic()
        self._tenth = 10 * done // max(1, total)

    def step(self, status: str) -> None:
        """Count, and say so now and then."""
        self._done += 1
        now = time.monotonic()
        tenth = 10 * self._done // self._total
        if self._done == self._total or now - self._said >= EVERY_S or (tenth > self._tenth and now - self._said >= 1):
            rate = (self._done - self._before) / max(1e-6, now - self._began)
            left = (self._total - self._done) / max(1e-6, rate)
            self.note(f"  {self._done:,}/{self._total:,} cases · {rate:.3g} cases/s · {left:.0f} s left")
            self._said, self._tenth = now, tenth

    def note(self, text: str) -> None:
        """Print a line."""
        print(text, file=self._stream, flush=True)


@contextmanager
def meter(console: Console | None, total: int, done: int) -> Iterator[Meter]:
    """The right meter for a console; None shows nothing."""
    if console is None or total == done:
        yield Silence()
    elif not console.is_terminal:
        yield Lines(console.file, total, done)  # type: ignore[arg-type]
    else:
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (
            TextColumn(" scoring"),
            BarColumn(40),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"),
        )
        with Progress(*columns, TimeRemainingColumn(), console=console) as bar:
            yield Bar(bar, bar.add_task("scoring", total=total, completed=done, rate=""))
