"""The first minute: compiling is announced, the time left is told once it means something, and checks show progress."""

from __future__ import annotations

import io
import re
from typing import Any

import pytest

from editscope import printing
from editscope.runs.progress import progress_display
from editscope.time_left import TimeLeft
from support.command_line import called, screen_lines


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def terminal() -> tuple[Terminal, Any]:
    stream = Terminal()
    return stream, printing.console(file=stream, force_terminal=True, width=80, color_system=None)


def test_compiling_is_announced_with_a_bar_of_its_own_that_goes_away() -> None:
    stream, console = terminal()
    with progress_display(console, 40, 0) as listener:
        listener.compiling(0, 7)
        listener.compiling(3, 7)
        listener.compiling(7, 7)
        for _ in range(40):
            listener.step("ok")
    assert re.search(r"compiling once, about 10 s +0/7", stream.getvalue())
    (last,) = [line for line in screen_lines(stream.getvalue()) if line]
    assert "40/40" in last and "compiling" not in last


def test_nothing_is_announced_where_everything_is_compiled() -> None:
    stream, console = terminal()
    with progress_display(console, 2, 0) as listener:
        listener.compiling(7, 7)
        listener.step("ok")
        listener.step("ok")
    assert "compiling" not in stream.getvalue()


def test_a_file_gets_one_line_about_compiling() -> None:
    stream = io.StringIO()
    with progress_display(printing.console(file=stream), 4, 0) as listener:
        for done in range(8):
            listener.compiling(done, 7)
    assert stream.getvalue() == "  compiling once, about 10 s\n"


class Clock:
    """A clock that is set by hand."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def steps(task: TimeLeft, clock: Clock, first: int, last: int, seconds: float) -> None:
    for done in range(first, last + 1):
        clock.now += seconds
        task.step(done, 100)


def test_no_time_left_is_told_before_eight_steps_and_three_seconds() -> None:
    clock = Clock()
    few, quick = TimeLeft(clock), TimeLeft(clock)
    steps(few, clock, 1, 7, 10.0)
    assert few.left_s() is None, "seven steps, however long they took"
    steps(quick, clock, 1, 20, 0.1)
    assert quick.left_s() is None, "two seconds, however many steps they were"


def test_the_time_left_is_told_while_the_pace_is_steady_and_not_while_it_changes() -> None:
    clock = Clock()
    task = TimeLeft(clock)
    steps(task, clock, 1, 20, 1.0)
    assert task.left_s() == pytest.approx(80, rel=0.05)
    steps(task, clock, 21, 26, 8.0)
    assert task.left_s() is None


def test_the_wait_before_the_first_step_does_not_count() -> None:
    clock = Clock()
    task = TimeLeft(clock)
    clock.now = 500.0
    steps(task, clock, 1, 20, 1.0)
    assert task.left_s() == pytest.approx(80, rel=0.05)


def test_doctor_shows_which_check_it_is_at(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    shown = Terminal()
    checks = tuple((name, lambda: "fine", "") for name in ("python", "pictures", "network"))
    monkeypatch.setattr("editscope.cli.doctor.CHECKS", checks)
    monkeypatch.setattr("sys.stderr", shown)
    code, out, _ = called(capsys, "doctor")
    assert code == 0 and [line.split()[1] for line in out.splitlines()] == ["python", "pictures", "network"]
    assert re.findall(r"checking (\w+) · (\d/\d)", shown.getvalue()) == [
        ("python", "1/3"),
        ("pictures", "2/3"),
        ("network", "3/3"),
    ]
    assert screen_lines(shown.getvalue())[-1] == "", "the line is cleared in the end"
