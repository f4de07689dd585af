"""One process at a time has a run, with and without locks in the file system; the others touch nothing."""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from aiohttp import web

import editscope as es
from drills import counts
from editscope.errors import BadInput
from editscope.runfolder.files import FolderGone
from editscope.runfolder.lock import STALE_S, Lock, LockFile
from support.judged_data import make_picabench
from support.servers.judge_server import KEY, JudgeServer

YES = {"answer": "Yes", "reason": "it is"}
ATTACKS = counts.times(usual=2, full=20)
"""How often a second start is made at a moment of chance."""

NO_LOCKS = """
import errno, fcntl

def flock(fd, operation):
    raise OSError(errno.ENOLCK, "No locks available")

fcntl.flock = flock
"""


class SlowToCheck(JudgeServer):
    """A judge whose check takes a while, or until it is let go."""

    def __init__(self, pause_s: float = 0.0) -> None:
        super().__init__(lambda asked: YES)
        self.pause_s = pause_s
        self.checking, self.go_on = threading.Event(), threading.Event()

    async def handle(self, request: web.Request) -> web.StreamResponse:
        if request.method == "GET":
            self.checking.set()
            until = time.monotonic() + self.pause_s
            while not self.go_on.is_set() and (self.pause_s == 0 or time.monotonic() < until):
                await asyncio.sleep(0.01)
        return await super().handle(request)


class Hesitant(JudgeServer):
    """A judge that answers four questions, and the others when it is told to go on."""

    def __init__(self) -> None:
        super().__init__(lambda asked: YES)
        self.waiting, self.go_on = threading.Event(), threading.Event()

    async def handle(self, request: web.Request) -> web.StreamResponse:
        while request.method == "POST" and self.calls >= 4 and not self.go_on.is_set():
            self.waiting.set()
            await asyncio.sleep(0.01)
        return await super().handle(request)


class Place:
    """Cases with one question each, edits of them, and runs that are started over them."""

    def __init__(self, folder: Path, cases: int) -> None:
        self.folder, self.cases = folder, cases
        self.data = make_picabench(folder / "data", cases, questions=1)
        (folder / "outputs").symlink_to(folder / "data/input_img")
        self.env = {**os.environ, "OPENAI_API_KEY": KEY}

    def without_locks(self) -> None:
        (self.folder / "patched").mkdir()
        (self.folder / "patched/sitecustomize.py").write_text(NO_LOCKS)
        self.env["PYTHONPATH"] = str(self.folder / "patched")

    def start(self, server: JudgeServer, out: str = "run") -> subprocess.Popen[str]:
        what = ["run", "picabench", "--data", "data", "--editor", "folder:outputs", "--out", out]
        how = ["--judge", server.spec(), "--cache", "off", "--jobs", "1", "--concurrency", "2"]
        return self.call(*what, *how)

    def call(self, *arguments: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "editscope", *arguments]
        pipe = subprocess.PIPE
        return subprocess.Popen(command, cwd=self.folder, env=self.env, text=True, stdout=pipe, stderr=pipe)


def end(process: subprocess.Popen[str]) -> tuple[int, str]:
    _, said = process.communicate(timeout=600)
    return process.returncode, said


def everything(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.slow
def test_a_second_start_while_the_first_asks_its_judge_touches_nothing_and_asks_nobody(tmp_path: Path) -> None:
    place = Place(tmp_path, 4)
    with SlowToCheck() as server:
        first = place.start(server)
        assert server.checking.wait(600)
        before = everything(tmp_path / "run")
        code, said = end(place.start(server))
        assert (code, "is being written by another process" in said) == (2, True), said
        assert everything(tmp_path / "run") == before
        assert server.checks == 0, "the second one asked the judge too"
        server.go_on.set()
        code, said = end(first)
        assert (code, said) == (0, "")
    assert (server.checks, server.calls) == (1, 4)
    assert es.open_run(tmp_path / "run").complete


@pytest.mark.slow
@pytest.mark.drill
@pytest.mark.parametrize("attack", range(ATTACKS))
def test_equal_starts_shortly_after_each_other_make_one_run(attack: int, tmp_path: Path) -> None:
    place = Place(tmp_path, 4)
    with SlowToCheck(pause_s=2.0) as server:
        first = place.start(server)
        time.sleep(random.Random(attack).uniform(0.5, 1.5))
        second = place.start(server)
        ended = [end(first), end(second)]
    codes = sorted(code for code, _ in ended)
    # On a busy machine the second may come when the first is done: then it finds nothing to do.
    assert codes in ([0, 2], [0, 0]), ended
    assert server.calls == 4
    assert es.open_run(tmp_path / "run").complete


@pytest.mark.slow
def test_a_refused_start_leaves_no_folder_behind(tmp_path: Path) -> None:
    place = Place(tmp_path, 2)
    with JudgeServer(lambda asked: YES, keys=["another key"]) as server:
        code, said = end(place.start(server, "new/deep/run"))
    assert code == 2, said
    assert not (tmp_path / "new").exists()


@pytest.mark.slow
def test_where_locks_do_not_work_a_second_run_is_refused_and_a_killed_one_is_taken_over(tmp_path: Path) -> None:
    place = Place(tmp_path, 20)
    place.without_locks()
    with Hesitant() as server:
        first = place.start(server)
        assert server.waiting.wait(600)
        code, said = end(place.call("resume", "run", "--cache", "off"))
        assert code == 2, said
        assert f"(process {first.pid} on {socket.gethostname()})" in said
        first.send_signal(signal.SIGKILL)
        end(first)
        server.go_on.set()
        resumed = place.call("resume", "run", "--cache", "off", "--jobs", "1")
        out, said = resumed.communicate(timeout=600)
        assert (resumed.returncode, said) == (0, "")
        assert out.count("has no locks") == 1
        assert 20 <= server.calls <= 20 + 2 + 2, "more than the questions in hand were asked twice"
    assert es.open_run(tmp_path / "run").complete
    assert not [path.name for path in (tmp_path / "run").iterdir() if path.name.startswith(".")]


# --- the lock itself ------------------------------------------------------------------------------


@pytest.fixture(params=["with locks", "without locks"])
def locks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Both kinds of file system."""
    if request.param == "without locks":
        _no_locks(monkeypatch)
    return bool(request.param == "with locks")


def _no_locks(monkeypatch: pytest.MonkeyPatch) -> None:
    import fcntl

    def flock(fd: int, operation: int) -> None:
        raise OSError(37, "No locks available")

    monkeypatch.setattr(fcntl, "flock", flock)


@contextmanager
def in_threads(count: int, work: Callable[[int], None]) -> Iterator[None]:
    threads = [threading.Thread(target=work, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    yield
    for thread in threads:
        thread.join()


def test_no_two_ever_hold_a_lock_whose_file_comes_and_goes(locks: bool, tmp_path: Path) -> None:
    path = tmp_path / "run" / "journal.jsonl"
    inside, most, taken = [0], [0], [0]

    def work(number: int) -> None:
        rng, until, mine = random.Random(number), time.monotonic() + 60, 0
        while mine < 5 and time.monotonic() < until:
            try:
                lock = Lock(path, "busy", make_folder=True)
            except BadInput:
                time.sleep(rng.uniform(0, 0.001))
                continue
            mine += 1
            inside[0] += 1
            most[0], taken[0] = max(most[0], inside[0]), taken[0] + 1
            time.sleep(rng.uniform(0, 0.001))
            inside[0] -= 1
            (lock.remove if rng.random() < 0.5 else lock.release)()

    with in_threads(6, work):
        pass
    assert most[0] == 1
    assert taken[0] == 6 * 5


def test_of_many_that_take_over_a_stale_lock_one_has_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _no_locks(monkeypatch)
    for round_ in range(20):
        path = tmp_path / str(round_)
        stale(path, pid=2**22 + 1)
        barrier = threading.Barrier(8)
        held: list[Lock] = []

        def work(number: int, path: Path = path, barrier: threading.Barrier = barrier, held: list[Lock] = held) -> None:
            barrier.wait()
            try:
                held.append(Lock(path, "busy"))
            except BadInput:
                return

        with in_threads(8, work):
            pass
        assert len(held) == 1
        held[0].release()
        assert list(tmp_path.glob(f".{round_}.*")) == []


def stale(path: Path, **said: object) -> Path:
    """The lock file of a process that is gone, on this machine unless something else is said."""
    lock = LockFile(LockFile.place(path), "busy")
    head = LockFile.place(path)
    mine = json.loads(head.read_text())
    lock.release()
    head.write_text(json.dumps({**mine, **said}))
    return head


def test_a_lock_file_of_another_machine_holds_while_it_is_touched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _no_locks(monkeypatch)
    path = tmp_path / "file"
    head = stale(path, host="far-away")
    with pytest.raises(BadInput, match="on far-away"):
        Lock(path, "busy")
    old = time.time() - STALE_S - 5
    os.utime(head, (old, old))
    with Lock(path, "busy"):
        pass
    assert not head.exists()


def test_a_process_with_the_number_of_one_that_is_gone_is_not_taken_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not Path("/proc/self/stat").exists():
        pytest.skip("no way to know when a process began")
    _no_locks(monkeypatch)
    stale(tmp_path / "file", pid=os.getpid(), start="1")
    Lock(tmp_path / "file", "busy").release()


def test_a_lock_file_that_was_never_written_whole_is_given_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _no_locks(monkeypatch)
    head = LockFile.place(tmp_path / "file")
    head.write_text("")
    with pytest.raises(BadInput):
        Lock(tmp_path / "file", "busy")
    os.utime(head, (1.0, 1.0))
    Lock(tmp_path / "file", "busy").release()


def test_a_lock_file_counts_also_where_locks_work(tmp_path: Path) -> None:
    stale(tmp_path / "file", pid=os.getpid())
    with pytest.raises(BadInput, match="busy"):
        Lock(tmp_path / "file", "busy")


def test_a_lock_knows_that_its_file_was_removed_or_replaced(locks: bool, tmp_path: Path) -> None:
    for replaced in (False, True):
        folder = tmp_path / f"run{replaced}"
        with Lock(folder / "file", "busy", make_folder=True) as lock:
            lock.check()
            folder.rename(tmp_path / f"away{replaced}")
            if replaced:
                folder.mkdir()
                (folder / "file").write_text("")
            with pytest.raises(FolderGone, match="nothing is left to resume"):
                lock.check()
