"""Within what intervals resample: as PaintBench's release does, or as its paper describes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from editscope import load_suite, open_run, run
from editscope.cases import Aggregation
from editscope.cli.app import make_app
from editscope.errors import BadInput
from editscope.report import write
from editscope.runfolder.run_json import FILE, aggregation_from, aggregation_json
from editscope.stats.paired import compare_rows
from editscope.stats.summary import summarize
from editscope.suites.paintbench.catalog import aggregation
from editscope.suites.paintbench.data import write_set
from editscope.suites.tinygrafix import catalog as charts

RELEASE, PAPER = aggregation("release"), aggregation("paper")
CELLS = [
    ("color", "border", "default"),
    ("color", "recolor", "single"),
    ("color", "recolor", "all"),
    ("shape", "removal", "attribute"),
    ("shape", "removal", "location"),
]
SMALL = ("--conditions", "baseline,striped", "--canvas", "128x128")
CONDITIONS = ("baseline", "striped")


def cases(each: int, score: Any) -> dict[str, list[Any]]:
    """A set with ``each`` problems for every mode and condition; ``score(mode, condition, slot)`` is its mIoU."""
    rows: dict[str, list[Any]] = {name: [] for name in ("case_id", "category", "task", "mode", "condition", "split")}
    rows["miou"] = []
    for category, task, mode in CELLS:
        for condition in CONDITIONS:
            for slot in range(each):
                values = (f"{task}/{len(rows['case_id']):04}", category, task, mode, condition, "test")
                for name, value in zip(rows, values, strict=False):
                    rows[name].append(value)
                rows["miou"].append(score(mode, condition, slot))
    return rows


def cell(table: dict[str, Any], by: str, key: str) -> dict[str, Any]:
    return next(row for row in table["groups"] if (row["by"], row["key"]) == (by, key))


def half(found: dict[str, Any]) -> float:
    return float(found["hi"] - found["lo"]) / 2


def test_a_task_with_an_easy_and_a_hard_mode_has_spread_for_the_release_and_none_for_the_paper() -> None:
    rows = cases(24, lambda mode, condition, slot: float(mode in ("single", "attribute")))
    release, paper = summarize(rows, RELEASE, ["miou"]), summarize(rows, PAPER, ["miou"])
    assert cell(paper, "task", "recolor")["hidden_spread"], "no resample varies, so there is no interval"
    # 96 problems, half of them right: the mean of 96 fair coins has a standard error of 0.5 / sqrt(96).
    expected = 100 * 1.96 * 0.5 / np.sqrt(96)
    assert half(cell(release, "task", "recolor")) == pytest.approx(expected, rel=0.06)
    # Overall: two categories; one holds border (no spread) and recolor, the other removal alone.
    expected *= np.sqrt((1 / 4) ** 2 + (1 / 2) ** 2)
    assert half(release["overall"]["miou"]) == pytest.approx(expected, rel=0.06)
    assert release["overall"]["miou"]["mean"] == paper["overall"]["miou"]["mean"], "strata never move a mean"


def test_rows_of_conditions_are_resampled_within_task_and_condition_and_rows_of_modes_within_modes() -> None:
    rows = cases(24, lambda mode, condition, slot: float(condition == "striped"))
    release, paper = summarize(rows, RELEASE, ["miou"]), summarize(rows, PAPER, ["miou"])
    assert [half(cell(release, "condition", name)) for name in CONDITIONS] == [0.0, 0.0]
    assert half(cell(release, "task", "border")) > 5, "a task mixes its conditions"
    assert half(cell(release, "mode", "recolor/all")) == pytest.approx(half(cell(paper, "mode", "recolor/all")), abs=2)
    rows = cases(24, lambda mode, condition, slot: float(mode == "single"))
    assert half(cell(summarize(rows, RELEASE, ["miou"]), "mode", "recolor/single")) == 0.0


def slow(rows: dict[str, list[Any]], strata: tuple[str, ...], of: dict[str, str]) -> Iterator[float]:
    """Task means over the cases that have the tags ``of``, drawn anew within strata, averaged over tasks."""
    rng = np.random.default_rng(7)
    here = [i for i in range(len(rows["miou"])) if all(rows[tag][i] == value for tag, value in of.items())]
    members: dict[tuple[str, ...], list[int]] = {}
    for i in here:
        members.setdefault(tuple(rows[tag][i] for tag in strata), []).append(i)
    for _ in range(4_000):
        drawn = [places[k] for places in members.values() for k in rng.integers(0, len(places), len(places))]
        tasks: dict[str, list[float]] = {}
        for i in drawn:
            tasks.setdefault(rows["task"][i], []).append(rows["miou"][i])
        yield sum(sum(values) / len(values) for values in tasks.values()) / len(tasks)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("by", "key", "of"), [("condition", "striped", {"condition": "striped"}), ("task", "recolor", {"task": "recolor"})]
)
def test_intervals_are_those_of_a_plain_loop_over_the_cases_of_the_row(by: str, key: str, of: dict[str, str]) -> None:
    rng = np.random.default_rng(3)
    rows = cases(8, lambda mode, condition, slot: float(rng.beta(0.4, 1.0) * (0.4 if mode == "all" else 1.0)))
    found = cell(summarize(rows, RELEASE, ["miou"]), by, key)
    samples = [100 * value for value in slow(rows, ("task",), of)]
    low, high = np.percentile(samples, (2.5, 97.5))
    assert found["lo"] == pytest.approx(low, abs=0.08 * (high - low))
    assert found["hi"] == pytest.approx(high, abs=0.08 * (high - low))


def test_a_paired_comparison_resamples_within_the_same_strata() -> None:
    a = cases(10, lambda mode, condition, slot: 0.5)
    b = cases(10, lambda mode, condition, slot: 0.5 + 0.2 * (mode in ("single", "attribute")))
    release, paper = (compare_rows(a, b, plan, "miou") for plan in (RELEASE, PAPER))
    assert (paper.overall.lo, paper.overall.hi) == (None, None), "no resample varies, so there is no interval"
    assert release.overall.lo is not None and release.overall.hi is not None
    assert release.overall.lo < release.overall.difference < release.overall.hi
    assert release.overall.difference == paper.overall.difference
    striped = release.group("condition", "striped")
    assert striped is not None and striped.lo is not None and striped.hi is not None
    assert striped.lo < striped.difference < striped.hi


def test_the_choice_is_an_option_of_the_suite_and_no_part_of_the_set(tmp_path: Path) -> None:
    made, other = load_suite("paintbench", per_cell=1), load_suite("paintbench", per_cell=1, strata="paper")
    assert (made.aggregation, other.aggregation) == (RELEASE, PAPER)
    assert made.fingerprint == other.fingerprint
    assert other.label() == made.label(), "it is the same set"
    assert load_suite(other.name, **json.loads(json.dumps(dict(other.options)))).aggregation == PAPER
    assert load_suite("paintbench", per_cell=1, strata="release").options == made.options
    assert load_suite("tinygrafix", strata="paper").aggregation.strata == charts.aggregation("release").strata
    with pytest.raises(BadInput, match="choose from release, paper"):
        load_suite("paintbench", strata="task")


def test_a_set_on_disk_takes_it_too(tmp_path: Path) -> None:
    write_set(tmp_path, tasks="border", per_mode=1, conditions="baseline", jobs=1)
    read = load_suite("paintbench", root=tmp_path, strata="paper")
    assert read.aggregation == PAPER
    assert load_suite(read.name, **read.options).aggregation == PAPER
    assert load_suite("paintbench", root=tmp_path).aggregation == RELEASE


@pytest.mark.slow
def test_the_terminal_the_page_and_the_caption_say_which(tmp_path: Path) -> None:
    words = {
        "release": "within task (rows by mode: within task and mode; rows by condition: within task and condition), "
        "as the release does",
        "paper": "within task and mode, as the paper describes",
    }
    for strata, said in words.items():
        out = tmp_path / strata
        options = ["--editor", "ref:drift", "--tasks", "recolor,border", "--per-cell", "4", *SMALL, "-j1"]
        done = CliRunner().invoke(
            make_app(), ["run", "paintbench", *options, "--strata", strata, "--out", str(out), "-q"]
        )
        assert done.exit_code == 0, done.output
        assert aggregation_from(json.loads((out / FILE).read_text())) == aggregation(strata)
        shown = CliRunner().invoke(make_app(), ["show", str(out)])
        assert f"95 %: percentile bootstrap, cases resampled {said}" in " ".join(shown.output.split())
        for ending in ("tex", "md") if strata == "release" else ("tex", "html"):
            text = write([open_run(out)], tmp_path / f"{strata}.{ending}").read_text()
            assert said in " ".join(text.split())
    first, second = (open_run(tmp_path / strata).summary["overall"]["miou"] for strata in words)
    assert first["mean"] == second["mean"]
    assert (first["lo"], first["hi"]) != (second["lo"], second["hi"])
    both = write([open_run(tmp_path / strata) for strata in words], tmp_path / "both.tex").read_text()
    assert "A within task (rows" in " ".join(both.split())
    assert "B within task and mode" in " ".join(both.split())
    again = CliRunner().invoke(make_app(), ["run", "paintbench", *options, "--out", str(out), "-q"])
    assert isinstance(again.exception, BadInput)
    assert "strata paper (asked: release)" in str(again.exception)


def older(plan: Aggregation) -> dict[str, Any]:
    """What version 0.1 wrote of PaintBench."""
    saved = aggregation_json(plan)
    saved.pop("resampling")
    assert not any("strata" in group for group in saved["groups"])
    return saved


@pytest.mark.slow
def test_a_run_that_was_begun_with_the_old_strata_keeps_them(tmp_path: Path) -> None:
    suite = load_suite(
        "paintbench", tasks="recolor", conditions=CONDITIONS, per_cell=4, canvas="128x128", strata="paper"
    )
    begun = run(suite, "ref:drift", out=tmp_path / "old").summary
    path = tmp_path / "old" / FILE
    info = json.loads(path.read_text())
    info["aggregation"] = older(PAPER)
    info["suite"]["options"].pop("strata")
    path.write_text(json.dumps(info))
    (tmp_path / "old" / "summary.json").unlink()
    plain = load_suite("paintbench", tasks="recolor", conditions=CONDITIONS, per_cell=4, canvas="128x128")
    done = run(plain, "ref:drift", out=tmp_path / "old")
    assert done.summary["overall"] == begun["overall"]
    shown = CliRunner().invoke(make_app(), ["show", str(tmp_path / "old")]).output
    assert "cases resampled within task and mode; no interval" in shown, "and not: as the paper describes"
