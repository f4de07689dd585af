"""The last lines of a run: what failed and why, how to make it again, and outputs of another size."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

import editscope as es
from editscope.cli.app import main
from editscope.results import open_runs
from editscope.results.stored_tables import STAMP
from editscope.runs.start import resume

Capsys = pytest.CaptureFixture[str]

FLAKY = """
from pathlib import Path
import editscope as es

class Flaky(es.Editor):
    def edit(self, case):
        if case.case_id.startswith("border") and not Path("mended").exists():
            raise KeyError("unet")
        return case.images[0]

class Small(es.Editor):
    def edit(self, case):
        return case.images[0].resize((24, 24))
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "outcome_models.py").write_text(FLAKY)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def called(capsys: Capsys, *arguments: object) -> list[str]:
    """What a command prints."""
    with suppress(SystemExit):
        main([*map(str, arguments)])
    shown = capsys.readouterr()
    return [*shown.out.splitlines(), *shown.err.splitlines()]


def flaky(small_set: Path) -> list[object]:
    return ["paintbench", "--data", small_set, "-e", "python:outcome_models:Flaky", "--out", "run", "-j", "1"]


@pytest.mark.slow
def test_failed_edits_are_counted_explained_and_followed_by_the_command_that_makes_them_again(
    small_set: Path, here: Path, capsys: Capsys
) -> None:
    lines = called(capsys, "run", *flaky(small_set), "--keep-going")
    first = lines.index(" 3 edits failed (error 3); each counts as 0")
    assert lines[first + 1] == " 3 × KeyError: 'unet'"
    again = " to make failed edits again: editscope resume run --edit-again"
    assert again in lines and " every failure with its reason: run/errors.log" in lines

    lines = called(capsys, "resume", "run")
    assert " run has 12 cases already, 0 to do" in lines and again in lines
    (here / "mended").touch()
    lines = called(capsys, *again.partition("editscope ")[2].split())
    assert es.open_run("run").coverage == {"ok": 12}
    assert not [line for line in lines if "failed" in line or "errors.log" in line]  # the old failures do not count


@pytest.mark.slow
def test_every_reason_of_missing_outputs_is_named(
    small_set: Path, small_outputs: Path, here: Path, capsys: Capsys
) -> None:
    files = sorted(small_outputs.rglob("*.png"))
    whole = files[0].read_bytes()
    files[0].write_bytes(b"")
    files[1].unlink()
    files[2].unlink()
    lines = called(
        capsys, "score", "paintbench", "--data", small_set, "--outputs", small_outputs, "--out", "run", "-j", "1"
    )
    first = lines.index(" 3 edits failed (no_output 3); each counts as 0")
    assert lines[first + 1] == " 2 × no file for this case"
    assert lines[first + 2].startswith(" 1 × ") and files[0].name in lines[first + 2]
    files[0].write_bytes(whole)
    assert " to make failed edits again: editscope resume run --edit-again-all" in lines
    called(capsys, "resume", "run", "--edit-again-all")
    assert es.open_run("run").coverage == {"ok": 10, "no_output": 2}


@pytest.mark.slow
def test_a_run_from_python_says_what_failed(small_set: Path, here: Path, capsys: Capsys) -> None:
    suite = es.load_suite("paintbench", root=small_set)
    run = es.run(suite, "python:outcome_models:Flaky", out="run", jobs=1, keep_going=True)
    shown = capsys.readouterr().err.splitlines()
    assert " 3 edits failed (error 3); each counts as 0" in shown and " 3 × KeyError: 'unet'" in shown
    assert repr(run) == "<Run run: paintbench, Flaky, 12 of 12 cases (9 ok, 3 error)>"
    (here / "mended").touch()
    mended = resume("run", jobs=1, edit_again=["error"])
    assert "failed" not in capsys.readouterr().err
    assert repr(mended) == "<Run run: paintbench, Flaky, 12 of 12 cases>"


@pytest.mark.slow
def test_outputs_of_another_size_are_counted_wherever_a_run_is_summed_up(
    small_set: Path, here: Path, capsys: Capsys
) -> None:
    sentence = " 12 outputs of 12 came in another size than asked and were fitted to the answer before scoring"
    suite = es.load_suite("paintbench", root=small_set)
    run = es.run(suite, "python:outcome_models:Small", out="run", jobs=1)
    assert sentence in capsys.readouterr().err.splitlines()
    assert run.summary["resized"] == 12 and set(run.rows()["resized"]) == {True}
    assert sentence in called(capsys, "show", "run")
    assert sentence in called(capsys, "resume", "run")
    assert json.loads("\n".join(called(capsys, "show", "run", "--json")))["summary"]["resized"] == 12


@pytest.mark.slow
def test_a_summary_of_earlier_rules_gets_its_count_and_no_remark(
    small_set: Path, here: Path, capsys: Capsys, make_older: Callable[[Path], None]
) -> None:
    suite = es.load_suite("paintbench", root=small_set)
    es.run(suite, "python:outcome_models:Small", out="run", jobs=1, progress=False)
    make_older(Path("run"))
    assert "resized" not in json.loads(Path("run/summary.json").read_text())
    run = es.open_run("run")
    assert (run.summary["resized"], run.remark) == (12, "")
    assert json.loads(Path("run/summary.json").read_text())["resized"] == 12


@pytest.mark.slow
def test_a_folder_of_runs_stands_for_all_of_them(small_set: Path, here: Path, capsys: Capsys) -> None:
    two = ("-e", "ref:noise", "-e", "ref:drift", "--out", "two", "-j", "1", "--limit", "4")
    lines = called(capsys, "run", "paintbench", "--data", small_set, *two)
    assert " again: editscope compare two" in lines and " report of all runs: editscope report two" in lines
    assert [run.path for run in open_runs("two")] == [Path("two/ref-noise"), Path("two/ref-drift")]  # as they were run
    by_folder = called(capsys, "compare", "two", "--csv")
    assert by_folder == called(capsys, "compare", "two/ref-noise", "two/ref-drift", "--csv")
    assert called(capsys, "report", "two")[-1:] == ["two/report.html"]
    (message,) = called(capsys, "show", "two")
    assert "two is not a run, but holds 2 runs: two/ref-noise, two/ref-drift" in message
    assert "editscope compare two" in message
    (message,) = called(capsys, "compare", "two/ref-noise")
    assert "needs at least two runs" in message


@pytest.mark.slow
def test_a_folder_of_other_cases_says_which_in_words(small_set: Path, here: Path, capsys: Capsys) -> None:
    suite = es.load_suite("paintbench", root=small_set)
    es.run(suite, "ref:noise", out="run", limit=2, jobs=1, progress=False)
    arguments = ("run", "paintbench", "--data", small_set, "-e", "ref:noise", "--out", "run")
    (message,) = called(capsys, *arguments, "--limit", "3")
    assert "run holds another run, with 2 cases (asked: 3 cases); give another --out, or resume" in message
    assert message.endswith("editscope resume run")
    (message,) = called(capsys, *arguments, "--limit", "2", "--where", "task=removal,border")
    assert "with 2 cases (asked: 2 cases of task" in message


@pytest.fixture
def make_older() -> Callable[[Path], None]:
    """Write the summary of a run as it was before outputs of another size were counted."""
    from editscope.results import stored_tables
    from editscope.runfolder.run_json import read_info

    def rewrite(folder: Path) -> None:
        content = json.loads((folder / "summary.json").read_text())
        stamp = content.pop(STAMP)
        del content["resized"]
        settings = stored_tables._settings_hash(read_info(folder), stored_tables.OLDER_RULES[-1])
        stamp |= {"settings": settings, "summary": stored_tables._content_hash(content)}
        (folder / "summary.json").write_text(json.dumps({**content, STAMP: stamp}))

    return rewrite
