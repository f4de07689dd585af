"""Tables follow from the journal that is there: whatever was killed, changed by hand or lost, they are made again."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import editscope as es
from drills import counts
from editscope.cli import main
from editscope.results.archive.pack import pack
from editscope.results.archive.verify import check_archive
from editscope.runfolder.journal import Journal
from editscope.runs.start import resume
from support.run_results import summary_but_speed
from support.run_surgery import age, read, write

pytestmark = pytest.mark.slow

KILLS = counts.times(usual=3, full=20)
"""At how many moments between the last line and the finished tables a run is killed."""

MOODY = """
import os
import editscope as es

class Moody(es.Editor):
    def edit(self, case):
        if os.path.exists(os.environ["BROKEN"]) and case.case_id.startswith("border"):
            raise RuntimeError("out of order")
        return case.arrays[0] ^ 3
"""

KILLED = """
import os, signal, sys
from editscope.runs import start

moment, total = int(sys.argv[1]), 0

def count(frame, event, argument):
    global total
    if event == "call" and "editscope" in frame.f_code.co_filename:
        total += 1
        if total == moment:
            os.kill(os.getpid(), signal.SIGKILL)

finish = start._finish

def watched(*arguments):
    sys.setprofile(count)
    finish(*arguments)
    sys.setprofile(None)
    print("moments", total)

start._finish = watched
from editscope.cli import main
main(sys.argv[2:])
"""


class Site:
    """A finished run of which three edits failed, and a way to kill what goes on with it."""

    def __init__(self, folder: Path, data: Path) -> None:
        self.folder = folder
        (folder / "moody.py").write_text(MOODY)
        self.broken = folder / "broken"
        self.broken.touch()
        self.env = {**os.environ, "BROKEN": str(self.broken), "PYTHONPATH": str(folder)}
        code = self.call(0, "run", "paintbench", "--data", str(data), "--editor", "python:moody:Moody", "--out", "run")
        assert code[0] == 1
        self.broken.unlink()

    def call(self, moment: int, *arguments: str) -> tuple[int, int]:
        """The exit code, and how many moments there were."""
        command = [sys.executable, "-c", KILLED, str(moment), *arguments, "--jobs", "1"]
        done = subprocess.run(command, cwd=self.folder, env=self.env, capture_output=True, text=True, timeout=600)
        assert "Traceback" not in done.stderr, done.stderr
        moments = [int(line.split()[1]) for line in done.stdout.splitlines() if line.startswith("moments")]
        return done.returncode, moments[0] if moments else 0


@pytest.mark.drill
def test_a_kill_before_the_tables_are_written_leaves_no_old_scores(
    tmp_path: Path, make_set: Callable[..., Path]
) -> None:
    site = Site(tmp_path, make_set(tmp_path / "set"))
    old = summary_but_speed(tmp_path / "run")
    for name in ("whole", "base"):
        shutil.copytree(tmp_path / "run", tmp_path / name)
    code, moments = site.call(0, "resume", "whole", "--edit-again")
    assert code == 0
    wanted = summary_but_speed(tmp_path / "whole")
    assert wanted["overall"] != old["overall"] and wanted["coverage"] == {"ok": 12}
    for kill in range(KILLS):
        shutil.rmtree(tmp_path / "run")
        shutil.copytree(tmp_path / "base", tmp_path / "run")
        moment = 1 + kill * (moments - 1) // max(1, KILLS - 1)
        assert site.call(moment, "resume", "run", "--edit-again")[0] == -signal.SIGKILL
        shutil.copytree(tmp_path / "run", tmp_path / f"looked{kill}")
        # Whoever only looks sees the new scores; and so does who resumes.
        assert es.open_run(tmp_path / f"looked{kill}").summary["overall"] == wanted["overall"]
        assert summary_but_speed(tmp_path / f"looked{kill}") == wanted
        resume(tmp_path / "run", jobs=1, progress=False)
        assert summary_but_speed(tmp_path / "run") == wanted


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run whose edits lie in it."""
    folder = tmp_path_factory.mktemp("finished")
    from support.small_sets import make_small_set

    make_small_set(folder / "set", per_task=1)
    suite = es.load_suite("paintbench", root=folder / "set")
    return es.run(suite, "ref:drift", out=folder / "run", progress=False, jobs=1).path


@pytest.fixture
def run(finished: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return Path(shutil.copytree(finished, tmp_path / "run"))


def better(run: Path) -> None:
    said = json.loads((run / "summary.json").read_text())
    said["overall"]["miou"]["mean"] = 99.9
    (run / "summary.json").write_text(json.dumps(said))


def other_journal(run: Path) -> None:
    """A score that was written after the tables."""
    lines = read(run)
    last = next(line for line in reversed(lines) if line["step"] == "score")
    write(run, [*lines, {**last, "metrics": {**last["metrics"], "miou": 0.0}}])


SPOILED: dict[str, Callable[[Path], object]] = {
    "a better mean": better,
    "empty": lambda run: (run / "summary.json").write_bytes(b""),
    "nothing in it": lambda run: (run / "summary.json").write_bytes(b"{}"),
    "a list": lambda run: (run / "summary.json").write_bytes(b"[1]"),
    "no UTF-8": lambda run: (run / "summary.json").write_bytes(b'{"suite": "\xff"}'),
    "no summary": lambda run: (run / "summary.json").unlink(),
    "no scores": lambda run: (run / "scores.parquet").unlink(),
    "scores cut short": lambda run: os.truncate(run / "scores.parquet", 100),
    "another journal": other_journal,
}


@pytest.mark.parametrize("what", SPOILED)
def test_tables_that_do_not_follow_from_the_journal_are_made_again_by_whoever_looks(
    what: str, run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    SPOILED[what](run)
    shown = Path(shutil.copytree(run, tmp_path / "shown"))
    packed = pack(Path(shutil.copytree(run, tmp_path / "packed")))
    held = Path(shutil.copytree(run, tmp_path / "held"))
    with Journal(held):  # somebody writes it: readers look, and change nothing
        before = (held / "journal.jsonl").read_bytes(), sorted(held.iterdir())
        looked = es.open_run(held).summary
        assert ((held / "journal.jsonl").read_bytes(), sorted(held.iterdir())) == before
    resume(run, jobs=1, progress=False)
    wanted = summary_but_speed(run)
    assert looked["overall"] == wanted["overall"]
    with pytest.raises(SystemExit) as ended:
        main(["show", str(shown)])
    assert not ended.value.code
    silent = what in ("no summary", "no scores", "scores cut short")  # no figure that somebody may have seen was wrong
    assert ("made again" in capsys.readouterr().err) is not silent
    assert summary_but_speed(shown) == wanted
    assert pq.read_table(shown / "scores.parquet").equals(pq.read_table(run / "scores.parquet"))
    assert check_archive(packed.path).problems == ()
    assert es.open_run(packed.path).remark == ""


def test_a_mean_that_was_made_better_is_said(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    better(run)
    for command in (["report", str(run), "--out", str(run / "r.md")], ["compare", str(run), str(run)]):
        with pytest.raises(SystemExit) as ended:
            main(command)
        assert not ended.value.code
        said = capsys.readouterr().err
        assert ("its tables did not follow from its journal and were made again" in said) is (command[0] == "report")


def test_tables_say_which_journal_they_are_from(run: Path) -> None:
    journal = (run / "journal.jsonl").read_bytes()
    stamp = json.loads((run / "summary.json").read_text())["made_from"]
    assert stamp["journal"]["bytes"] == len(journal)
    assert stamp["journal"]["lines"] == journal.count(b"\n")
    said = json.loads(pq.read_schema(run / "scores.parquet").metadata[b"editscope"])
    assert said["made_from"]["journal"] == stamp["journal"]


def test_tables_that_hold_are_not_written_again(run: Path) -> None:
    before = {path.name: path.stat().st_mtime_ns for path in run.iterdir() if path.is_file()}
    assert es.open_run(run).remark == ""
    resume(run, jobs=1, progress=False)
    assert {path.name: path.stat().st_mtime_ns for path in run.iterdir() if path.is_file()} == before


def test_a_run_of_the_first_version_opens_and_gets_its_stamp(finished: Path, run: Path) -> None:
    age(run)
    opened = es.open_run(run)
    assert opened.summary["overall"] == es.open_run(finished).summary["overall"]
    assert opened.remark == ""  # its figures were right
    assert "made_from" in json.loads((run / "summary.json").read_text())
    assert check_archive(pack(run).path).problems == ()
    assert resume(run, jobs=1, progress=False).complete


def test_an_archive_whose_summary_is_not_its_journals_shows_what_follows_from_the_journal(
    finished: Path, run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EDITSCOPE_CACHE", str(tmp_path / "cache"))
    opened = es.open_run(pack(run).path)
    better(opened.path)
    assert opened.summary["overall"] == es.open_run(finished).summary["overall"]
    assert "the files stay as they are" in opened.remark
    assert json.loads((opened.path / "summary.json").read_text())["overall"]["miou"]["mean"] == 99.9


def test_measures_of_an_edit_that_was_made_again_are_not_used(run: Path) -> None:
    from editscope.results.classic_measures import averages
    from editscope.runs.measure import measure_run

    measure_run(run, {"psnr": ""}, jobs=1)
    assert averages(es.open_run(run))
    lines = read(run)
    last = next(line for line in reversed(lines) if line["step"] == "score")
    evidence: dict[str, Any] = {**last["evidence"], "hits": [0] * 11}
    write(run, [*lines, {**last, "evidence": evidence}])
    with pytest.raises(es.EditscopeError, match="does not have all edits of the run as they are now"):
        averages(es.open_run(run))
    measure_run(run, {"psnr": ""}, jobs=1)
    assert averages(es.open_run(run))
