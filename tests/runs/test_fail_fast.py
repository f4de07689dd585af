"""A run whose first edits all fail alike stops with the reason and the fix; nothing of it is lost or paid twice."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import editscope as es
from editscope.cases import Edit
from editscope.errors import Stopped
from editscope.runfolder.journal import read_journal
from editscope.runs.engine.first_results import FirstResults, alike
from editscope.runs.start import resume
from support.command_line import Called
from support.judged_data import make_picabench
from support.servers.judge_server import KEY, JudgeServer
from support.small_sets import make_small_set

Cli = Callable[..., Called]

MODELS = """
import os, time
from pathlib import Path
import editscope as es
from editscope.cases import Edit

class Base(es.Editor):
    def __init__(self, log=""):
        self.log, self.calls = log, 0
    def edit(self, case):
        self.calls += 1
        if self.log:
            with open(self.log, "a") as file:
                file.write(case.case_id + "\\n")
        return self.make(case)

class Lists(Base):
    def make(self, case):
        return case.images[0] if Path("mended").exists() else [case.images[0]]

class Everywhere(Lists):
    workers = None

class Raises(Base):
    def make(self, case):
        raise KeyError(case.case_id)

class Batched(Raises):
    batch = 4

class Flaky(Base):
    def make(self, case):
        if self.calls < 5:
            raise ValueError("not yet")
        return case.images[0]

class Late(Base):
    def make(self, case):
        if self.calls > 1:
            raise ValueError("no more")
        return case.images[0]

class Alternating(Base):
    def make(self, case):
        raise ValueError("odd" if self.calls % 2 else "even")

class Refuses(Base):
    def make(self, case):
        return Edit(case.case_id, status="refused", reason="not that")

class Dies(Base):
    def make(self, case):
        print("about to die", flush=True)
        os._exit(3)

class Slow(Base):
    def make(self, case):
        time.sleep(0.2)
        if Path("mended").exists():
            return case.images[0]
        raise ValueError("slow and wrong")

class Paid(Base):
    def make(self, case):
        raise PermissionError("401 Unauthorized")
    def estimate(self, edits, images=1):
        return 0.1 * edits
"""


@pytest.fixture
def here(tmp_path: Path, editscope: Cli, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the models, which is the current one."""
    folder = tmp_path / "here"
    (folder / "failing_models.py").write_text(MODELS)
    monkeypatch.chdir(folder)
    return folder


def spec(name: str, **options: Any) -> str:
    query = "&".join(f"{key}={value}" for key, value in options.items())
    return f"python:failing_models:{name}" + (f"?{query}" if query else "")


def edits(folder: Path) -> list[dict[str, Any]]:
    return [line for line in read_journal(folder) if line["step"] == "edit"]


def test_reasons_are_alike_whatever_case_number_or_path_they_name() -> None:
    one = alike("OSError: border/001 lies in /tmp/a1/x.png (took 3.5 s)", "border/001")
    assert one == alike("OSError: recolor/7 lies in /tmp/b22/y.png (took 12 s)", "recolor/7")
    assert one != alike("ValueError: border/001 lies in /tmp/a1/x.png (took 3.5 s)", "border/001")


def test_only_failures_before_the_first_success_count_and_only_in_a_row() -> None:
    def stopped_at(*failures: str | None) -> int | None:
        results = FirstResults()
        return next((place for place, failure in enumerate(failures, 1) if results.add(failure)), None)

    assert stopped_at("a", "a", "a", "a", "a") == 5
    assert stopped_at("a", "a", "a", "a", None, "a", "a", "a", "a", "a") is None
    assert stopped_at("a", "b", "a", "b", "a", "b", "a", "b") is None
    assert stopped_at("b", "a", "a", "a", "a", "a") == 6
    assert stopped_at("a", "a", "a", "a") is None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "jobs"), [("Lists", 1), ("Everywhere", 2), ("Raises", 1), ("Batched", 1), ("Dies", 1)]
)
def test_a_run_stops_when_its_first_five_edits_fail_alike(here: Path, name: str, jobs: int) -> None:
    suite = es.load_suite("paintbench", root=make_small_set(here / "set", per_task=8))
    with pytest.raises(Stopped, match="the first 5 edits all failed for the same reason") as stop:
        es.run(suite, spec(name), out="run", jobs=jobs, progress=False)
    assert "editscope resume run" in str(stop.value) and "--keep-going" in str(stop.value)
    assert "errors.log" in str(stop.value)
    made = edits(here / "run")
    assert 5 <= len(made) < 32
    logged = [line for line in (here / "run/errors.log").read_text().splitlines() if " edit " in line]
    assert sorted(line.split()[2] for line in logged) == sorted(line["case"] for line in made)


@pytest.mark.slow
def test_the_message_has_the_reason_the_fix_and_the_way_on(small_set: Path, here: Path, editscope: Cli) -> None:
    called = editscope("run", "paintbench", "--data", small_set, "-e", spec("Lists"), "--out", "run", "-j", "1")
    assert called.returncode == 3
    assert called.stderr.startswith(
        "editscope: the first 5 edits all failed for the same reason (no_output): the image "
    )
    assert "fix: return the picture itself from edit: a PIL image" in called.stderr
    assert "\n  then: editscope resume run makes these edits again and goes on\n" in called.stderr
    assert "Traceback" not in called.stderr


@pytest.mark.slow
def test_the_message_names_the_line_that_raised(small_set: Path, here: Path, editscope: Cli) -> None:
    called = editscope("run", "paintbench", "--data", small_set, "-e", spec("Raises"), "--out", "run", "-j", "1")
    line = MODELS.splitlines().index("        raise KeyError(case.case_id)") + 1
    assert called.stderr.splitlines()[0].endswith(f"', failing_models.py line {line}, in make")


@pytest.mark.slow
def test_a_resumed_run_stops_again_or_makes_the_failed_edits_once_more(small_set: Path, here: Path) -> None:
    suite = es.load_suite("paintbench", root=small_set)
    with pytest.raises(Stopped):
        es.run(suite, spec("Lists"), out="run", jobs=1, progress=False)
    with pytest.raises(Stopped, match="first 5 edits"):
        resume("run", jobs=1, progress=False)
    (here / "mended").touch()
    run = resume("run", jobs=1, progress=False)
    assert run.coverage == {"ok": 12}


@pytest.mark.slow
def test_a_run_that_keeps_going_leaves_failures_where_they_are(small_set: Path, here: Path, editscope: Cli) -> None:
    log = here / "log"
    arguments = ["paintbench", "--data", small_set, "-e", spec("Lists", log=log), "--out", "run", "-j", "1"]
    assert editscope("run", *arguments).returncode == 3
    before = len(edits(here / "run"))
    called = editscope("resume", "run", "-j", "1", "--keep-going")
    assert called.returncode == 1, called.stderr
    assert len(log.read_text().split()) == len(set(log.read_text().split())) == 12
    assert before < 12 == len(edits(here / "run"))
    summary = [line for line in called.stdout.splitlines() if "/12 cases" not in line]
    assert summary[2].startswith(" Every edit failed (no_output 12): the image is a list"), summary
    assert "every failure with its reason: run/errors.log" in called.stdout


@pytest.mark.slow
def test_edits_that_cost_money_are_made_again_only_where_that_is_asked_for(small_set: Path, here: Path) -> None:
    log = here / "log"
    with pytest.raises(Stopped) as stop:
        es.run(es.load_suite("paintbench", root=small_set), spec("Paid", log=log), out="run", jobs=1, progress=False)
    assert "check the key" in str(stop.value) and "editscope resume run --edit-again\n" in str(stop.value)
    paid = log.read_text().split()
    with pytest.raises(Stopped):
        resume("run", jobs=1, progress=False)
    assert not set(paid) & set(log.read_text().split()[len(paid) :])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["Flaky", "Late", "Alternating", "Refuses"])
def test_a_run_goes_on_where_something_worked_or_failures_differ(small_set: Path, here: Path, name: str) -> None:
    run = es.run(es.load_suite("paintbench", root=small_set), spec(name), out="run", jobs=1, progress=False)
    assert run.complete and len(edits(here / "run")) == 12


@pytest.mark.slow
def test_three_cases_are_too_few_to_stop_and_the_summary_says_it(small_set: Path, here: Path, editscope: Cli) -> None:
    called = editscope(
        "run", "paintbench", "--data", small_set, "-e", spec("Raises"), "--out", "run", "--limit", "3", "-j", "1"
    )
    assert called.returncode == 1
    assert " Every edit failed (error 3): KeyError" in called.stdout
    assert editscope("report", "run", "--out", "report.html").returncode == 0
    page = Path("report.html").read_text()
    assert page.index("Every edit failed (error 3)") < page.index('class="axis"') and "errors.log" in page
    assert editscope("report", "run", "--out", "report.md").returncode == 0
    assert "**python:failing_models:Raises" not in Path("report.md").read_text()
    assert "Every edit failed" in Path("report.md").read_text()


@pytest.mark.slow
def test_ctrl_c_before_the_fifth_failure_stops_as_always(small_set: Path, here: Path) -> None:
    command = [sys.executable, "-m", "editscope", "run", "paintbench", "--data", str(small_set), "-j", "1"]
    process = subprocess.Popen(
        [*command, "-e", spec("Slow"), "--out", "run"], stderr=subprocess.PIPE, text=True, stdout=subprocess.DEVNULL
    )
    try:
        until = time.monotonic() + 300
        while time.monotonic() < until and not ((here / "run/journal.jsonl").exists() and edits(here / "run")):
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=300)
    finally:
        process.kill()
    assert process.returncode == 3, errors
    assert "stopped on request" in errors or "first 5 edits" in errors
    (here / "mended").touch()
    run = resume("run", jobs=1, progress=False)
    assert run.coverage == {"ok": 12}


@pytest.mark.slow
def test_failures_of_a_broken_editor_are_void_however_often_the_mended_run_is_stopped(
    small_set: Path, here: Path
) -> None:
    with pytest.raises(Stopped, match="first 5 edits"):
        es.run(es.load_suite("paintbench", root=small_set), spec("Slow"), out="run", jobs=1, progress=False)
    (here / "mended").touch()
    process = subprocess.Popen([sys.executable, "-m", "editscope", "resume", "run", "-j", "1"], stderr=subprocess.PIPE)
    try:
        until = time.monotonic() + 300
        while time.monotonic() < until and not any(line["status"] == "ok" for line in edits(here / "run")):
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=300)
    finally:
        process.kill()
    assert es.open_run("run").coverage.get("error", 0) == 0, "those of the broken editor do not count meanwhile"
    assert resume("run", jobs=1, progress=False).coverage == {"ok": 12}


class Inline(es.Editor):
    """Fails in the process of the run."""

    def edit(self, case: es.Request) -> Edit:
        raise ValueError("inline")


@pytest.mark.slow
def test_an_editor_object_is_told_how_to_go_on_in_python(small_set: Path, tmp_path: Path) -> None:
    class Local(Inline):
        pass

    with pytest.raises(Stopped, match=r"(?s)editscope\.run\(suite, editor, out=.*keep_going=True") as stop:
        es.run(es.load_suite("paintbench", root=small_set), Local(), out=tmp_path / "run", jobs=1, progress=False)
    assert "editscope resume" not in str(stop.value)


@pytest.mark.slow
@pytest.mark.parametrize(("reply", "status"), [("It is rather nice.", "unparsed"), ({"wrong": "field"}, "unparsed")])
def test_a_judge_whose_first_five_verdicts_fail_alike_stops_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reply: Any, status: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    make_picabench(tmp_path / "data", 10, questions=1)
    suite = es.load_suite("picabench", root=tmp_path / "data")
    with JudgeServer(lambda asked: reply, keys=[KEY]) as server:
        options: dict[str, Any] = {"jobs": 1, "progress": False, "cache": "off", "concurrency": 1}
        with pytest.raises(Stopped, match=rf"the first 5 verdicts of \S+ all failed .*\({status}\)") as stop:
            es.run(suite, "ref:identity", judge=server.spec(), out=tmp_path / "run", **options)
        assert "--ask-again" in str(stop.value) and "errors.log" in str(stop.value)
        verdicts = [line for line in read_journal(tmp_path / "run") if line["step"] == "verdict"]
        assert 5 <= len(verdicts) < 10
        log = (tmp_path / "run/errors.log").read_text()
        assert log.count(f" {status}: ") == len(verdicts)
        run = resume(tmp_path / "run", jobs=1, progress=False, keep_going=True)
    assert run.complete and run.summary["verdicts"] == {"ok": 0, status: 10}


@pytest.mark.slow
def test_missing_files_of_a_folder_stop_nothing(small_set: Path, tmp_path: Path) -> None:
    (tmp_path / "outputs").mkdir()
    run = es.run(
        es.load_suite("paintbench", root=small_set),
        f"folder:{tmp_path / 'outputs'}",
        out=tmp_path / "run",
        progress=False,
    )
    assert run.coverage == {"ok": 0, "no_output": 12}


def test_old_journals_without_reasons_are_counted_too() -> None:
    line = {"status": "error", "reason": None, "case": "a", "variant": ""}
    results = FirstResults()
    assert [results.edit(line) is not None for _ in range(5)] == [False] * 4 + [True]
