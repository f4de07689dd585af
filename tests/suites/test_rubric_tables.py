"""From scores to tables: the worked checks of the papers, what an average is, and bounds for missing verdicts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pytest

from editscope.cases import Aggregation, Status
from editscope.published import Result, results
from editscope.scoring.rubrics import Measure, Rubric, ScoreRow
from editscope.stats.missing import missing_bounds
from editscope.stats.summary import summarize
from editscope.suites.inedit.data import InEditSuite
from editscope.suites.kris.data import GROUPS, KrisSuite
from editscope.suites.picabench.data import PicaBenchSuite
from editscope.suites.rise.data import RiseSuite
from editscope.suites.rubrics import load_rubric
from editscope.suites.wiseedit.data import WiseEditComplexSuite, WiseEditSuite
from editscope.suites.worldedit.data import WorldEditSuite
from support.judged.rubric_columns import Columns, measured, score_columns

Scored = tuple[str, Mapping[str, str], tuple[ScoreRow, ...]]
"""A case by its id, its tags and its rows."""


def counting_for(columns: Mapping[str, Sequence[Any]], measure: Measure) -> Columns:
    """Only the rows that count for one measure, with its column: what bounds for missing verdicts are made of.

    ``stats.missing.missing_bounds`` takes ``worst`` and ``best`` as ``measure.shown(measure.worst) / 100``.
    """
    keep = [place for place, metric in enumerate(columns["metric"]) if metric in measure.metrics]
    return measured({name: [entries[i] for i in keep] for name, entries in columns.items()}, [measure])


class Tables:
    """The means of all tables of a rubric over a suite's rows."""

    def __init__(self, rubric: Rubric, suite: Aggregation, scored: Iterable[Scored]) -> None:
        plan = rubric.aggregation(suite)
        columns = measured(score_columns(scored, plan), rubric.measures)
        names = [measure.name for measure in rubric.measures]
        self.found = summarize(columns, plan, names, resamples=0)

    def overall(self, measure: str) -> Any:
        return self.found["overall"][measure]["mean"]

    def cell(self, by: str, key: str, measure: str) -> Any:
        rows = [r for r in self.found["groups"] if (r["by"], r["key"], r["metric"]) == (by, key, measure)]
        assert len(rows) == 1, f"{len(rows)} cells for {by} {key} {measure}"
        return rows[0]["mean"]

    def keys(self, by: str) -> list[str]:
        return list(dict.fromkeys(row["key"] for row in self.found["groups"] if row["by"] == by))


def printed(suite: str, model: str, table: str, by: str, metrics: Iterable[str], **where: str) -> list[Result]:
    """The printed numbers of a model."""
    return [
        r
        for r in results(suite)
        if (r.model, r.table, r.by, r.setting) == (model, table, by, "")
        and r.metric in metrics
        and all(getattr(r, name) == value for name, value in where.items())
    ]


def natural(rubric: Rubric, metric: str, shown: float) -> float:
    """A printed value back on the scale that judges use."""
    measure = rubric.measure(metric)
    return shown / measure.scale + measure.zero


def test_worldedit_44_metric_cells_of_gpt_4o_give_4_363() -> None:
    rubric = load_rubric("worldedit")
    cells = printed("worldedit", "GPT-4o", "1", "mode", ("vc", "vq", "if", "kp"))
    assert len(cells) == 44
    scored = [(c.group, {"mode": c.group}, (ScoreRow(c.metric, c.value),)) for c in cells]
    tables = Tables(rubric, WorldEditSuite.aggregation, scored)
    assert round(tables.overall("average"), 3) == 4.363
    for row in printed("worldedit", "GPT-4o", "1", "mode", ("average",)):
        assert tables.cell("mode", row.group, "average") == pytest.approx(row.value, abs=0.0051)


def test_wiseedit_nano_banana_pro_gets_87_3_on_awareness_and_82_4_in_english() -> None:
    rubric = load_rubric("wiseedit")
    scored = []
    for language in ("en", "cn"):
        for c in printed("wiseedit", "Nano Banana Pro", "2", "task", ("if", "dp", "vq", "kf", "cf"), language=language):
            row = ScoreRow(c.metric, natural(rubric, c.metric, c.value), variant=language, tags={"language": language})
            scored.append((c.group, {"task": c.group, "inputs": "single", "images": "1"}, (row,)))
    tables = Tables(rubric, WiseEditSuite.aggregation, scored)
    assert tables.cell("language/task", "en/awareness", "average") == pytest.approx((85.4 + 88.6 + 83.9 + 91.4) / 4)
    assert round(tables.cell("language/task", "en/awareness", "average"), 1) == 87.3
    assert round(tables.cell("language", "en", "average"), 1) == 82.4
    for r in printed("wiseedit", "Nano Banana Pro", "2", "overall", ("average",)):
        assert tables.cell("language", r.language, "average") == pytest.approx(r.value, abs=0.101)


def test_wiseedit_complex_averages_five_metrics_then_two_languages() -> None:
    rubric = load_rubric("wiseedit")
    model = "Nano Banana Pro"
    scored = []
    for c in printed("wiseedit-complex", model, "3", "overall", ("if", "dp", "vq", "kf", "cf")):
        row = ScoreRow(c.metric, natural(rubric, c.metric, c.value), tags={"language": c.language})
        scored += [("1", {"images": "2"}, (row,))] if c.language else []
    assert len(scored) == 10
    tables = Tables(rubric, WiseEditComplexSuite.aggregation, scored)
    for r in printed("wiseedit-complex", model, "3", "overall", ("average",)):
        found = tables.cell("language", r.language, "average") if r.language else tables.overall("average")
        assert found == pytest.approx(r.value, abs=0.101)


def test_inedit_gpt_image_1_gets_81_33_from_six_metric_means_each_over_its_cases() -> None:
    rubric = load_rubric("inedit")
    cases = {"state_transition": 49, "temporal_sequence": 66, "dynamic_process": 65, "scientific_simulation": 23}
    cells = printed("inedit", "GPT-Image-1", "2", "category", ("ac", "pq", "sc", "lc", "sp"))
    scored: list[Scored] = [
        (f"{c.group}_{n}", {"category": c.group}, (ScoreRow(c.metric, natural(rubric, c.metric, c.value)),))
        for c in cells
        for n in range(cases[c.group])
    ]
    scored += [(f"pair_{n}", {"category": "process_plausibility"}, (ScoreRow("pp", 4.56),)) for n in range(34)]
    tables = Tables(rubric, InEditSuite.aggregation, scored)
    assert round(tables.overall("overall"), 2) == 81.33
    means = [round(tables.overall(metric), 1) for metric in ("ac", "pq", "sc", "lc", "sp", "pp")]
    assert means == [92.2, 92.4, 72.0, 71.1, 71.3, 89.0]
    for name in ("overall", "overall_without_sp"):
        for row in printed("inedit", "GPT-Image-1", "1", "category", (name,)):
            assert tables.cell("category", row.group, name) == pytest.approx(
                row.value, abs=0.056
            )  # Table 2 has one decimal


def test_inedit_accuracy_is_over_all_203_cases_that_are_not_path_pairs() -> None:
    rubric = load_rubric("inedit")
    scored: list[Scored] = [
        (str(n), {"category": "state_transition"}, (ScoreRow("accuracy", float(n < 34)),)) for n in range(203)
    ]
    scored.append(("pair", {"category": "process_plausibility"}, (ScoreRow("pp", 5.0),)))
    tables = Tables(rubric, InEditSuite.aggregation, scored)
    assert round(tables.overall("accuracy"), 2) == 16.75
    assert tables.found["overall"]["accuracy"]["n"] == 203


@pytest.mark.slow
def test_kris_averages_are_over_cases_not_over_groups() -> None:
    rubric = load_rubric("kris")
    number = {"attribute": 275, "spatial": 100, "temporal": 74, "social": 125, "natural": 393}
    number |= {"logical": 150, "decomposition": 150}
    scored = []
    for c in printed("kris", "GPT-4o", "4", "dimension", ("average",)):
        knowledge = next(name for name, dimensions in GROUPS.items() if c.group in dimensions)
        tags = {"knowledge": knowledge, "dimension": c.group, "category": c.group}
        row = ScoreRow("vc", natural(rubric, "vc", c.value))
        scored += [(f"{c.group}/{n}", tags, (row,)) for n in range(number[c.group])]
    tables = Tables(rubric, KrisSuite.aggregation, scored)
    assert round(tables.cell("knowledge", "factual", "average"), 2) == 79.80
    assert round(tables.overall("average"), 2) == 80.09


def test_a_kris_case_is_the_mean_of_its_own_metrics_three_or_four() -> None:
    rubric = load_rubric("kris")
    tags = {"knowledge": "factual", "dimension": "spatial", "category": "position_movement"}
    three = (ScoreRow("vc", 5.0), ScoreRow("if", 5.0), ScoreRow("vq", 5.0))
    four = tuple(ScoreRow(metric, 1.0) for metric in ("vc", "if", "vq", "kp"))
    tables = Tables(rubric, KrisSuite.aggregation, [("a", tags, three), ("b", tags, four)])
    assert tables.overall("average") == 50  # over rows it would be 3/7, over metric means 3/8
    assert tables.overall("kp") == 0


def test_picabench_is_pooled_over_questions_and_by_case_stands_beside_it() -> None:
    rubric = load_rubric("picabench")
    tags = {"law": "reflection", "dimension": "optics", "operation": "remove"}

    def case(name: str, answers: list[float]) -> Scored:
        rows = tuple(ScoreRow("accuracy", value) for value in answers)
        return name, tags, (*rows, ScoreRow("accuracy_by_case", sum(answers) / len(answers)))

    tables = Tables(rubric, PicaBenchSuite.aggregation, [case("a", [1, 1, 0]), case("b", [0])])
    assert tables.overall("accuracy") == 50
    assert tables.overall("accuracy_by_case") == pytest.approx(100 / 3)
    assert tables.cell("law", "reflection", "accuracy") == 50


def test_tables_by_level_and_language_are_there_only_where_rows_have_them() -> None:
    rubric = load_rubric("worldedit")
    both = (
        ScoreRow("vc", 2.0, tags={"level": "implicit"}),
        ScoreRow("vc", 4.0, variant="paraphrase", tags={"level": "paraphrase"}),
    )
    tables = Tables(rubric, WorldEditSuite.aggregation, [("a", {"mode": "time"}, both)])
    assert tables.keys("level") == ["implicit", "paraphrase"]
    assert tables.cell("level/mode", "paraphrase/time", "vc") == 4
    assert tables.overall("vc") == 3
    assert tables.keys("language") == []


def test_bounds_put_every_missing_verdict_lowest_and_highest() -> None:
    rubric = load_rubric("rise")
    lost: Status = "unparsed"
    scored: list[Scored] = [
        ("a", {"category": "causal"}, (ScoreRow("score", 5.0), ScoreRow("accuracy", 1.0))),
        ("b", {"category": "causal"}, (ScoreRow("score", None, lost), ScoreRow("accuracy", None, lost))),
    ]
    plan = rubric.aggregation(RiseSuite.aggregation)
    measure = rubric.measure("score")
    rows = counting_for(score_columns(scored, plan), measure)
    found = missing_bounds(
        rows, plan, "score", worst=measure.shown(measure.worst) / 100, best=measure.shown(measure.best) / 100
    )
    assert (found.overall.mean, found.overall.worst, found.overall.best) == (100, 50, 100)
    assert (found.overall.n, found.overall.missing) == (1, 1)
