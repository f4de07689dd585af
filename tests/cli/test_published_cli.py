"""`editscope published`: what is there, one suite, one table, one model; and the best beside a run's headline."""

from __future__ import annotations

import csv
import io
import json
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

import editscope as es
from editscope.cli import main
from editscope.published import FIELDS, HEADLINES, main_leaderboard, results, suites


def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of `editscope published …`."""
    code = 0
    try:
        main(["published", *arguments])
    except SystemExit as end:
        code = int(end.code or 0)
    said = capsys.readouterr()
    return code, said.out, said.err


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "160")


def test_without_a_suite_it_says_what_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = call(capsys)
    assert code == 0
    for suite in suites():
        assert f"\n{suite} " in out
    assert "none: pixels" in out
    assert "17.1 ± 0.7 Nano Banana 2" in out
    assert f"{len(results()):,} numbers" in out


@pytest.mark.slow
def test_a_suite_is_shown_as_an_order_of_models_with_its_label(capsys: pytest.CaptureFixture[str]) -> None:
    for suite in suites():
        code, out, _ = call(capsys, suite)
        assert code == 0
        lines = out.splitlines()
        ranked = main_leaderboard(suite)
        assert [row.model in line for row, line in zip(ranked, lines[1:], strict=False)] == [True] * len(ranked)
        assert "authors' set" in out
        assert "never in a paired test" in " ".join(out.split())


def test_models_with_the_same_value_share_a_place(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = call(capsys, "tinygrafix")
    places = [line.split()[0] for line in out.splitlines()[1:12]]
    assert places == ["1", "2", "3", "4", "4", "6", "7", "7", "9", "10", "11"]


def test_a_narrow_terminal_loses_names_and_no_figures(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "72")
    _, out, _ = call(capsys, "paintbench")
    assert "…" not in out
    assert "17.1 ± 0.7" in out
    _, out, _ = call(capsys, "paintbench", "--by", "task")
    assert "…" not in out
    for row in results("paintbench", table=1, by="task"):
        assert f"{row.value:.1f}" in out


def test_a_table_is_shown_as_the_paper_has_it(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = call(capsys, "paintbench", "--table", "2")
    lines = out.splitlines()
    headings = "NB-2 GPT-I2 NB-1 Qwen-IE BAGEL FLUX.2-D FLUX.1-Kt LCat-IE FLUX.2-Kl HY-3 IP2P"
    assert lines[0].split() == headings.split()
    assert lines[1].startswith("baseline · mIoU")
    assert "-11.1" in lines[5]
    assert lines[5].startswith("striped")
    assert "Table 2" in out


def test_rows_by_task_of_one_model(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = call(capsys, "paintbench", "--by", "task", "--model", "nb-2")
    assert len(out.split("\n\n")[0].splitlines()) == 21
    assert "border" in out
    assert "18.9" in out


def test_another_metric(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = call(capsys, "paintbench", "--by", "mode", "--metric", "edit_accuracy")
    assert "construction/line" in out
    assert "52.0" in out


def test_where_a_model_stands_everywhere(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = call(capsys, "--model", "bagel")
    known = [suite for suite in suites() if any(row.model == "BAGEL" for row in main_leaderboard(suite))]
    assert len(known) >= 9 and len(out.splitlines()) == len(known) + 2
    assert "5 of 11" in out


@pytest.mark.slow
def test_csv_gives_the_lines_of_the_files(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = call(capsys, "tinygrafix", "--csv")
    lines = list(csv.reader(io.StringIO(out)))
    assert tuple(lines[0]) == FIELDS
    assert len(lines) - 1 == len(results("tinygrafix"))
    assert [float(line[11]) for line in lines[1:]] == [row.value for row in results("tinygrafix")]
    _, everything, _ = call(capsys, "--csv")
    assert len(everything.splitlines()) - 1 == len(results())


def test_the_models_with_what_is_known(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = call(capsys, "--models")
    assert "Black Forest Labs" in out
    _, out, _ = call(capsys, "paintbench", "--models", "--csv")
    assert len(out.splitlines()) == 12


def test_slips_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = call(capsys, "paintbench", "--slips")
    assert "Table 16, scaling/match: 'Shearing, —, —' read as 'scaling/match'" in out
    assert "printed 17, its parts give 16" in out


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("paintbnch",), "did you mean 'paintbench'?"),
        (("paintbench", "--by", "tsk"), "did you mean 'task'?"),
        (("paintbench", "--metric", "mIou"), "did you mean 'miou'?"),
        (("paintbench", "--model", "Nano Banana 3"), "did you mean 'Nano Banana 2'?"),
        (("paintbench", "--table", "99"), "there is no published table of paintbench '99'"),
        (("--table", "3"), "needs a suite, such as: editscope published paintbench --table 3"),
    ],
)
def test_an_unknown_name_gets_the_nearest(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], said: str
) -> None:
    code, _, err = call(capsys, *arguments)
    assert code == 2
    assert said in err
    assert len(err.strip().splitlines()) == 1


def shown(capsys: pytest.CaptureFixture[str], run: es.Run) -> str:
    """The line with the headline metric that `editscope show` prints of a run."""
    with suppress(SystemExit):
        main(["show", str(run.path)])
    return next(line for line in capsys.readouterr().out.splitlines() if line.startswith(" mIoU"))


@pytest.mark.slow
def test_the_headline_of_a_whole_run_ends_with_the_published_best(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A part of a suite stands beside nothing; here eight cases become the whole set by being called so."""
    part = es.run(es.load_suite("paintbench"), "ref:identity", out=tmp_path / "part", limit=8, jobs=1)
    custom = es.run(es.load_suite("paintbench", tasks=["border"]), "ref:identity", out=tmp_path / "c", limit=8, jobs=1)
    said = "(published best 17.1: authors' set, not paired)"
    assert said not in shown(capsys, part)
    monkeypatch.setitem(HEADLINES, "paintbench", replace(HEADLINES["paintbench"], cases=8))
    about = json.loads((part.path / "run.json").read_text())
    about["selection"]["of"] = 8
    (part.path / "run.json").write_text(json.dumps(about))
    assert shown(capsys, es.open_run(part.path)).endswith(said)
    assert said not in shown(capsys, custom)  # not the published tasks, whatever its size
