"""An editor that takes several edits at a time is kept busy, and whatever it does costs only what it was at."""

from __future__ import annotations

import collections
import json
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

import editscope as es
from editscope.errors import Stopped
from editscope.images import Pixels
from editscope.runfolder.files import DiskError, write_inside
from editscope.runfolder.journal import Journal, read_journal
from editscope.runs.engine.case_steps import CaseSteps
from editscope.runs.engine.edit_pipeline import Pipeline
from editscope.runs.engine.lost_jobs import after_death, after_timeout
from editscope.runs.engine.worker_process import Job, WorkerReport, WorkerSetup, serve
from editscope.runs.engine.workers import OpenRequest, Worker, WorkerPlan

pytestmark = pytest.mark.slow

EDITOR = '''
import os, random, time
import editscope as es
from editscope.errors import Stopped

def painted(case):
    pixels = case.arrays[0].copy()
    pixels[: 4 + case.seed % 30] ^= 1 + case.seed % 7
    return pixels

class Several(es.Editor):
    """Takes several at a time; at one case it hangs, at another it dies. Logs each call as one line of case ids."""

    def __init__(self, batch=1, at_once=1, pace=0.0, hang="", die="", stop=""):
        self.batch, self.at_once, self.pace, self.hang, self.die, self.stop = batch, at_once, pace, hang, die, stop
        self.rng = random.Random(5)
    def edit(self, case):
        return self.edit_batch([case])[0]
    def edit_batch(self, cases):
        with open(os.environ["CALLS"], "a") as log:
            log.write(" ".join(case.case_id for case in cases) + "\\n")
        asked = [case.case_id for case in cases]
        if self.hang in asked:
            time.sleep(600)
        if self.die in asked:
            os._exit(7)
        if self.stop in asked:
            raise Stopped("no more edits today")
        time.sleep(self.pace * self.rng.uniform(0.5, 1.0))
        return [painted(case) for case in cases]
'''


class Site:
    """A folder with a set of 40 and an editor that writes down what it is asked."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.module = f"several_{abs(hash(folder))}"
        self.calls = folder / "calls.txt"
        (folder / f"{self.module}.py").write_text(EDITOR)
        monkeypatch.chdir(folder)
        monkeypatch.syspath_prepend(str(folder))
        monkeypatch.setenv("CALLS", str(self.calls))

    def spec(self, **options: Any) -> str:
        return f"python:{self.module}:Several?" + "&".join(f"{name}={value}" for name, value in options.items())

    def run(self, out: str, timeout: float | None = None, **options: Any) -> es.Run:
        suite = es.load_suite("paintbench", root=self.folder / "set")
        return es.run(suite, self.spec(**options), out=out, timeout=timeout, jobs=2, progress=False, seed=3)

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "editscope", *arguments]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def asked(self) -> list[list[str]]:
        """The calls of the editor, each as the cases that it was asked for in one go."""
        return [line.split() for line in self.calls.read_text().splitlines()] if self.calls.exists() else []

    def cases_asked(self) -> list[str]:
        return [case for call in self.asked() for case in call]

    def edited(self, out: str) -> list[str]:
        return [line["case"] for line in read_journal(self.folder / out) if line["step"] == "edit"]

    def wait_for_lines(self, process: subprocess.Popen[str], out: str, lines: int) -> None:
        journal = self.folder / out / "journal.jsonl"
        until = time.monotonic() + 3000
        while process.poll() is None and time.monotonic() < until:
            if journal.exists() and journal.read_bytes().count(b"\n") >= lines:
                return
            time.sleep(0.005)


@pytest.fixture
def site(tmp_path: Path, make_set: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> Site:
    make_set(tmp_path / "set", per_task=10)
    return Site(tmp_path, monkeypatch)


def outcome(run: es.Run) -> dict[str, Any]:
    """All of a run that must not depend on how it was done: scores, pictures, thumbnails."""
    rows = {name: values for name, values in run.rows().items() if name != "latency_s"}
    files = {str(path.relative_to(run.path)): path.read_bytes() for path in sorted(run.path.glob("*/**/*.*"))}
    return {"rows": rows, "files": files}


def found(run: es.Run) -> dict[str, tuple[str, str | None]]:
    return {record.case_id: (record.status, record.reason) for record in run.records()}


# --- together as one by one ---------------------------------------------------------------------------------


def test_batches_and_threads_give_what_one_by_one_gives_byte_for_byte(site: Site) -> None:
    alone = site.run("alone", pace=0)
    assert [len(call) for call in site.asked()] == [1] * 40
    site.calls.unlink()
    batches = site.run("batches", batch=4, pace=0.1)
    sizes = [len(call) for call in site.asked()]
    assert sum(sizes) == 40
    assert max(sizes) == 4
    assert len(sizes) < 30, f"batches were not filled: {sizes}"
    site.calls.unlink()
    threads = site.run("threads", at_once=8, pace=0.05)
    assert sorted(site.cases_asked()) == sorted(found(alone))
    assert outcome(alone) == outcome(batches) == outcome(threads)
    for run in (alone, batches, threads):
        steps = collections.Counter((line["step"], line["case"]) for line in read_journal(run.path))
        assert len(steps) == 80
        assert set(steps.values()) == {1}, "a step is in the journal twice"


# --- one edit that hangs or kills ------------------------------------------------------------------------------


def test_a_late_edit_among_eight_is_the_only_one_that_fails(site: Site) -> None:
    run = site.run("run", timeout=10, at_once=8, pace=0.02, hang="recolor/002")
    statuses = found(run)
    assert statuses.pop("recolor/002") == ("error", "timed out after 10 s")
    assert set(statuses.values()) == {("ok", None)}
    assert site.cases_asked().count("recolor/002") == 1, "a lone late edit is not tried again"


def test_a_batch_that_hangs_or_kills_is_taken_apart_to_find_the_edit_that_does(site: Site) -> None:
    run = site.run("run", timeout=6, batch=4, pace=0.2, hang="recolor/002", die="removal/004")
    statuses = found(run)
    assert statuses.pop("recolor/002") == ("error", "timed out after 6 s")
    assert statuses.pop("removal/004") == ("error", "worker died (exit code 7)")
    assert set(statuses.values()) == {("ok", None)}
    for culprit in ("recolor/002", "removal/004"):
        together = next(call for call in site.asked() if culprit in call)
        assert all([case] in site.asked() for case in together), "suspects are made one by one"
    assert max(collections.Counter(site.cases_asked()).values()) <= 2, "once in a batch, once alone"


# --- stopping and going on -----------------------------------------------------------------------------------------


def test_an_editor_that_stops_ends_the_run_and_a_resumed_one_repeats_nothing(site: Site) -> None:
    with pytest.raises(Stopped, match=r"no more edits today; resume with: editscope resume run"):
        site.run("run", at_once=3, pace=0.02, stop="removal/004")
    edited = site.edited("run")
    asked = site.cases_asked()
    assert 0 < len(edited) < 40
    assert sorted(asked) == sorted([*edited, "removal/004"]), "an edit in hand was thrown away"
    info = json.loads((site.folder / "run/run.json").read_text())
    (site.folder / f"{site.module}.py").write_text(EDITOR.replace("if self.stop in asked", "if False"))
    resumed = subprocess.run([sys.executable, "-m", "editscope", "resume", "run", "-q"], capture_output=True, text=True)
    assert resumed.returncode == 0, resumed.stderr
    after = json.loads((site.folder / "run/run.json").read_text())
    assert len(after["editor"].pop("code")) == len(info["editor"].pop("code")) + 1, "the changed file is noted"
    assert after == info
    assert sorted(site.edited("run")) == sorted(found(es.open_run("run")))
    assert collections.Counter(site.cases_asked()) - collections.Counter({"removal/004": 1}) == collections.Counter(
        dict.fromkeys(site.edited("run"), 1)
    )


def test_ctrl_c_finishes_the_batch_in_hand_and_drops_what_only_waited(site: Site) -> None:
    spec = site.spec(batch=4, pace=0.3)
    process = site.start("run", "paintbench", "--data", "set", "-e", spec, "--out", "run", "-j", "2")
    site.wait_for_lines(process, "run", 8)
    process.send_signal(signal.SIGINT)
    said = process.communicate(timeout=600)
    assert process.returncode == 3, said
    assert "finishing the steps in progress" in said[0]
    assert sorted(site.cases_asked()) == sorted(site.edited("run"))
    assert len(site.edited("run")) < 40
    steps = collections.Counter(line["step"] for line in read_journal(site.folder / "run"))
    assert steps["edit"] == steps["score"], "what was edited is scored before the run ends"


def test_a_killed_run_with_a_batch_editor_goes_on_and_ends_as_if_it_had_not_been(site: Site) -> None:
    whole = site.run("whole", batch=4)
    site.calls.unlink()
    arguments = ["run", "paintbench", "--data", "set", "-e", site.spec(batch=4), "--out", "killed", "-q", "--seed", "3"]
    process = site.start(*arguments)
    site.wait_for_lines(process, "killed", 20)
    process.kill()
    process.communicate(timeout=600)
    finished, already = set(site.edited("killed")), site.cases_asked()
    assert len(finished) < 40
    (site.folder / "killed/images/border/.000_output.png.torn").write_bytes(b"half")
    resumed = site.start("resume", "killed", "-q")
    resumed.communicate(timeout=600)
    assert resumed.returncode == 0
    again = collections.Counter(site.cases_asked()) - collections.Counter(already)
    assert not finished & set(again), "finished edits were made again"
    most = WorkerPlan(None, 2, 1, False, False, batch=4).room  # type: ignore[arg-type]
    assert len(site.cases_asked()) - 40 <= most, "more was lost than what was in hand"
    assert outcome(es.open_run("killed")) == outcome(whole), "what a killed writer left is swept away"


# --- the stages themselves ----------------------------------------------------------------------------------------


class Desk:
    """A pipeline in this process: jobs go in, reports are listed."""

    def __init__(self, bench: Any, editor: es.Editor, *, scores: bool = True) -> None:
        self.jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self.reports: list[WorkerReport] = []
        line = Pipeline(bench, editor, self.reports.append, scores=scores, keepers=2)
        self.thread = threading.Thread(target=line.run, args=(self.jobs.get,))
        self.thread.start()

    def done(self, kind: str, number: int) -> list[WorkerReport]:
        """The reports of a kind, when so many have come."""
        until = time.monotonic() + 300
        while time.monotonic() < until:
            there = [report for report in list(self.reports) if report.kind == kind]
            if len(there) >= number:
                return there
            time.sleep(0.005)
        raise AssertionError(f"{number} reports {kind!r} did not come: {[report.kind for report in self.reports]}")

    def leave(self) -> None:
        self.jobs.put(None)
        self.thread.join(300)
        assert not self.thread.is_alive()


def folder(path: Path) -> Path:
    """A run folder, which a run makes before any stage begins."""
    path.mkdir()
    return path


class Counting(CaseSteps):
    """A bench that counts the cases that it was asked for."""

    made: ClassVar[collections.Counter[str]] = collections.Counter()

    def case(self, case_id: str) -> es.Case:
        self.made[case_id] += 1
        return super().case(case_id)


def test_requests_are_made_ahead_but_only_a_few(small_set: Path, tmp_path: Path) -> None:
    gate = threading.Event()

    class Patient(es.Editor):
        batch = 2

        def edit_batch(self, cases: Any) -> Any:
            gate.wait(300)
            return [case.arrays[0] for case in cases]

    suite = es.load_suite("paintbench", root=small_set)
    Counting.made.clear()
    desk = Desk(Counting(suite, Patient(), folder(tmp_path / "run"), 0), Patient())
    for index, case_id in enumerate(suite.ids):
        desk.jobs.put(Job(case_id, index))
    desk.done("began", 1)
    until = time.monotonic() + 300
    while len(Counting.made) < 4 and time.monotonic() < until:
        time.sleep(0.01)
    time.sleep(0.2)  # more would come now if it were made
    assert len(Counting.made) == 4, "two with the editor, two ready for its next turn"
    gate.set()
    assert len(desk.done("scored", 12)) == 12
    desk.leave()


@pytest.mark.parametrize("way", ["array", "tensor", "floats, channels first"])
def test_what_an_editor_does_to_its_input_or_to_an_old_output_changes_no_score(
    way: str, small_set: Path, tmp_path: Path
) -> None:
    torch = pytest.importorskip("torch")

    class Careless(es.Editor):
        """Paints over its input, and always returns the same array, or a tensor that shares its memory."""

        kept: Pixels | None = None

        def edit(self, case: es.Request) -> es.Image:
            pixels = case.arrays[0]
            if self.kept is None:
                self.kept = np.empty_like(pixels)
            self.kept[:] = pixels
            self.kept[: case.seed % 40] ^= 3
            pixels[:] = 0
            if way == "array":
                return self.kept
            tensor = torch.from_numpy(self.kept)
            return tensor if way == "tensor" else tensor.permute(2, 0, 1)[None] / 255  # type: ignore[no-any-return]

    suite = es.load_suite("paintbench", root=small_set)
    plain = CaseSteps(suite, Careless(), folder(tmp_path / "plain"), 0)
    expected = {}
    for case_id in suite.ids:
        edited = plain.edit(plain.case(case_id), 0)
        expected[case_id] = plain.score(plain.case(case_id), edited.line, edited.pixels)["metrics"]
    desk = Desk(CaseSteps(suite, Careless(), folder(tmp_path / "run"), 0), Careless())
    for index, case_id in enumerate(suite.ids):
        desk.jobs.put(Job(case_id, index))
    lines = [report.line or {} for report in desk.done("scored", 12)]
    desk.leave()
    assert {line["case"]: line["metrics"] for line in lines} == expected
    for path in (tmp_path / "plain/images").rglob("*.png"):
        assert path.read_bytes() == (tmp_path / "run" / path.relative_to(tmp_path / "plain")).read_bytes()


def test_an_editor_is_asked_in_the_thread_that_loaded_it(small_set: Path, tmp_path: Path) -> None:
    threads = set()

    class Local(es.Editor):
        def load(self) -> None:
            threads.add(threading.get_ident())

        def edit(self, case: es.Request) -> es.Image:
            threads.add(threading.get_ident())
            return case.arrays[0]

    suite = es.load_suite("paintbench", root=small_set)
    es.run(suite, Local(), out=tmp_path / "run", limit=3, jobs=1, progress=False)
    assert len(threads) == 1, "libraries such as PyTorch keep settings for each thread"


# --- who is to blame -------------------------------------------------------------------------------------------------


def holding(*jobs: Job, asks: Mapping[int, tuple[tuple[str, str], ...]], lost: bool = False) -> Worker:
    worker = Worker(None, None, edits=True, scores=True)  # type: ignore[arg-type]
    worker.jobs = {job.key: job for job in jobs}
    worker.open_requests = {slot: OpenRequest(edits, 0.0) for slot, edits in asks.items()}
    worker.lost = lost
    return worker


A, B, C, SCORED = Job("a", 0), Job("b", 1), Job("c", 2), Job("s", 3, make=())


def test_only_edits_that_the_editor_was_at_are_suspects() -> None:
    worker = holding(A, B, C, SCORED, asks={0: (("a", ""), ("b", ""))})
    losses = after_death(worker, collections.Counter(), free=False)
    assert [job.case_id for job in losses.suspects] == ["a", "b"]
    assert all(job.alone for job in losses.suspects)
    assert losses.again == [C]
    assert [job.case_id for job in losses.unscored] == ["s"]
    assert not losses.failed
    assert not losses.fatal


@pytest.mark.parametrize(("free", "fails_at"), [(False, 1), (True, 2)])
def test_an_edit_that_was_alone_when_its_worker_died_has_failed(free: bool, fails_at: int) -> None:
    deaths: collections.Counter[tuple[str, str]] = collections.Counter()
    for time_of_death in range(1, fails_at + 1):
        losses = after_death(holding(A, B, asks={0: (("a", ""),)}), deaths, free=free)
        assert bool(losses.failed) == (time_of_death == fails_at)
    assert losses.failed == [(A, ("",))]


def test_nobody_is_to_blame_for_a_machine_that_was_lost() -> None:
    losses = after_death(holding(A, B, asks={0: (("a", ""),)}, lost=True), collections.Counter(), free=False)
    assert losses.again == [A, B]
    assert not losses.failed
    assert not losses.suspects


def test_a_worker_that_dies_again_and_again_without_an_edit_stops_the_run() -> None:
    deaths: collections.Counter[tuple[str, str]] = collections.Counter()
    first = after_death(holding(A, SCORED, asks={}), deaths, free=False)
    assert [job.alone for job in (*first.suspects, *first.unscored)] == [True, True]
    assert not first.fatal
    assert after_death(holding(A, asks={}), deaths, free=False).fatal == [A]


def test_a_late_edit_fails_alone_and_others_in_its_worker_go_back() -> None:
    worker = holding(A, B, C, SCORED, asks={0: (("a", ""),), 1: (("b", ""),)})
    losses = after_timeout(worker, [worker.open_requests[0]])
    assert losses.failed == [(A, ("",))]
    assert losses.again == [B, C]
    assert losses.unscored == [SCORED]


def test_a_worker_that_leaves_is_waited_for_only_where_its_editor_is_at_something() -> None:
    several = Job("d", 4, make=("one", "two"))
    worker = holding(A, SCORED, several, asks={0: (("d", "one"),)})
    worker.dropped((("d", "one"),))
    assert list(worker.jobs) == [SCORED.key, several.key]
    left = worker.edited(several.key, {"case": "d", "variant": "one"})
    assert left is not None
    assert not left.make
    assert worker.cut_short == {A.key, several.key}


# --- files from workers that cannot write into the run folder -----------------------------------------------------


@pytest.mark.parametrize("name", ["../escape.png", "/etc/passwd", "images/../../x", "", "a\\..\\b"])
def test_a_file_that_would_lie_outside_the_run_is_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    with pytest.raises(DiskError, match="not a path inside"):
        write_inside(tmp_path / "run", {name: b"x"})
    assert not list(tmp_path.rglob("*.png"))


def test_files_that_a_worker_sends_are_there_before_their_line(small_set: Path, tmp_path: Path) -> None:
    from editscope.runs.engine.loop import Engine

    run, far = folder(tmp_path / "run"), folder(tmp_path / "far")
    seen: list[bool] = []

    class Watching(Journal):
        def append(self, *lines: Mapping[str, Any]) -> None:
            seen.extend((run / line["image"]).is_file() for line in lines if line["step"] == "edit")
            super().append(*lines)

    def start_worker(setup: WorkerSetup, *, edits: bool, scores: bool) -> Worker:
        from multiprocessing import Pipe

        ours, theirs = Pipe()

        def send(report: WorkerReport) -> None:
            there = [path for path in far.rglob("*.*") if path.is_file()] if report.line else []
            files = {str(path.relative_to(far)): path.read_bytes() for path in there}
            theirs.send(WorkerReport(**{**{n: getattr(report, n) for n in report.__slots__}, "files": files}))

        def live() -> None:
            serve(theirs.recv, send, WorkerSetup(setup.suite, setup.editor, far, 0), scores)
            theirs.close()

        threading.Thread(target=live, daemon=True).start()
        return Worker(ours, None, edits=edits, scores=scores)

    class Silent:
        def step(self, status: str) -> None: ...
        def note(self, text: str) -> None: ...
        def compiling(self, done: int, total: int) -> None: ...

    suite = es.load_suite("paintbench", root=small_set)
    setup = WorkerSetup(("paintbench", {"root": small_set}), "ref:oracle", run, 0)
    workers = WorkerPlan(setup, jobs=1, editing=1, fused=True, free=True, start_worker=start_worker)
    jobs = [Job(case_id, index) for index, case_id in enumerate(suite.ids)]
    with Watching(run) as journal:
        Engine(workers, journal, run, None, Silent()).work(jobs, [], spent=False)
    assert seen == [True] * 12
    assert len(list((run / "thumbs").rglob("*.webp"))) >= 12
