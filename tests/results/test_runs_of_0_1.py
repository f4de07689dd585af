"""Runs and an archive that version 0.1 wrote: they open, and their figures are those that 0.1 said."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import pytest

import editscope as es
from support import command_line
from support.places import DATA
from support.recorded.data import write_sets

RUNS = DATA / "runs_0.1"
NAMES = ("pixels", "repeats", "picabench", "worldedit")
JUDGED = ("picabench", "worldedit")
ARCHIVE = "picabench.zip"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDITSCOPE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "160")


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """The runs in a folder of the test's own: whoever reads an old run may write its tables anew."""
    return Path(shutil.copytree(RUNS, tmp_path / "old"))


def called(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, str]:
    """Exit code and output of a command; what it prints as an error is shown by the test that fails."""
    code, written, complaint = command_line.called(capsys, *arguments)
    return code, written + complaint


def written(name: str) -> dict[str, Any]:
    """The summary that 0.1 wrote."""
    summary: dict[str, Any] = json.loads((RUNS / name / "summary.json").read_text(encoding="utf-8"))
    return summary


def means(summary: dict[str, Any]) -> dict[str, tuple[float | None, int]]:
    """Mean and number of cases of every figure of a summary. Intervals are left out: they are made another way now."""
    figures = {name: (figure["mean"], figure["n"]) for name, figure in summary["overall"].items()}
    rows = {f"{row['by']} {row['key']} {row['metric']}": (row["mean"], row["n"]) for row in summary["groups"]}
    return figures | rows


@pytest.mark.slow
@pytest.mark.parametrize("name", [*NAMES, ARCHIVE])
def test_a_run_of_0_1_has_the_means_that_0_1_said(name: str, old: Path) -> None:
    run = es.open_run(old / name)
    before = written(Path(name).stem)
    assert run.complete
    assert run.coverage == before["coverage"]
    assert {key: run.summary[key] for key in ("suite", "editor", "judge", "n_cases")} == {
        key: before[key] for key in ("suite", "editor", "judge", "n_cases")
    }
    now = means(run.summary)
    for figure, (mean, n) in means(before).items():
        assert now[figure][0] == pytest.approx(mean, abs=1e-6), figure
        assert now[figure][1] == n, figure


@pytest.mark.parametrize("name", JUDGED)
def test_a_judged_run_of_0_1_keeps_its_verdicts_and_what_they_cost(name: str, old: Path) -> None:
    run, before = es.open_run(old / name), written(name)
    assert run.summary["verdicts"] == before["verdicts"]
    assert run.summary["spent"] == before["spent"]
    assert run.summary["snapshots"] == before["snapshots"]


@pytest.mark.parametrize("name", NAMES)
def test_every_case_of_a_run_of_0_1_has_its_pictures(name: str, old: Path) -> None:
    for record in es.open_run(old / name).records():
        assert "input" in record.thumbs
        assert all(path.is_file() for path in record.thumbs.values())
        assert record.image is None or record.image.is_file()


@pytest.mark.slow
@pytest.mark.parametrize("name", [*NAMES, ARCHIVE])
def test_show_and_report_take_a_run_of_0_1(name: str, old: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, shown = called(capsys, "show", old / name)
    assert code == 0, shown
    mean = next(iter(written(Path(name).stem)["overall"].values()))["mean"]
    assert f"{mean:.1f}" in shown or f"{mean:.2f}" in shown
    case = es.open_run(old / name).records()[0].case_id
    code, shown = called(capsys, "show", old / name, case)
    assert code == 0, shown
    for ending in ("html", "tex", "md", "csv"):
        page = old / f"page.{ending}"
        code, said = called(capsys, "report", old / name, "--out", page)
        assert code == 0, said
        assert page.stat().st_size > 0


def test_runs_of_0_1_are_compared_case_by_case(old: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, shown = called(capsys, "compare", old / "pixels", old / "repeats")
    assert code == 0, shown
    assert "4 shared cases" in shown
    assert f"{written('repeats')['overall']['miou']['mean']:.1f}" in shown


def test_a_run_of_0_1_equals_its_archive(old: Path) -> None:
    comparison = es.compare(es.open_run(old / "picabench"), es.open_run(old / ARCHIVE))
    assert len({case for case, *_ in comparison.places}) == written("picabench")["n_cases"]
    assert comparison.overall.difference == 0


def test_an_archive_of_0_1_passes_its_check(old: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, said = called(capsys, "pack", "--check", old / ARCHIVE)
    assert code == 0, said


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_run_of_0_1_is_packed_and_checked(name: str, old: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert called(capsys, "pack", old / name, "--out", old / "new.zip")[0] == 0
    code, said = called(capsys, "pack", "--check", old / "new.zip")
    assert code == 0, said
    assert means(es.open_run(old / "new.zip").summary) == means(es.open_run(old / name).summary)


@pytest.mark.slow
@pytest.mark.parametrize("name", JUDGED)
def test_a_judged_run_of_0_1_is_counted_again_by_its_protocol(
    name: str, old: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, again = old / "data", old / "again"
    write_sets(data)
    place = old / name / "run.json"
    place.write_text(place.read_text(encoding="utf-8").replace("/benchmarks", data.as_posix()), encoding="utf-8")
    code, said = called(capsys, "rescore", old / name, "--accounting", "ours", "--out", again, "-q")
    assert code in (0, 1), said
    assert means(es.open_run(again).summary) == means(es.open_run(old / name).summary)


def test_every_module_that_a_run_of_0_1_names_is_there() -> None:
    """Old files stay as they are, so a module that they name cannot move without a way from its old place."""
    for path in sorted(path for path in RUNS.rglob("*") if path.is_file()):
        for name in re.findall(rb"\beditscope(?:\.[A-Za-z_]\w*)+(?::[A-Za-z_][\w.]*)?", path.read_bytes()):
            resolve_name(name.decode())
