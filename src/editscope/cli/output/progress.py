"""Progress on a terminal; elsewhere nothing, or plain lines where a command asks for them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from editscope import printing

if TYPE_CHECKING:
    from editscope.runs.progress import LinePace
    from editscope.time_left import TimeLeft


@contextmanager
def progress_bar(
    description: str, *, quiet: bool = False, transient: bool = False, lines: bool = False
) -> Iterator[Callable[[int, int], None] | None]:
    """A bar for one task. Call what it yields with (done, total). ``lines`` is as for ``task_bar``."""
    with task_bar(quiet=quiet, transient=transient, lines=lines) as update:
        yield None if update is None else lambda done, total: update(description, done, total)


@contextmanager
def task_bar(
    *, quiet: bool = False, transient: bool = False, lines: bool = False
) -> Iterator[Callable[[str, int, int], None] | None]:
    """A bar for tasks that follow one another. Call what it yields with (description, done, total).

    A total of 0 makes the description a remark. ``lines`` asks for plain lines where there is no terminal.
    """
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    from editscope.time_left import TimeLeft, left_in_words

    console = printing.console(stderr=True)
    if quiet or not console.is_terminal:
        yield TaskLines() if lines and not quiet else None
        return
    columns = (
        TextColumn(" {task.description}", markup=False),
        BarColumn(40),
        MofNCompleteColumn(),
        TextColumn("{task.fields[left]}"),
    )
    clocks: dict[str, TimeLeft] = {}
    with Progress(*columns, console=console, transient=transient) as bar:
        task = bar.add_task("", total=None, left="")

        def update(description: str, done: int, total: int) -> None:
            if total == 0:
                bar.console.print(f" {description}", markup=False, highlight=False, soft_wrap=True)
                return
            clock = clocks.setdefault(description, TimeLeft())
            clock.step(done, total)
            left = clock.left_s()
            shown = "" if left is None else left_in_words(left)
            bar.update(task, description=description, completed=done, total=total, left=shown)

        yield update


class TaskLines:
    """Plain lines, now and then, about tasks that follow one another, as a run prints them without a terminal.

    With ``brief``, a task that ends before its first line is due has none.
    """

    def __init__(self, *, brief: bool = False) -> None:
        self._brief = brief
        self._tasks: dict[str, tuple[LinePace, TimeLeft]] = {}
        self._last = ("", -1)

    def __call__(self, doing: str, done: int, total: int) -> None:
        """Say how far a task is, if it is time; a total of 0 makes ``doing`` a remark."""
        from editscope.runs.progress import LinePace, pace_in_words
        from editscope.time_left import TimeLeft

        if total == 0:
            printing.say(f" {doing}", error=True)
            return
        if (doing, done) == self._last:
            return
        self._last = (doing, done)
        pace, clock = self._tasks.setdefault(doing, (LinePace(done, total), TimeLeft()))
        clock.step(done, total)
        if self._brief and done == total and not pace.began:
            return
        if pace.due(done, total):
            printing.say(pace_in_words(f"{doing} {done:,}/{total:,}", clock, "per second"), error=True)


class ProgressLine:
    """One line on a terminal that says how far a long part is, and remarks that stay.

    ``lines`` asks for plain lines about long parts where there is no terminal.
    """

    def __init__(self, *, lines: bool = False) -> None:
        self._shown = False
        self._lines = TaskLines(brief=True) if lines and not sys.stderr.isatty() else None

    def __call__(self, doing: str, done: int, total: int) -> None:
        """Show how far a part is; a total of 0 makes ``doing`` a remark."""
        if total == 0:
            self.end()
            printing.say(doing, error=True)
        elif sys.stderr.isatty():
            printing.redraw(f"{doing} {done:,}/{total:,}")
            self._shown = True
        elif self._lines is not None:
            self._lines(doing, done, total)

    def end(self) -> None:
        """Clear the line."""
        if self._shown:
            printing.redraw()
            self._shown = False
