"""A run on cases with effects has their scores in journal, tables, summary and terminal."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

import editscope as es
from editscope.cli.output import runs as printed
from editscope.results.run import Run
from editscope.scoring import EffectScore
from support.effects.effect_cases import SPEC

EFFECTS = ("fog", "mirror_image", "object", "shadow")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    folder = tmp_path_factory.mktemp("runs")
    names = ("oracle", "identity", "cutout", "noise")
    return {name: es.run(SPEC, f"ref:{name}", out=folder / name, jobs=1, progress=False) for name in names}


def mean(run: Run, metric: str) -> float | None:
    value: float | None = run.summary["overall"][metric]["mean"]
    return value


def test_oracle_has_exactly_100_everywhere_and_identity_exactly_0(runs: dict[str, Run]) -> None:
    metrics = ("consequences", "direct", *(f"recovery:{name}" for name in EFFECTS))
    for prefixed in (*metrics, "gain_consequences", "gain_direct"):
        assert mean(runs["oracle"], prefixed) == 100
        assert mean(runs["identity"], prefixed) == 0
    for run in (runs["oracle"], runs["identity"]):
        assert mean(run, "preservation_accuracy") == mean(run, "gain_preservation") == 100
        assert mean(run, "gap") == 0
    assert runs["oracle"].summary["failures"] == {"success": 18}
    assert runs["identity"].summary["failures"] == {"execution_omission": 18}


def test_cutout_has_the_object_and_none_of_what_follows(runs: dict[str, Run]) -> None:
    run = runs["cutout"]
    assert [mean(run, name) for name in ("direct", "consequences", "gap")] == [100, 0, 100]
    assert mean(run, "recovery:object") == 100
    assert [mean(run, f"recovery:{name}") for name in EFFECTS if name != "object"] == [0, 0, 0]
    assert run.summary["failures"] == {"consequences_missing": 12, "execution_omission": 6}


def test_tables_have_every_effect_by_law_task_and_level_with_intervals(runs: dict[str, Run]) -> None:
    cells = {(row["by"], row["key"], row["metric"]): row for row in runs["noise"].summary["groups"]}
    shadow = cells["task", "remove_object", "recovery:shadow"]
    assert shadow["lo"] < shadow["mean"] < shadow["hi"]
    assert {cells["level", level, "recovery:mirror_image"]["n"] for level in ("superficial", "explicit")} == {4}
    assert cells["law", "light_propagation", "gap"]["n"] == 6


def test_cases_without_direct_effects_have_no_direct_and_no_gap(runs: dict[str, Run]) -> None:
    cells = {(row["by"], row["key"], row["metric"]): row for row in runs["cutout"].summary["groups"]}
    assert cells["task", "fog", "direct"]["mean"] is None
    assert cells["task", "fog", "gap"]["n"] == 0
    assert runs["cutout"].summary["overall"]["gap"]["n"] == 12
    frame = runs["cutout"].frame()
    assert frame[frame["task"] == "fog"]["direct"].isna().all()
    assert not frame["consequences"].isna().any()


def test_the_evidence_gives_the_metrics_again(runs: dict[str, Run]) -> None:
    for record in runs["noise"].records():
        score = EffectScore.from_json(record.evidence)
        assert {name: value for name, value in score.metrics().items() if value is not None} == record.metrics
        assert score.failure == record.failure


def test_ignored_pixels_are_counted(runs: dict[str, Run]) -> None:
    ignored = {record.tags["task"]: record.metrics["ignored_share"] for record in runs["noise"].records()}
    assert ignored == {"remove_object": 4 / 64, "recolor_mirrored": 0, "fog": 0}


def test_an_edit_that_is_missing_counts_as_0(tmp_path: Path) -> None:
    (tmp_path / "edits").mkdir()
    run = es.run(SPEC, f"folder:{tmp_path / 'edits'}", out=tmp_path / "run", jobs=1, progress=False)
    assert [mean(run, name) for name in ("consequences", "direct", "gap", "preservation_accuracy")] == [0, 0, 0, 0]
    assert run.summary["failures"] == {"no_output": 18}


def test_a_terminal_of_80_columns_shows_every_figure(runs: dict[str, Run]) -> None:
    text = io.StringIO()
    printed.summary_table(runs["cutout"], Console(file=text, width=80))
    lines = text.getvalue().splitlines()
    assert lines[0].split() == ["consequences", "95", "%", "direct", "gap", "kept", "n"]
    assert "…" not in text.getvalue().replace(" … ", " ")
    assert next(line for line in lines if "mirror_image" in line).split()[-1] == "12"
    assert next(line for line in lines if "fog" in line).split()[-4:] == ["–", "–", "100.0", "6"]


def test_the_last_lines_of_a_run_name_the_gap(runs: dict[str, Run]) -> None:
    text = io.StringIO()
    printed.result(runs["cutout"], Console(file=text, width=120))
    assert "consequences 0.0   direct 100.0   gap 100.0   kept 100.0" in text.getvalue()
    assert "consequences missing 67 %" in text.getvalue()


def test_one_case_is_printed_with_its_recoveries_and_no_records(runs: dict[str, Run]) -> None:
    text = io.StringIO()
    printed.case(next(iter(runs["cutout"].records())), Console(file=text, width=120))
    assert "recovery:object       100.00" in text.getvalue()
    assert "gap                   100.00" in text.getvalue()
    assert "{" not in text.getvalue()
