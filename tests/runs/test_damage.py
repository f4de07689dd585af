"""Damage on disk is said and never scored: a run folder that goes, edits and lines that were changed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PIL import Image

import editscope as es
from editscope.errors import BadInput, Stopped
from editscope.results.archive.pack import pack
from editscope.runfolder.journal import read_journal
from editscope.runs.judging.settings import Limits
from editscope.runs.measure import measure_run
from editscope.runs.plan import plan_again
from editscope.runs.rescore import plan_rescore
from editscope.runs.start import execute, resume
from support.judged_data import make_picabench
from support.run_surgery import age, read, write
from support.servers.judge_server import KEY, JudgeServer

pytestmark = pytest.mark.slow

YES = {"answer": "Yes", "reason": "it is"}
LOGGING = """
import os, time
import editscope as es

class Logging(es.Editor):
    def estimate(self, edits, images=1):
        return None  # they cost money
    def edit(self, case):
        with open(os.environ["CALLS"], "a") as log:
            print(case.case_id, file=log)
        time.sleep(0.05)
        return case.arrays[0] ^ 3
"""


def wait_until(what: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    until = time.monotonic() + 600
    while not what() and process.poll() is None and time.monotonic() < until:
        time.sleep(0.005)


@pytest.mark.parametrize("replaced", [False, True], ids=["removed", "replaced"])
def test_a_run_whose_folder_goes_stops_and_pays_no_more(
    replaced: bool, tmp_path: Path, make_set: Callable[..., Path]
) -> None:
    make_set(tmp_path / "set", per_task=15)
    (tmp_path / "logging_editor.py").write_text(LOGGING)
    calls, run = tmp_path / "calls.txt", tmp_path / "run"
    what = ["run", "paintbench", "--data", "set", "--editor", "python:logging_editor:Logging", "--out", "run", "--yes"]
    process = subprocess.Popen(
        [sys.executable, "-m", "editscope", *what, "--jobs", "1", "--quiet"],
        cwd=tmp_path,
        env={**os.environ, "CALLS": str(calls)},
        text=True,
        stderr=subprocess.PIPE,
    )
    wait_until(lambda: len(read_journal(run)) >= 4, process)
    run.rename(tmp_path / "gone")
    if replaced:
        run.mkdir()
    paid = len(calls.read_text().split())
    _, said = process.communicate(timeout=600)
    assert process.returncode == 3, said
    assert said.strip().endswith("was removed or replaced while it was being written; nothing is left to resume")
    assert len(calls.read_text().split()) <= paid + 3 < 60  # what was in hand, and what is asked before the next tick
    assert list(run.rglob("*")) == [] if replaced else not run.exists()


def test_a_judged_run_whose_folder_goes_asks_no_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    data = make_picabench(tmp_path / "data", 30, questions=1)
    run = tmp_path / "run"
    with JudgeServer(lambda asked: YES, latency=0.1) as server:
        what = ["run", "picabench", "--data", "data", "--editor", f"folder:{data / 'input_img'}", "--out", "run"]
        how = ["--judge", server.spec(), "--cache", "off", "--jobs", "1", "--concurrency", "1", "--quiet"]
        command = [sys.executable, "-m", "editscope", *what, *how]
        process = subprocess.Popen(command, cwd=tmp_path, text=True, stderr=subprocess.PIPE)
        wait_until(lambda: server.calls >= 3, process)
        run.rename(tmp_path / "gone")  # at once: what is written while a tree is being removed would stay in it
        shutil.rmtree(tmp_path / "gone", ignore_errors=True)
        asked = server.calls
        _, said = process.communicate(timeout=600)
        assert (process.returncode, "nothing is left to resume" in said) == (3, True), said
        assert server.calls <= asked + 5 < 30
    assert not run.exists()


# --- edits that were changed ----------------------------------------------------------------------


class Judged:
    """A run by pixels of stored edits, and a judge who could be asked about them."""

    def __init__(self, folder: Path, server: JudgeServer) -> None:
        from support.small_sets import make_small_set

        self.folder, self.server = folder, server
        suite = es.load_suite("paintbench", root=make_small_set(folder / "set", per_task=1))
        self.made = es.run(suite, "ref:drift", out=folder / "made", progress=False, jobs=1).path

    def rescore(self, run: Path, out: Path) -> es.Run:
        limits = Limits(cache="off")
        plan = plan_rescore(run, self.server.spec(), protocol="kris", out=out, limits=limits)
        return execute(plan, jobs=1)


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Judged]:
    with pytest.MonkeyPatch.context() as patch, JudgeServer() as server:
        patch.setenv("OPENAI_API_KEY", KEY)
        yield Judged(tmp_path_factory.mktemp("judged"), server)


@pytest.fixture
def run(judged: Judged, tmp_path: Path) -> Path:
    return Path(shutil.copytree(judged.made, tmp_path / "run"))


def no_picture(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:60])


def another_picture(path: Path) -> None:
    Image.new("RGB", (48, 48), (1, 2, 3)).save(path)


EDIT = "images/border/000_output.png"


@pytest.mark.parametrize("damage", [no_picture, another_picture, Path.unlink])
def test_a_damaged_edit_is_not_judged(
    damage: Callable[[Path], None], judged: Judged, run: Path, tmp_path: Path
) -> None:
    damage(run / EDIT)
    asked = judged.server.calls
    with pytest.raises(BadInput, match=f"{EDIT} is .*editscope resume .*run --edit-again"):
        judged.rescore(run, tmp_path / "again")
    assert judged.server.calls == asked
    assert not (tmp_path / "again").exists()


def test_an_edit_that_is_damaged_while_it_is_judged_stops_the_run(judged: Judged, run: Path, tmp_path: Path) -> None:
    plan = plan_rescore(run, judged.server.spec(), protocol="kris", out=tmp_path / "again", limits=Limits(cache="off"))
    no_picture(run / EDIT)
    with pytest.raises(Stopped, match=f"{EDIT} is not the file that was stored"):
        execute(plan, jobs=1)
    assert all(line["status"] == "ok" for line in read_journal(tmp_path / "again") if line["step"] == "edit")
    shutil.copy(judged.made / EDIT, run / EDIT)
    assert resume(tmp_path / "again", jobs=1, progress=False).coverage == {"ok": 4}


@pytest.mark.parametrize("damage", [no_picture, another_picture])
def test_a_damaged_edit_is_not_scored_packed_or_measured_and_can_be_made_again(
    damage: Callable[[Path], None], judged: Judged, run: Path
) -> None:
    write(run, [line for line in read(run) if not (line["step"] == "score" and line["case"] == "border/000")])
    whole = (run / EDIT).read_bytes()
    damage(run / EDIT)
    with pytest.raises(Stopped, match=f"{EDIT} is not the edit that was stored there.*--edit-again"):
        resume(run, jobs=1, progress=False)
    with pytest.raises(BadInput, match=f"{EDIT} is not the edit that was stored"):
        pack(run)
    assert not run.with_suffix(".zip").exists()
    done = execute(plan_again(run, edit_again=("error",)), jobs=1)
    assert done.summary["overall"] == es.open_run(judged.made).summary["overall"]
    assert (run / EDIT).read_bytes() == whole
    damage(run / EDIT)
    with pytest.raises(BadInput, match=f"{EDIT} is not the edit that was stored"):
        measure_run(run, {"psnr": ""}, jobs=1)
    made = [line["case"] for line in read(run) if line["step"] == "edit"]
    assert sorted(made) == sorted([*{*made}, "border/000"]), "another edit was made again too"


def test_an_edit_of_the_first_version_that_does_not_decode_is_damage_too(
    judged: Judged, run: Path, tmp_path: Path
) -> None:
    age(run)
    no_picture(run / EDIT)
    with pytest.raises(BadInput, match=f"{EDIT} is not a whole picture any more"):
        judged.rescore(run, tmp_path / "again")


def test_an_edit_that_was_put_into_a_folder_anew_is_taken_as_it_is_today(
    small_set: Path, small_outputs: Path, tmp_path: Path
) -> None:
    suite = es.load_suite("paintbench", root=small_set)
    run = es.run(suite, f"folder:{small_outputs}", out=tmp_path / "run", progress=False, jobs=1).path
    write(run, [line for line in read(run) if not (line["step"] == "score" and line["case"] == "border/000")])
    another_picture(small_outputs / "border/0000_output.png")
    assert resume(run, jobs=1, progress=False).case("border/000").metrics["miou"] < 1


# --- lines that were changed ----------------------------------------------------------------------


def changed(run: Path, old: bytes, new: bytes) -> int:
    """Change the first line that has these bytes; its number."""
    lines = (run / "journal.jsonl").read_bytes().splitlines(keepends=True)
    number = next(n for n, line in enumerate(lines) if old in line)
    lines[number] = lines[number].replace(old, new)
    (run / "journal.jsonl").write_bytes(b"".join(lines))
    return number + 1


def test_a_line_that_was_changed_is_named_and_not_used(run: Path) -> None:
    number = changed(run, b'"miou":0.', b'"miou":0.9')
    for read_it in (lambda: es.open_run(run).summary, lambda: resume(run, progress=False), lambda: pack(run)):
        with pytest.raises(BadInput, match=rf"journal\.jsonl: line {number} was changed after it was written"):
            read_it()


def test_a_line_that_says_the_same_in_other_spaces_is_accepted(judged: Judged, run: Path) -> None:
    import json

    lines = [json.dumps(json.loads(line)) for line in (run / "journal.jsonl").read_text().splitlines()]
    (run / "journal.jsonl").write_text("\n".join(lines) + "\n")
    assert es.open_run(run).summary["overall"] == es.open_run(judged.made).summary["overall"]


def test_a_line_that_lost_its_checksum_among_lines_that_have_one_is_named(run: Path) -> None:
    import json

    lines = [json.loads(line) for line in (run / "journal.jsonl").read_text().splitlines()]
    del lines[2]["sum"]
    (run / "journal.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    with pytest.raises(BadInput, match=r"journal\.jsonl: line 3 has lost its checksum"):
        _ = es.open_run(run).summary


def test_deleting_the_line_that_is_named_has_its_step_done_again(judged: Judged, run: Path) -> None:
    number = changed(run, b'"step":"edit"', b'"step": "edit","x":1')
    lines = (run / "journal.jsonl").read_bytes().splitlines(keepends=True)
    (run / "journal.jsonl").write_bytes(b"".join(lines[: number - 1] + lines[number:]))
    assert resume(run, jobs=1, progress=False).summary["overall"] == es.open_run(judged.made).summary["overall"]
