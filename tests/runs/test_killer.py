"""A run that is interrupted or out of disk continues where it was; what is killed with SIGKILL: test_drills.py."""

from __future__ import annotations

import collections
import os
import shutil
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable
from multiprocessing import Pipe
from pathlib import Path

import pytest

import editscope as es
from drills.command import tagged
from editscope.runfolder.journal import read_journal
from editscope.runs.engine.worker_process import command

pytestmark = pytest.mark.slow

LOGGING = """
import os, time
import editscope as es

class Logging(es.Editor):
    def estimate(self, edits, images=1):
        return None  # they cost money, nobody knows how much: each must be on disk before the next is asked for
    def edit(self, case):
        with open(os.environ["CALLS"], "a") as log:
            print(case.case_id, file=log)
        time.sleep(0.03)
        pixels = case.arrays[0].copy()
        pixels[: case.seed % 40] ^= 3
        return pixels
"""


class Site:
    """A place with a set and a logging editor, where a run can be started, watched and killed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.calls = folder / "calls.txt"
        self.tag = f"EDITSCOPE_TEST={uuid.uuid4().hex}"
        (folder / "logging_editor.py").write_text(LOGGING)

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        name, _, value = self.tag.partition("=")
        env = {**os.environ, "CALLS": str(self.calls), name: value}
        command = [sys.executable, "-m", "editscope", *arguments]
        return subprocess.Popen(
            command, cwd=self.folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def run_arguments(self, out: str) -> list[str]:
        editor = "python:logging_editor:Logging"
        where = ["--data", "set", "--editor", editor, "--out", out]
        return ["run", "paintbench", *where, "--jobs", "2", "--yes", "--quiet"]

    def called(self) -> list[str]:
        return self.calls.read_text().split() if self.calls.exists() else []

    def finished_edits(self, out: str) -> set[str]:
        return {line["case"] for line in read_journal(self.folder / out) if line["step"] == "edit"}

    def wait_for_lines(self, process: subprocess.Popen[str], out: str, lines: int) -> None:
        """Until the journal has so many lines or the run is over."""
        journal = self.folder / out / "journal.jsonl"
        until = time.monotonic() + 300
        while process.poll() is None and time.monotonic() < until:
            if journal.exists() and journal.read_bytes().count(b"\n") >= lines:
                return
            time.sleep(0.002)

    def wait_for_call(self, process: subprocess.Popen[str]) -> None:
        """Until the editor has been called or the run is over."""
        until = time.monotonic() + 300
        while not self.called() and process.poll() is None and time.monotonic() < until:
            time.sleep(0.01)

    def survivors(self, patience_s: float = 300.0) -> list[int]:
        """Processes of this site that are still there after a while."""
        until = time.monotonic() + patience_s
        while (alive := tagged(self.tag)) and time.monotonic() < until:
            time.sleep(0.05)
        return alive


@pytest.fixture
def site(tmp_path: Path, make_set: Callable[..., Path]) -> Site:
    if not Path("/proc/self/environ").exists():
        pytest.skip("looks for surviving processes in /proc")
    make_set(tmp_path / "set", per_task=10)
    return Site(tmp_path)


def end(process: subprocess.Popen[str]) -> tuple[int, str]:
    """The exit code and stderr of a process, when it has ended."""
    _, said = process.communicate(timeout=600)
    return process.returncode, said


def test_a_start_that_was_killed_while_it_wrote_run_json_is_made_again_by_the_same_command(site: Site) -> None:
    (site.folder / "run").mkdir()
    (site.folder / "run/journal.jsonl").touch()
    (site.folder / "run/.run.json.4711.tmp").write_text('{"format": 1, "edi')
    arguments = ["run", "paintbench", "--data", "set", "--editor", "ref:identity", "--limit", "2", "--out", "run", "-q"]
    assert end(site.start(*arguments)) == (0, "")


def test_a_worker_whose_run_was_killed_before_it_began_leaves_without_a_traceback() -> None:
    ours, theirs = Pipe()
    with subprocess.Popen(
        command(theirs.fileno()), pass_fds=[theirs.fileno()], stderr=subprocess.PIPE, text=True
    ) as it:
        theirs.close()
        ours.close()
        assert end(it) == (1, "")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_finishes_the_steps_in_hand_and_says_how_to_go_on(site: Site, number: int) -> None:
    process = site.start(*site.run_arguments("run"))
    site.wait_for_lines(process, "run", 12)
    process.send_signal(number)
    code, err = end(process)
    assert code == 3, err
    assert err.strip().splitlines()[-1] == "editscope: stopped on request; resume with: editscope resume run"
    assert not site.survivors()
    assert sorted(site.called()) == sorted(site.finished_edits("run")), "a step in hand was thrown away"
    assert 0 < len(site.called()) < 40

    assert end(site.start("resume", "run", "--quiet", "--yes")) == (0, "")
    assert sorted(collections.Counter(site.called()).values()) == [1] * 40
    assert es.open_run(site.folder / "run").complete


def test_ctrl_c_before_the_first_step_is_no_traceback(site: Site) -> None:
    # Closed by hand: a signal that comes while a forgotten file is being closed is swallowed by Python.
    slow = "import os, time\nwith open(os.environ['CALLS'], 'w') as log:\n    log.write('importing')\ntime.sleep(600)\n"
    (site.folder / "logging_editor.py").write_text(slow)
    process = site.start(*site.run_arguments("run"))
    site.wait_for_call(process)
    process.send_signal(signal.SIGINT)
    assert end(process) == (3, "editscope: stopped on request; run the same command to continue\n")


def test_a_second_ctrl_c_stops_at_once(site: Site) -> None:
    (site.folder / "logging_editor.py").write_text(LOGGING.replace("time.sleep(0.03)", "time.sleep(600)"))
    process = site.start(*site.run_arguments("run")[:-1])  # not quiet: it says when it has heard the first
    site.wait_for_call(process)
    process.send_signal(signal.SIGINT)
    assert process.stdout is not None
    assert any("finishing the steps in progress" in line for line in iter(process.stdout.readline, ""))
    assert process.poll() is None, "the first one waits for the step in hand"
    process.send_signal(signal.SIGINT)
    assert end(process)[0] == 3
    assert not site.survivors()


def test_two_processes_cannot_do_one_run(site: Site) -> None:
    until_told = 'while not os.path.exists("told"): time.sleep(0.01)'
    (site.folder / "logging_editor.py").write_text(LOGGING.replace("time.sleep(0.03)", until_told))
    first = site.start(*site.run_arguments("run"))
    site.wait_for_call(first)
    code, err = end(site.start("resume", "run", "--yes"))
    (site.folder / "told").touch()
    assert end(first) == (0, "")
    assert code == 2
    assert "is being written by another process" in err


def test_a_full_disk_stops_the_run_and_room_lets_it_go_on(site: Site) -> None:
    """On a real, small file system in a mount namespace of its own."""
    script = """
set -e
mkdir small
mount -t tmpfs -o size=160k tmpfs small
set +e
"$@" run paintbench --data set --editor ref:noise --out small/run --jobs 2 --quiet 2> first.txt; echo $? > first.code
cp small/run/journal.jsonl after-first.jsonl
mount -o remount,size=20m small
"$@" resume small/run --quiet 2> second.txt; echo $? > second.code
cp -r small/run copied
"""
    if shutil.which("unshare") is None or subprocess.run(["unshare", "-rm", "true"], capture_output=True).returncode:
        pytest.skip("needs the right to make a mount namespace")
    command = ["unshare", "-rm", "sh", "-c", script, "sh", sys.executable, "-m", "editscope"]
    done = subprocess.run(command, cwd=site.folder, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    said = (site.folder / "first.txt").read_text()
    assert (site.folder / "first.code").read_text() == "3\n", said
    assert len(said.splitlines()) == 1
    assert "No space left on device" in said
    assert "editscope resume small/run" in said
    first = (site.folder / "after-first.jsonl").read_bytes()
    assert first.endswith(b"\n")
    assert (site.folder / "copied/journal.jsonl").read_bytes().startswith(first)
    assert (site.folder / "second.code").read_text() == "0\n", (site.folder / "second.txt").read_text()
    assert es.open_run(site.folder / "copied").complete


def test_a_journal_that_cannot_grow_stops_the_run_and_stays_whole(site: Site) -> None:
    """The limit on file sizes refuses the journal in the middle, for users without any rights."""
    limited = (
        "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000)); "
        "from editscope.cli import main; import sys; main(sys.argv[1:])"
    )
    arguments = ["run", "paintbench", "--data", "set", "--editor", "ref:identity", "--out", "run", "--quiet"]
    stopped = subprocess.run(
        [sys.executable, "-c", limited, *arguments], cwd=site.folder, capture_output=True, text=True, timeout=600
    )
    assert stopped.returncode == 3, stopped.stderr
    assert len(stopped.stderr.splitlines()) == 1
    assert "journal.jsonl: File too large" in stopped.stderr
    done = len(read_journal(site.folder / "run"))
    assert 0 < done < 80
    assert end(site.start("resume", "run", "--quiet", "--yes")) == (0, "")
    assert len(read_journal(site.folder / "run")) == 80
