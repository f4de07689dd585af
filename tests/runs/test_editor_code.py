"""A run whose editor's code has changed says so, keeps what it has, and can make it again."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import editscope as es
from editscope.editors import load_editor
from editscope.errors import BadInput, Stopped
from editscope.runfolder.code_versions import versions_in_words
from editscope.runfolder.journal import read_journal
from editscope.runfolder.run_json import read_info
from editscope.runs.editor_code import code_of
from editscope.runs.plan import plan_again
from editscope.runs.start import resume
from support.command_line import Called

Cli = Callable[..., Called]

FIRST = """
import editscope as es

class Model(es.Editor):
    def edit(self, case):
        return case.images[0]
"""
SECOND = FIRST.replace("return", "# better\n        return")
BROKEN = FIRST.replace("return", "raise ValueError('broken')\n        return")
NOTE = "ver.py has changed since {}; they keep their scores. To make them again: editscope resume run"


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Write ver.py, in a new current folder; the module is loaded anew."""
    folder = tmp_path / "models"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(folder)

    def write(text: str) -> None:
        (folder / "ver.py").write_text(text)
        sys.modules.pop("ver", None)
        importlib.invalidate_caches()

    return write


@pytest.fixture
def suite(small_set: Path) -> es.Suite:
    return es.load_suite("paintbench", root=small_set)


def run(suite: es.Suite, **more: Any) -> es.Run:
    return es.run(suite, "python:ver:Model", out="run", jobs=1, progress=False, **more)


def keep_edits(kept: int) -> None:
    """Leave the first edits of the journal, as a kill would, and no tables."""
    journal, n = Path("run/journal.jsonl"), 0
    lines = []
    for line in journal.read_bytes().splitlines(keepends=True):
        n += json.loads(line)["step"] == "edit"
        if n > kept:
            break
        lines.append(line)
    journal.write_bytes(b"".join(lines))
    for name in ("summary.json", "scores.parquet"):
        Path("run", name).unlink()


def test_the_code_of_an_editor_is_the_file_of_its_class(write: Callable[[str], None]) -> None:
    write(FIRST)
    first = code_of(load_editor("python:ver:Model"))
    wrapped = code_of(load_editor("resize(8x8):python:ver:Model"))
    assert first is not None and first.file == "ver.py" and wrapped == first
    write(SECOND)
    second = code_of(load_editor("python:ver:Model"))
    assert second is not None and second.hash != first.hash
    write(FIRST)
    assert code_of(load_editor("python:ver:Model")) == first


def test_editors_of_editscope_have_no_code_and_a_worker_has_that_of_its_script(write: Callable[[str], None]) -> None:
    write(FIRST)
    assert code_of(load_editor("ref:identity")) is None
    worker = code_of(load_editor("worker:python ver.py"))
    assert worker is not None and worker.file == "ver.py"


def test_a_class_may_name_more_files(write: Callable[[str], None]) -> None:
    write(FIRST + "    def source_files(self):\n        return (*super().source_files(), 'weights.txt')\n")
    Path("weights.txt").write_text("1")
    first = code_of(load_editor("python:ver:Model"))
    Path("weights.txt").write_text("2")
    second = code_of(load_editor("python:ver:Model"))
    assert first is not None and second is not None
    assert first.file == "ver.py and weights.txt" and first.hash != second.hash
    write(FIRST + "    def source_files(self):\n        raise KeyError('x')\n")
    with pytest.raises(BadInput, match="editor Model: its source_files failed"):
        code_of(load_editor("python:ver:Model"))


@pytest.mark.slow
def test_a_finished_run_says_that_the_code_has_changed_since(
    write: Callable[[str], None], suite: es.Suite, capfd: pytest.CaptureFixture[str]
) -> None:
    write(FIRST)
    first = run(suite)
    assert "note" not in capfd.readouterr().err
    write(SECOND)
    again = run(suite)
    said = " ".join(capfd.readouterr().err.split())
    assert NOTE.format("12 edits were made") + " --edit-again-changed" in said
    assert again.summary == first.summary and "code_versions" not in again.summary
    assert len(read_info(Path("run"))["editor"]["code"]) == 1, "the second version has made no edit"


@pytest.mark.slow
def test_edits_of_two_versions_are_told_apart_and_those_of_the_first_can_be_made_again(
    write: Callable[[str], None], suite: es.Suite, capfd: pytest.CaptureFixture[str]
) -> None:
    write(FIRST)
    run(suite)
    keep_edits(5)
    write(SECOND)
    mixed = resume("run", jobs=1, progress=False)
    assert NOTE.format("5 of 12 edits were made") in " ".join(capfd.readouterr().err.split())
    versions = mixed.summary["code_versions"]
    assert [(version["file"], version["edits"]) for version in versions] == [("ver.py", 5), ("ver.py", 7)]
    sentence = "edits were made by 2 versions of ver.py: 5 by the first, 7 by the second"
    assert versions_in_words(mixed.summary) == sentence
    assert versions_in_words(es.open_run("run").summary) == sentence
    recorded = read_info(Path("run"))["editor"]["code"]
    assert [version["hash"] for version in recorded] == [version["hash"] for version in versions]
    assert all(set(version) == {"hash", "file", "from"} for version in recorded)

    whole = resume("run", jobs=1, progress=False, edit_again=["changed"])
    assert capfd.readouterr().err == "" and whole.complete and "code_versions" not in whole.summary
    assert sum(line["step"] == "edit" for line in read_journal(Path("run"))) == 12 + 5
    resume("run", jobs=1, progress=False, edit_again=["changed"])
    assert sum(line["step"] == "edit" for line in read_journal(Path("run"))) == 12 + 5, "none is left of the first"


@pytest.mark.slow
def test_nothing_is_said_where_a_broken_editor_was_mended_before_any_edit_worked(
    write: Callable[[str], None], suite: es.Suite, capfd: pytest.CaptureFixture[str]
) -> None:
    write(BROKEN)
    with pytest.raises(Stopped):
        run(suite)
    capfd.readouterr()
    write(FIRST)
    mended = resume("run", jobs=1, progress=False)
    assert capfd.readouterr().err == "" and mended.complete and "code_versions" not in mended.summary
    assert resume("run", jobs=1, progress=False).complete and capfd.readouterr().err == ""
    assert len(read_info(Path("run"))["editor"]["code"]) == 2


@pytest.mark.slow
def test_a_run_of_a_version_that_recorded_no_code_goes_on_in_silence(
    write: Callable[[str], None], suite: es.Suite, capfd: pytest.CaptureFixture[str]
) -> None:
    write(FIRST)
    run(suite)
    keep_edits(5)
    journal = Path("run/journal.jsonl")
    lines = [json.loads(line) for line in journal.read_text().splitlines()]
    bare = [{name: value for name, value in line.items() if name not in ("code", "sum")} for line in lines]
    journal.write_text("".join(json.dumps(line) + "\n" for line in bare))
    info = read_info(Path("run"))
    del info["editor"]["code"]
    Path("run/run.json").write_text(json.dumps(info))
    write(SECOND)
    done = resume("run", jobs=1, progress=False)
    assert done.complete and "code_versions" not in done.summary and capfd.readouterr().err == ""
    assert [version["file"] for version in read_info(Path("run"))["editor"]["code"]] == ["ver.py"]


@pytest.mark.slow
def test_edits_cannot_be_made_again_for_code_that_nobody_knows(suite: es.Suite, tmp_path: Path) -> None:
    es.run(suite, "ref:identity", out=tmp_path / "run", limit=4, progress=False)
    with pytest.raises(BadInput, match="--edit-again-changed is for editors whose code Editscope knows"):
        plan_again(tmp_path / "run", edit_again=("changed",))


def test_commands_and_the_report_say_which_versions_made_the_edits(
    small_set: Path, tmp_path: Path, editscope: Cli
) -> None:
    here = tmp_path / "here"
    (here / "ver.py").write_text(FIRST)
    command = ("run", "paintbench", "--data", small_set, "-e", "python:ver:Model", "--out", "run", "-j", "1")
    assert editscope(*command).returncode == 0
    journal = here / "run/journal.jsonl"
    journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:6]))
    (here / "ver.py").write_text(SECOND)
    dry = editscope("resume", "run", "--dry-run").stdout
    assert " note: ver.py has changed since " in dry and "--edit-again-changed" in dry
    sentence = "edits were made by 2 versions of ver.py"
    again = editscope(*command)
    assert " note: ver.py has changed since " in again.stdout and f" note: {sentence}: " in again.stdout
    assert sentence in editscope("show", "run").stdout
    assert editscope("report", "run", "--out", "report.html").returncode == 0
    assert sentence in (here / "report.html").read_text()
    assert sentence not in editscope("resume", "run", "--edit-again-changed").stdout
