"""Progress without a terminal: plain lines about what takes long, and none about what does not."""

from __future__ import annotations

import io
import time
from typing import Any

import pytest
from rich.console import Console

from editscope.cli.output.progress import ProgressLine, TaskLines, progress_bar
from editscope.runs import progress


def test_a_run_says_that_it_waits_for_its_first_case(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "FIRST_WAIT_S", 0.01)
    stream = io.StringIO()
    with progress.progress_display(Console(file=stream), 2, 0) as display:
        until = time.monotonic() + 30
        while not stream.getvalue() and time.monotonic() < until:
            time.sleep(0.01)
        display.step("ok")
        told = stream.getvalue()
    assert "  waiting for the first case for 0 s\n" in told
    assert stream.getvalue().count("waiting") == told.count("waiting"), "nothing is said about waiting any more"


def test_a_run_that_moves_does_not_say_that_it_waits() -> None:
    stream = io.StringIO()
    with progress.progress_display(Console(file=stream), 1, 0) as display:
        display.step("ok")
    assert "waiting" not in stream.getvalue()


def test_a_task_that_is_over_at_once_has_no_line(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    for done in range(4):
        TaskLines(brief=True)("making", done, 3)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(progress, "EVERY_S", 0.0)
    line = ProgressLine(lines=True)
    for done in range(4):
        line("making", done, 3)
    assert [text.split(" · ")[0] for text in capsys.readouterr().err.splitlines()] == [
        f"  making {done}/3" for done in range(4)
    ]


def test_lines_are_printed_only_where_a_command_asks_for_them(capsys: Any) -> None:
    with progress_bar("packing") as told:
        assert told is None
    with progress_bar("generating", lines=True, quiet=True) as told:
        assert told is None
    with progress_bar("generating", lines=True) as told:
        assert told is not None
        told(3, 3)
    assert capsys.readouterr().err == "  generating 3/3\n"
