"""Claims about the papers' tables of judged suites: every cell follows from the verdicts by plain arithmetic."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from editscope.report.model import gather
from editscope.report.paper_tables import paper_tables
from editscope.results import Run
from editscope.suites import load_suite
from editscope.suites.own.start import start
from editscope.suites.tables import PaperTable, headings
from support.reports.report_browser import without_plots
from support.reports.report_judged_runs import Darker, judged_run, made_run, rows_of, suite_of

pytestmark = pytest.mark.slow

Row = Mapping[str, Any]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Run]:
    """One run of each suite, made when first asked for."""
    return partial(made_run, tmp_path_factory)


def tables_of(*found: Run, published: bool = False) -> dict[str, PaperTable]:
    (sheet,) = gather(found, None).sheets
    return {table.name: table for table in paper_tables(sheet, published)}


def figures(table: PaperTable, run: int = 0) -> dict[tuple[str, ...], float | None]:
    """The figures of a run by the heads of its row and column; a heading stands before the rows below it."""
    found: dict[tuple[str, ...], float | None] = {}
    above = ""
    for row in table.rows:
        above = row.label if row.kind == "head" else above
        for column, cell in zip(table.columns, row.cells, strict=bool(row.cells)):
            if table.models == "rows" and row.run_index == run:
                found[column.above, column.label] = None if cell is None else cell.value
            elif table.models == "columns" and column.run_index == run:
                inside = above if row.depth else ""
                found[inside, row.label] = None if cell is None else cell.value
    return found


def mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def by(rows: Iterable[Row], key: Callable[[Row], str]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(key(row), []).append(row)
    return found


def metric_mean(rows: Iterable[Row], metric: str) -> float | None:
    return mean(row["value"] for row in rows if row["metric"] == metric)


def of_cases(rows: Iterable[Row], metrics: Iterable[str]) -> float | None:
    """Each case first, then the mean over cases."""
    wanted = [row for row in rows if row["metric"] in tuple(metrics)]
    return mean(mean(row["value"] for row in inner) for inner in by(wanted, lambda row: row["case"]).values())


def of_metrics(rows: Iterable[Row], metrics: Iterable[str]) -> float | None:
    """The mean of metric means."""
    rows = list(rows)
    return mean(metric_mean(rows, metric) for metric in metrics)


def scaled(value: float | None, zero: float, scale: float) -> float | None:
    return None if value is None else (value - zero) * scale


# --- the papers' tables, cell by cell ---------------------------------------------------------------


def test_picabench_pools_questions_and_averages_consistency_by_law_at_each_level(
    runs: Callable[[str], Run],
) -> None:
    run = runs("picabench")
    made = tables_of(run)
    laws = ["light_propagation", "light_source_effects", "reflection", "refraction"]
    laws += ["deformation", "causality", "global", "local"]
    for level in ("superficial", "explicit"):
        found = figures(made[f"laws-{level}"])
        assert len(found) > 12  # a law whose every answer was refused has no column
        for law in (*laws, ""):
            rows = rows_of(run, level=level, **({"law": law} if law else {}))
            head = law.replace("_", " ").capitalize() if law else "Overall"
            accuracy = scaled(metric_mean(rows, "accuracy"), 0, 100)
            assert found.get((head, "Acc")) == (None if accuracy is None else pytest.approx(accuracy))
            assert found[head, "Con"] == pytest.approx(metric_mean(rows, "consistency"))
    assert made["laws-explicit"].source == "Table 6 of the PICABench paper"
    levels = made["levels"]
    assert [row.label for row in levels.rows] == ["darker, superficial", "darker, explicit"]
    assert headings(levels.columns)[-1] == ("Overall", 2)


def test_worldedit_averages_four_scores_a_case_cases_a_mode_and_modes(runs: Callable[[str], Run]) -> None:
    run = runs("worldedit")
    four = ("vc", "vq", "if", "kp")
    modes = {tags["mode"]: None for tags in (record.tags for record in run.records())}
    for level in ("implicit", "paraphrase"):
        found = figures(tables_of(run)[f"modes-{level}"])
        averages = []
        for mode in modes:
            rows = rows_of(run, level=level, mode=mode)
            for metric in four:
                assert found[mode.capitalize(), metric.upper()] == pytest.approx(metric_mean(rows, metric))
            averages.append(of_cases(rows, four))
            assert found[mode.capitalize(), "Avg"] == pytest.approx(averages[-1])
        assert found["", "Overall"] == pytest.approx(mean(averages))


@pytest.mark.parametrize("language", ["en", "cn"])
def test_wiseedit_averages_metric_means_and_then_tasks(runs: Callable[[str], Run], language: str) -> None:
    run = runs("wiseedit")
    found = figures(tables_of(run)[f"tasks-{language}"])
    averages = []
    for task, last in (("awareness", "kf"), ("interpretation", "kf"), ("imagination", "cf")):
        rows = rows_of(run, language=language, task=task)
        metrics = ("if", "dp", "vq", last)
        for metric in metrics:
            wanted = scaled(metric_mean(rows, metric), 1, 100 / 9)
            assert found[task.capitalize(), metric.upper()] == pytest.approx(wanted)
        averages.append(scaled(of_metrics(rows, metrics), 1, 100 / 9))
        assert found[task.capitalize(), "AVG"] == pytest.approx(averages[-1])
    assert found["", "Overall"] == pytest.approx(mean(averages))
    assert ("Imagination", "KF") not in found


def test_wiseedit_sets_single_images_beside_all_inputs_with_the_difference(runs: Callable[[str], Run]) -> None:
    run = runs("wiseedit")
    table = tables_of(run)["inputs-en"]
    labels = [row.label for row in table.rows]
    assert labels == ["darker", "All inputs", "Single image", "Single − all"]
    rows = {row.label: row.cells for row in table.rows if row.cells}
    place = [(column.above, column.label) for column in table.columns].index(("Awareness", "IF"))
    every, single, gap = (rows[name][place] for name in labels[1:])
    assert every is not None
    assert single is not None
    assert gap is not None
    wanted = metric_mean(rows_of(run, language="en", task="awareness", inputs="single"), "if")
    assert single.value == pytest.approx(scaled(wanted, 1, 100 / 9))
    assert gap.value == pytest.approx((single.value or 0) - (every.value or 0))


def test_wiseedit_complex_has_both_languages_and_their_mean(runs: Callable[[str], Run]) -> None:
    run = runs("wiseedit-complex")
    found = figures(tables_of(run)["complex"])
    averages = []
    for language, head in (("en", "English"), ("cn", "Chinese")):
        rows = rows_of(run, language=language)
        averages.append(scaled(of_metrics(rows, ("if", "dp", "vq", "kf", "cf")), 1, 100 / 9))
        assert found[head, "AVG"] == pytest.approx(averages[-1])
        assert found[head, "CF"] == pytest.approx(scaled(metric_mean(rows, "cf"), 1, 100 / 9))
    assert found["Overall", "AVG"] == pytest.approx(mean(averages))


def test_inedit_has_categories_with_and_without_sp_pairs_overall_and_accuracy(runs: Callable[[str], Run]) -> None:
    run = runs("inedit")
    made = tables_of(run)
    found = figures(made["categories"])
    rows = rows_of(run, category="dynamic_process")
    assert found["Dynamic process", "Avg"] == pytest.approx(
        scaled(of_metrics(rows, ("ac", "pq", "sc", "lc", "sp")), 1, 25)
    )
    assert found["Dynamic process", "without SP"] == pytest.approx(
        scaled(of_metrics(rows, ("ac", "pq", "sc", "lc")), 1, 25)
    )
    pairs = rows_of(run, category="process_plausibility")
    assert found["Process plausibility", "PP"] == pytest.approx(scaled(metric_mean(pairs, "pp"), 1, 25))
    every = rows_of(run)
    six = ("ac", "pq", "sc", "lc", "sp", "pp")
    assert found["", "Overall"] == pytest.approx(scaled(of_metrics(every, six), 1, 25))
    assert found["", "Accuracy (%)"] == pytest.approx(100 * (metric_mean(every, "accuracy") or 0))
    assert ("State transition", "without SP") not in found
    metrics = figures(made["metrics"])
    assert ("State transition", "SP") not in metrics
    assert metrics["Scientific simulation", "SP"] is not None
    subtasks = figures(made["subtasks"])
    assert subtasks["", "Overall"] == found["", "Accuracy (%)"]


def test_kris_averages_are_over_cases_under_each_kind_of_knowledge(runs: Callable[[str], Run]) -> None:
    run = runs("kris")
    found = figures(tables_of(run)["dimensions"])
    four = ("vc", "vq", "if", "kp")
    for knowledge, dimension in (("factual", "attribute"), ("conceptual", "natural"), ("procedural", "logical")):
        rows = rows_of(run, dimension=dimension)
        head = f"{knowledge.capitalize()}: {dimension}"
        assert found[head, "Avg"] == pytest.approx(scaled(of_cases(rows, four), 1, 25))
        assert found[head, "VC"] == pytest.approx(scaled(metric_mean(rows, "vc"), 1, 25))
        whole = of_cases(rows_of(run, knowledge=knowledge), four)
        assert found["", f"{knowledge.capitalize()} average"] == pytest.approx(scaled(whole, 1, 25))
    assert ("Factual: attribute", "KP") not in found
    assert found["", "Overall average"] == pytest.approx(scaled(of_cases(rows_of(run), four), 1, 25))


def test_rise_has_accuracy_by_category_and_the_parts_of_its_score(runs: Callable[[str], Run]) -> None:
    run = runs("rise")
    made = tables_of(run)
    found, scores = figures(made["accuracy"]), figures(made["scores"])
    for category in ("temporal", "causal", "spatial", "logical"):
        rows = rows_of(run, category=category)
        accuracy = metric_mean(rows, "accuracy")
        assert found["", category.capitalize()] == (None if accuracy is None else pytest.approx(100 * accuracy))
        score = scaled(metric_mean(rows, "score"), 1, 25)
        assert scores[category.capitalize(), "Score"] == (None if score is None else pytest.approx(score))
    assert ("Logical", "Plausibility") not in scores
    assert found["", "Overall"] == pytest.approx(100 * (metric_mean(rows_of(run), "accuracy") or 0))


def test_published_results_stand_beside_a_run_of_the_same_level_and_judge(runs: Callable[[str], Run]) -> None:
    table = tables_of(runs("picabench"), published=True)["laws-explicit"]
    theirs = {row.label: row for row in table.rows if row.published}
    assert {row.note for row in theirs.values()} == {
        "authors' set and prompts, judged by GPT-5 · explicit instructions"
    }
    last = theirs["GPT-Image-1.5"].cells[-2]
    assert last is not None
    assert (last.value, last.published) == (76.06, True)
    assert table.caption.count("GPT-5") == 1
    assert not any(row.published for row in tables_of(runs("picabench"))["laws-explicit"].rows)


def test_a_suite_judged_by_another_s_protocol_has_no_paper_s_tables(tmp_path: Path) -> None:
    suite = suite_of("worldedit", tmp_path / "data")
    run = judged_run(suite, tmp_path / "run", limit=4, protocol="kris")
    made = tables_of(run, published=True)
    assert "measures" in made
    assert not any(table.source for table in made.values())
    assert not any(row.published for table in made.values() for row in table.rows)
    assert "Leaderboard" not in without_plots([run], tmp_path / "r.html", published=True).read_text("utf-8")


def test_a_benchmark_of_one_s_own_has_its_measures_by_its_tags(tmp_path: Path) -> None:
    run = judged_run(load_suite(str(start(tmp_path / "mine"))), tmp_path / "run", Darker())
    made = tables_of(run)
    assert list(made) == ["measures", "all-category"]
    table = made["all-category"]
    assert [column.label for column in table.columns] == ["Average", "Instruction followed", "Rest untouched"]
    assert [row.label for row in table.rows] == ["Color", "Removal", "mine"]
    for row in table.rows[:-1]:
        rows = rows_of(run, **row.filter)
        following = row.cells[1]
        assert following is not None
        assert following.value == pytest.approx(metric_mean(rows, "following"))
