"""What an editor prints: whole lines in editor.log, nothing on the terminal but a bar that stays in one piece."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import editscope as es
from editscope.editors.worker.process import FULL, Log
from editscope.runs.engine.editor_output import EditorOutput
from support.command_line import Called, on_terminal, screen_lines
from support.servers.judge_server import KEY

TALKS = """
import os, subprocess, sys, warnings
import editscope as es

class Talks(es.Editor):
    def load(self):
        print("loading \\x1b[31mred\\x1b[0m \\x07 with the key", os.environ["OPENAI_API_KEY"])
        warnings.warn("careful")
    def edit(self, case):
        print("editing", case.case_id)
        for step in range(40):
            sys.stderr.write(f"\\rstep {step}/40 {'#' * step}")
            sys.stderr.flush()
        sys.stderr.write("\\n")
        os.write(1, b"from C\\n")
        subprocess.run(["echo", "from a child"])
        return case.images[0]
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_prints_of_an_editor_do_not_tear_the_bar(small_set: Path, tmp_path: Path) -> None:
    (tmp_path / "talks.py").write_text(TALKS)
    command = ["-m", "editscope", "run", "paintbench", "--data", str(small_set), "--jobs", "1", "--out", "run"]
    text, code = on_terminal([*command, "-e", "python:talks:Talks"], tmp_path, 80, {"OPENAI_API_KEY": KEY})
    assert code == 0, text
    lines = screen_lines(text)
    for foreign in ("editing", "loading", "step ", "from C", "from a child", "careful"):
        assert not any(foreign in line for line in lines), lines
    assert sum("━" in line for line in lines) == 1, lines
    assert any("what the editor printed: run/editor.log" in line for line in lines)
    log = (tmp_path / "run/editor.log").read_text()
    written = log.splitlines()
    assert written[0] == "loading red \ufffd with the key [key]"
    assert KEY not in log and "\x1b" not in log and "\r" not in log
    assert sum(line.startswith("editing ") for line in written) == written.count("from C") == 12
    assert written.count("from a child") == 12
    assert sum(bool(re.fullmatch(r"step 39/40 #+", line)) for line in written) == 12


@pytest.mark.slow
def test_a_run_whose_editor_prints_nothing_has_no_log(small_set: Path, tmp_path: Path) -> None:
    run = es.run(es.load_suite("paintbench", root=small_set), "ref:drift", out=tmp_path / "run", jobs=1, progress=False)
    assert not (run.path / "editor.log").exists() and not (run.path / "errors.log").exists()


@pytest.mark.slow
def test_where_there_is_no_terminal_prints_go_to_the_log_too(
    small_set: Path, tmp_path: Path, editscope: Callable[..., Called]
) -> None:
    (tmp_path / "here/talks.py").write_text(TALKS.replace('os.environ["OPENAI_API_KEY"]', '"none"'))
    called = editscope(
        "run", "paintbench", "--data", small_set, "-j", "1", "-e", "python:talks:Talks", "--out", "run", "--limit", "3"
    )
    assert called.returncode == 0, called.stderr
    assert called.stderr == "" and "editing" not in called.stdout
    assert (tmp_path / "here/run/editor.log").read_text().count("editing") == 3


def test_a_log_has_a_largest_size_and_says_that_it_is_full(tmp_path: Path) -> None:
    log = Log(tmp_path / "log", most_bytes=100)
    for number in range(50):
        log.add(f"line {number} of many\n")
    lines = (tmp_path / "log").read_text().splitlines()
    assert lines[-1] == FULL and lines.count(FULL) == 1
    assert (tmp_path / "log").stat().st_size < 250


def test_output_ends_when_its_writers_have_ended(tmp_path: Path) -> None:
    output = EditorOutput(tmp_path)
    process = subprocess.Popen(["sh", "-c", "echo one; printf two"], stdout=output.fd, stderr=output.fd)
    output.started()
    process.wait(60)
    output.close()
    assert (tmp_path / "editor.log").read_text() == "one\ntwo\n"
    assert output.printed
