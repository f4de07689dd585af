"""Bounds: where a mean lies whatever the missing verdicts would have been, by the metric's own formula."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from random import Random
from typing import Any

import pytest

from editscope.cases import Aggregation, Case, Instruction
from editscope.judges import Verdict
from editscope.results.judged_tables import score_columns
from editscope.scoring.rubrics import Rubric, Unit
from editscope.scoring.rubrics.scales import ScaleRubric
from editscope.suites.inedit.data import InEditSuite
from editscope.suites.kris.data import KrisSuite
from editscope.suites.picabench.data import PicaBenchSuite
from editscope.suites.rise.data import RiseSuite
from editscope.suites.rubrics import load_rubric
from editscope.suites.wiseedit.data import WiseEditSuite
from editscope.suites.worldedit.data import WorldEditSuite
from support.judged.cases import KRIS_TAGS, a_case, asked, bilingual
from support.judged.lines import overall, run_info, score_line, tables

Key = tuple[str, str, str]
"""A case, a unit and a call."""


def paths(name: str) -> Case:
    texts = (Instruction("Go left.", variant="A"), Instruction("Go right.", variant="B"))
    return a_case(name, {"category": "process_plausibility"}, *texts)


SUITES: dict[str, tuple[str, dict[str, str], Aggregation, list[Case]]] = {
    "rise": (
        "rise",
        {},
        RiseSuite.aggregation,
        [
            a_case("a", {"category": "temporal"}),
            a_case("b", {"category": "causal"}, details={"consistency_free": True}),
            a_case("c", {"category": "logical"}),
        ],
    ),
    "picabench": (
        "picabench",
        {},
        PicaBenchSuite.aggregation,
        [asked("a", "reflection", "Yes", "No", "Yes"), asked("b", "causality", "No"), asked("c", "causality", "Yes")],
    ),
    "inedit": (
        "inedit",
        {},
        InEditSuite.aggregation,
        [
            a_case("a", {"category": "state_transition"}),
            a_case("b", {"category": "dynamic_process"}, checklist="Check Item 1"),
            paths("c"),
        ],
    ),
    "kris": (
        "kris",
        {},
        KrisSuite.aggregation,
        [
            a_case("a", {**KRIS_TAGS, "category": "color_change"}),
            a_case("b", {**KRIS_TAGS, "category": "physics"}),
        ],
    ),
    "wiseedit": (
        "wiseedit",
        {},
        WiseEditSuite.aggregation,
        [bilingual("a", "awareness"), bilingual("b", "imagination")],
    ),
    "worldedit": (
        "worldedit",
        {},
        WorldEditSuite.aggregation,
        [a_case("a", {"mode": "time"}), a_case("b", {"mode": "light"})],
    ),
    "worldedit, gate enforced": (
        "worldedit",
        {"kp_gate": "enforced"},
        WorldEditSuite.aggregation,
        [a_case("a", {"mode": "time"}), a_case("b", {"mode": "light"})],
    ),
}


def every_call(rubric: Rubric, cases: list[Case]) -> Iterator[tuple[Key, list[dict[str, Any]]]]:
    """Every call about some cases with all that a judge may say to it."""
    for case in cases:
        for unit in rubric.units(case):
            for key in rubric.keys(case, unit):
                yield (case.id, unit.name, key), _sayable(rubric, case, unit, key)


def _sayable(rubric: Rubric, case: Case, unit: Unit, key: str) -> list[dict[str, Any]]:
    if not isinstance(rubric, ScaleRubric):
        return [{"answer": True}, {"answer": False}]
    ask = next(ask for ask in rubric.asks(case, unit) if ask.key == key)
    best = 10 if rubric.name == "wiseedit" else 5
    scale = range(2) if "_logical" in ask.prompt else range(1, best + 1)
    return [dict(zip(ask.metrics, values, strict=True)) for values in product(scale, repeat=len(ask.metrics))]


def lines_of(rubric: Rubric, cases: list[Case], said: Mapping[Key, dict[str, Any] | None]) -> list[dict[str, Any]]:
    lines = []
    for case in cases:
        for unit in rubric.units(case):
            told = {key: said[case.id, unit.name, key] for key in rubric.keys(case, unit)}
            verdicts = {key: [Verdict("refused") if v is None else Verdict("ok", v)] for key, v in told.items()}
            lines.append(score_line(rubric, case, unit, verdicts))
    return lines


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", list(SUITES))
def test_bounds_are_the_least_and_the_most_that_any_verdicts_would_give(name: str, seed: int) -> None:
    protocol, options, aggregation, cases = SUITES[name]
    rubric, random = load_rubric(protocol, **options), Random(f"{name} {seed}")
    calls = dict(every_call(rubric, cases))
    said = {key: random.choice(values) for key, values in calls.items()}
    # Full marks now and then, so that accuracy hangs on what is missing.
    said |= {
        key: values[0 if protocol == "picabench" else -1] for key, values in calls.items() if random.random() < 0.7
    }
    gone = random.sample(sorted(calls), 2 if protocol != "wiseedit" or seed % 2 else 1)
    info = run_info(rubric, aggregation)
    found = tables(info, lines_of(rubric, cases, {**said, **dict.fromkeys(gone)}))["overall"]
    possible = [
        overall(info, lines_of(rubric, cases, {**said, **dict(zip(gone, values, strict=True))}))
        for values in product(*(calls[key] for key in gone))
    ]
    for measure in rubric.measures:
        values = [mean for one in possible if (mean := one[measure.name]) is not None]
        cell = found[measure.name]
        if values:
            ends = (cell.get("worst", cell["mean"]), cell.get("best", cell["mean"]))
            assert ends == pytest.approx((min(values), max(values))), measure.name


def rows_of(name: str, case: Case, said: Mapping[str, Any], **options: Any) -> dict[str, list[Any]]:
    """Value and ends of every row of a case by metric; none for a call that was refused."""
    rubric = load_rubric(name, **options)
    (unit,) = rubric.units(case)
    field = "answer" if name == "picabench" else "score"
    verdicts = {key: [Verdict("refused") if v is None else Verdict("ok", {field: v})] for key, v in said.items()}
    line = score_line(rubric, case, unit, verdicts)
    columns = score_columns(run_info(rubric, Aggregation(*EMPTY)), [({}, line)])
    rows = zip(columns["metric"], columns["key"], columns["value"], columns["low"], columns["high"], strict=True)
    return {f"{metric} {key}".strip() if metric == "accuracy" else metric: ends for metric, key, *ends in rows}


EMPTY: Any = (RiseSuite.aggregation.overall, (), ())


def test_one_missing_verdict_leaves_a_rise_score_between_two_numbers_and_not_wholly_unknown() -> None:
    # R 4, V 3: 0.5 · 4 + 0.3 · C + 0.2 · 3 with C from 1 to 5.
    rows = rows_of("rise", SUITES["rise"][3][0], {"reasoning": 4, "consistency": None, "plausibility": 3})
    assert rows["score"] == [None, pytest.approx(2.9), pytest.approx(4.1)]
    assert rows["accuracy"] == [0.0, 0.0, 0.0]
    # C 5, V 5, R missing: at worst R = 1 halves 0.5 + 1.5 + 1 to 1.5.
    rows = rows_of("rise", SUITES["rise"][3][0], {"reasoning": None, "consistency": 5, "plausibility": 5})
    assert rows["score"] == [None, pytest.approx(1.5), pytest.approx(5.0)]
    assert rows["accuracy"] == [None, 0.0, 1.0]


def test_one_missing_answer_leaves_a_share_of_answers_and_not_nothing() -> None:
    rows = rows_of("picabench", asked("a", "reflection", "Yes", "Yes", "No"), {"q1": True, "q2": None, "q3": True})
    assert rows["accuracy_by_case"] == [0.5, pytest.approx(1 / 3), pytest.approx(2 / 3)]
    assert rows["accuracy q2"] == [None, 0.0, 1.0]
    assert rows["accuracy q1"] == [1.0, 1.0, 1.0]


def test_accuracy_of_inedit_may_be_full_where_only_a_missing_verdict_stands_against_it() -> None:
    case = SUITES["inedit"][3][0]
    assert rows_of("inedit", case, {"ac": 5, "pq": 5, "sc": None, "lc": 5})["accuracy"] == [0.0, 0.0, 1.0]
    assert rows_of("inedit", case, {"ac": 5, "pq": 4, "sc": None, "lc": 5})["accuracy"] == [0.0, 0.0, 0.0]


def test_the_gate_of_worldedit_decides_knowledge_that_nobody_judged() -> None:
    case = SUITES["worldedit"][3][0]
    rows = rows_of("worldedit", case, {"vc": 5, "vq": 5, "if": 2, "kp": None}, kp_gate="enforced")
    assert rows["kp"] == [1.0, 1.0, 1.0]
    rows = rows_of("worldedit", case, {"vc": 5, "vq": 5, "if": None, "kp": 4}, kp_gate="enforced")
    assert (rows["if"], rows["kp"]) == ([None, 1.0, 5.0], [4.0, 1.0, 4.0])


def test_rows_of_older_journals_lie_anywhere_on_their_scale() -> None:
    rubric = load_rubric("kris")
    case = SUITES["kris"][3][0]
    (unit,) = rubric.units(case)
    line = score_line(rubric, case, unit, {})
    for row in line["rows"]:
        row.pop("low"), row.pop("high")
    columns = score_columns(run_info(rubric, KrisSuite.aggregation), [({}, line)])
    assert set(zip(columns["value"], columns["low"], columns["high"], strict=True)) == {(None, 1.0, 5.0)}
