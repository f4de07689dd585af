"""A run on a part of its suite says so, and small groups stand without an interval, wherever their figures stand."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import editscope as es
from support.command_line import called
from support.small_sets import make_small_set

PART = "6 of 12 cases"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six of twelve cases: one or two of each of four tasks, all without any edit."""
    folder = tmp_path_factory.mktemp("part")
    suite = es.load_suite("paintbench", root=make_small_set(folder / "set"))
    return es.run(suite, "ref:identity", out=folder / "run", limit=6, jobs=1, progress=False).path


def written(run: Path, suffix: str) -> str:
    """The report of a run in a format."""
    out = run.parent / f"report{suffix}"
    from editscope.cli import main

    with pytest.raises(SystemExit) as ended:
        main(["report", str(run), "--out", str(out)])
    assert not ended.value.code
    return out.read_text()


@pytest.mark.slow
def test_terminal_report_caption_and_summary_say_of_how_many_cases(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, shown, _ = called(capsys, "show", run)
    assert shown.startswith(f"paintbench · {PART} ") and f"({PART})" in shown
    summary = json.loads((run / "summary.json").read_text())
    assert (summary["n_cases"], summary["n_suite"]) == (6, 12)
    page = written(run, ".html")
    assert PART in re.sub(r"<[^>]*>", "", page.partition('class="axis"')[0])
    captions = re.findall(r"\\caption\{(.*)\}", written(run, ".tex"))
    assert captions and all(PART in caption for caption in captions)
    assert PART in written(run, ".md")


@pytest.mark.slow
def test_a_whole_suite_says_nothing_of_parts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    suite = es.load_suite("paintbench", root=make_small_set(tmp_path / "set", per_task=1))
    whole = es.run(suite, "ref:identity", out=tmp_path / "run", jobs=1, progress=False).path
    _, shown, _ = called(capsys, "show", whole)
    assert "4 cases" in shown and " of 4 cases" not in shown


@pytest.mark.slow
def test_small_groups_have_mean_and_n_grayed_and_no_interval(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    groups = json.loads((run / "summary.json").read_text())["groups"]
    tasks = [row for row in groups if (row["by"], row["metric"]) == ("task", "miou")]
    assert len(tasks) == 4 and all(row["n"] < 5 and row["lo"] is row["hi"] is None for row in tasks)
    assert all(row["mean"] is not None for row in tasks)
    assert 'class="few"' in written(run, ".html")
    assert re.search(r"\\fewcases\{0\.0\} & \\fewcases\{\\scriptsize\$n = [12]\$\}", written(run, ".tex"))
    _, shown, _ = called(capsys, "show", run)
    (line,) = [line for line in shown.splitlines() if line.split()[:1] == ["border"]]
    assert "…" not in line
    assert "no interval where fewer than 5 cases could be resampled" in shown


@pytest.mark.slow
def test_nothing_is_called_weakest_where_all_scores_are_equal(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, shown, _ = called(capsys, "show", run)
    assert "mIoU 0.0" in shown and "weakest" not in shown
    page = re.sub(r"(?s)<script.*?</script>|<style.*?</style>", "", written(run, ".html"))
    assert "weakest" not in page.lower()
