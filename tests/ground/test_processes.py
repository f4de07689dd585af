"""Processes that a run starts: none outlives it, whether it ends, is asked to stop, or is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc"),
]

PATIENCE_S = 600.0
"""Only guards against waiting for ever."""
LINE = "# " + "-" * 117
SMALL = ("paintbench", "--tasks", "border", "--conditions", "baseline", "--per-mode", "1", "--quiet", "-j", "1")

WORKER = """
import signal, subprocess

def load(options):
    return {}

def edit(request):
    child = subprocess.Popen(["sleep", "1000"])
    Path(__file__).with_name("pids").write_text("%d %d" % (os.getpid(), child.pid))
    while Path(__file__).with_name("hangs").exists():
        time.sleep(1000)
    return request.images[0]
"""

PLUGIN = """
import os, subprocess, time
from pathlib import Path
import editscope as es

class Plugin(es.Editor):
    def edit(self, case):
        child = subprocess.Popen(["sleep", "1000"])
        Path("pids").write_text("%d %d" % (os.getpid(), child.pid))
        while Path("hangs").exists():
            time.sleep(1000)
        return case.arrays[0]
"""


def ended(pid: int) -> bool:
    """Whether a process is gone or only waits to be collected."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def all_end(pids: list[int]) -> bool:
    until = time.monotonic() + PATIENCE_S
    while not all(map(ended, pids)):
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True


def children(pid: int) -> list[int]:
    """The processes below a process."""
    found = []
    try:
        for task in Path(f"/proc/{pid}/task").iterdir():
            found += [int(child) for child in (task / "children").read_text().split()]
    except OSError:
        return []
    return found + [one for child in found for one in children(child)]


@pytest.fixture(params=["worker", "plugin"])
def editor(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "plugin":
        (tmp_path / "mine.py").write_text(PLUGIN)
        return "python:mine:Plugin"
    skeleton = files("editscope.editors.worker").joinpath("skeleton.py").read_text(encoding="utf-8")
    head, _, rest = skeleton.partition("def load(")
    (tmp_path / "mine.py").write_text(head + WORKER + "\n\n" + LINE + rest.partition(LINE)[2])
    return f"worker:{sys.executable} mine.py"


@pytest.fixture
def started(editor: str, tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A run whose editor starts a process that would live on; it is gone when the test is over."""
    (tmp_path / "hangs").touch()
    command = [sys.executable, "-m", "editscope", "run", *SMALL, "--editor", editor, "--out", "run"]
    run = subprocess.Popen(command, cwd=tmp_path, start_new_session=True)
    try:
        yield run
    finally:
        if run.poll() is None:
            run.kill()
        run.wait()


def pids_of(folder: Path) -> list[int]:
    until = time.monotonic() + PATIENCE_S
    while len(found := (folder / "pids").read_text().split() if (folder / "pids").exists() else []) < 2:
        assert time.monotonic() < until
        time.sleep(0.02)
    return [int(pid) for pid in found]


def test_what_an_editor_started_ends_with_the_run(editor: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "editscope", "run", *SMALL, "--editor", editor, "--out", "run"]
    assert subprocess.run(command, cwd=tmp_path, timeout=PATIENCE_S).returncode == 0
    assert all_end(pids_of(tmp_path))


def test_nothing_outlives_a_run_that_is_killed(started: subprocess.Popen[bytes], tmp_path: Path) -> None:
    pids = pids_of(tmp_path)
    below = children(started.pid)
    assert set(pids) <= set(below)
    started.kill()
    assert all_end([*pids, *below])


def test_nothing_outlives_a_run_that_is_interrupted_twice(started: subprocess.Popen[bytes], tmp_path: Path) -> None:
    pids = pids_of(tmp_path)
    below = children(started.pid)
    until = time.monotonic() + PATIENCE_S
    while started.poll() is None:  # the first asks, the second insists; it may come before the first was heard
        assert time.monotonic() < until
        os.kill(started.pid, signal.SIGINT)
        time.sleep(0.3)
    assert all_end([*pids, *below])


def test_the_processes_of_a_pool_end_when_its_maker_is_killed(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "editscope", "generate", "paintbench", "--out", "set", "-j", "2"]
    maker = subprocess.Popen(command, cwd=tmp_path)
    try:
        until = time.monotonic() + PATIENCE_S
        while not list(tmp_path.glob("set/*/*.json")):
            assert time.monotonic() < until and maker.poll() is None
            time.sleep(0.02)
        below = children(maker.pid)
        assert len(below) >= 2
    finally:
        maker.kill()
        maker.wait()
    assert all_end(below)


def test_a_ctrl_c_while_the_processes_of_a_pool_start_is_one_sentence(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "editscope", "generate", "paintbench", "--out", "set", "-j", "2"]
    for workers in (1, 2):
        maker = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, start_new_session=True)
        until = time.monotonic() + PATIENCE_S
        while len(below := children(maker.pid)) < 1 + workers:  # one keeps count of what they share
            assert time.monotonic() < until and maker.poll() is None
            time.sleep(0.002)
        os.killpg(maker.pid, signal.SIGINT)  # as a terminal does: to all of them, while they still import
        _, said = maker.communicate(timeout=PATIENCE_S)
        assert said.decode() == "editscope: stopped on request; run the same command to continue\n"
        assert maker.returncode == 3
        assert all_end(below)
