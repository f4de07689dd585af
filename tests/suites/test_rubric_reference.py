"""Every cell of every suite's tables, over random subsets with random missing verdicts, against a slow plain version.

The plain versions below share no code with the package: they go from the replies to each cell with loops.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from editscope.cases import Aggregation, Case, Instruction, Question, Status
from editscope.judges import Verdict
from editscope.scoring.rubrics import Unit
from editscope.stats.summary import summarize
from editscope.suites.inedit.data import InEditSuite
from editscope.suites.kris.data import CATEGORIES, KrisSuite
from editscope.suites.picabench.data import LAWS, PicaBenchSuite
from editscope.suites.rise.data import RiseSuite
from editscope.suites.rubrics import load_rubric
from editscope.suites.wiseedit.data import WiseEditSuite
from editscope.suites.worldedit.data import MODES, WorldEditSuite
from support.judged.rubric_columns import measured, score_columns

DOT = np.zeros((1, 1, 3), np.uint8)
Cells = dict[tuple[str, str, str], float | None]
"""A table row by kind and key, a measure, and the mean that stands there."""


@dataclass(frozen=True)
class Judged:
    """One unit as it was drawn: its case, its replies by call and field, and whether there was an edit at all."""

    case: Case
    variants: tuple[str, ...]
    replies: Mapping[str, Mapping[str, list[int | None]]]
    edited: bool

    def said(self, call: str, field: str = "score") -> Fraction | None:
        """The mean of the replies that are there."""
        values = [Fraction(int(v)) for v in self.replies[call][field] if v is not None]
        return sum(values, Fraction(0)) / len(values) if values else None

    def verdicts(self) -> dict[str, list[Verdict]]:
        found: dict[str, list[Verdict]] = {}
        for call, fields in self.replies.items():
            number = len(next(iter(fields.values())))
            found[call] = [
                Verdict("unparsed")
                if any(values[i] is None for values in fields.values())
                else Verdict("ok", {name: values[i] for name, values in fields.items()})  # type: ignore[misc]
                for i in range(number)
            ]
        return found


def draw(rng: Random, fields: Mapping[str, tuple[int, int]], samples: int) -> dict[str, list[int | None]]:
    """Replies to one call; a lost one is lost for all its fields."""
    lost = [rng.random() < 0.3 for _ in range(samples)]
    # Few values, so that full marks and failures are not rare.
    return {
        name: [None if gone else rng.choice((low, high, rng.randint(low, high))) for gone in lost]
        for name, (low, high) in fields.items()
    }


def mean(values: Iterable[Any]) -> Any:
    there = [value for value in values if value is not None]
    return sum(there, Fraction(0)) / len(there) if there else None


def percent(value: Fraction | None) -> Fraction | None:
    return None if value is None else value * 100


def compare(name: str, suite: Aggregation, drawn: Sequence[Judged], expected: Cells, **options: Any) -> None:
    """What the rubric and the statistics make of the verdicts is what the plain version says."""
    rubric = load_rubric(name, **options)
    scored = []
    for one in drawn:
        missing: Status | None = None if one.edited else "no_output"
        unit = Unit(one.case.id, one.variants)
        assert unit in rubric.units(one.case)
        assert set(one.replies) == set(rubric.keys(one.case, unit))
        scored.append((one.case.id, one.case.tags, rubric.rows(one.case, unit, one.verdicts(), {}, missing)))
    plan = rubric.aggregation(suite)
    names = [measure.name for measure in rubric.measures]
    found = summarize(measured(score_columns(scored, plan), rubric.measures), plan, names, resamples=0)
    cells: Cells = {("overall", "", measure): cell["mean"] for measure, cell in found["overall"].items()}
    cells |= {(row["by"], row["key"], row["metric"]): row["mean"] for row in found["groups"]}
    for place, value in expected.items():
        if value is None:
            assert cells.get(place) is None, place
        else:
            assert cells[place] == pytest.approx(float(value), abs=1e-7), place


def drawn_set(seed: int, most: int, make: Callable[[Random, int, int], list[Judged]]) -> list[Judged]:
    rng = Random(seed)
    samples = rng.choice((1, 1, 2, 3))
    return [one for number in range(rng.randint(1, most)) for one in make(rng, number, samples)]


SEEDS = st.integers(0, 2**32)
FEW = settings(max_examples=25, deadline=None)


@pytest.mark.slow
@FEW
@given(SEEDS)
def test_worldedit(seed: int) -> None:
    metrics = ("vc", "vq", "if", "kp")

    def make(rng: Random, number: int, samples: int) -> list[Judged]:
        case = Case(str(number), "worldedit", (DOT,), (Instruction("Wet it."),), {"mode": rng.choice(MODES[:4])})
        replies = {metric: draw(rng, {"score": (1, 5)}, samples) for metric in metrics}
        return [Judged(case, ("",), replies, rng.random() > 0.15)]

    drawn = drawn_set(seed, 14, make)
    for gated in (False, True):
        table: dict[str, dict[str, list[Any]]] = {}
        for one in drawn:
            scores = {m: one.said(m) if one.edited else Fraction(1) for m in metrics}
            if gated and scores["if"] is not None and scores["if"] <= 2:  # settled, whatever the call about KP said
                scores["kp"] = Fraction(1)
            row = table.setdefault(one.case.tags["mode"], {})
            for metric, value in (*scores.items(), ("average", mean(scores.values()))):
                row.setdefault(metric, []).append(value)
        expected: Cells = {}
        for measure in (*metrics, "average"):
            modes = {mode: mean(row[measure]) for mode, row in table.items()}
            expected |= {("mode", mode, measure): value for mode, value in modes.items()}
            expected["overall", "", measure] = mean(modes.values())
        compare("worldedit", WorldEditSuite.aggregation, drawn, expected, kp_gate="enforced" if gated else None)


@FEW
@given(SEEDS)
def test_wiseedit(seed: int) -> None:
    applies = {"awareness": "kf", "interpretation": "kf", "imagination": "cf"}

    def make(rng: Random, number: int, samples: int) -> list[Judged]:
        task, count = rng.choice(list(applies)), rng.choice((1, 2))
        tags = {"task": task, "inputs": "single" if count == 1 else "multi", "images": str(count)}
        texts = tuple(Instruction("x", language=language, variant=language) for language in ("en", "cn"))
        case = Case(str(number), "wiseedit", (DOT,) * count, texts, tags)
        metrics = ("if", "dp", "vq", applies[task])
        return [
            Judged(case, (v,), {m: draw(rng, {"score": (1, 10)}, samples) for m in metrics}, rng.random() > 0.15)
            for v in rng.choice((["en"], ["cn"], ["en", "cn"]))
        ]

    drawn = drawn_set(seed, 12, make)

    def tasks(language: str, inputs: str, metric: str = "") -> dict[str, Any]:
        """Task by task, the mean of metric means in percent."""
        found = {}
        for task, last in applies.items():
            units = [
                one
                for one in drawn
                if one.case.tags["task"] == task
                and one.variants == (language,)
                and inputs in ("", one.case.tags["inputs"])
            ]
            means = []
            for m in ("if", "dp", "vq", last):
                scores = [one.said(m) if one.edited else Fraction(1) for one in units]
                means += [mean(None if s is None else (s - 1) / 9 * 100 for s in scores)] if metric in ("", m) else []
            found[task] = mean(means)
        return found

    expected: Cells = {}
    languages = {}
    for language in ("en", "cn"):
        average = tasks(language, "")
        languages[language] = mean(average.values())
        expected |= {("language/task", f"{language}/{task}", "average"): value for task, value in average.items()}
        expected["language", language, "average"] = languages[language]
        expected["language", language, "kf"] = mean(tasks(language, "", "kf").values())
        expected["language/inputs", f"{language}/multi", "average"] = mean(tasks(language, "multi").values())
    expected["overall", "", "average"] = mean(languages.values())
    compare("wiseedit", WiseEditSuite.aggregation, drawn, expected)


@FEW
@given(SEEDS)
def test_inedit(seed: int) -> None:
    metrics = ("ac", "pq", "sc", "lc", "sp", "pp")

    def make(rng: Random, number: int, samples: int) -> list[Judged]:
        category = rng.choice(("state_transition", "dynamic_process", "process_plausibility"))
        pair = category == "process_plausibility"
        texts = tuple(Instruction("x", variant=v) for v in (("A", "B") if pair else ("",)))
        tags = {"category": category} if pair else {"category": category, "subtask": f"{category}_{number % 2}"}
        checklist = "1. It grows." if category == "dynamic_process" else None
        case = Case(str(number), "inedit", (DOT,), texts, tags, checklist=checklist)
        calls = ("pp",) if pair else ("ac", "pq", "sc", "lc", *(("sp",) if checklist else ()))
        replies = {call: draw(rng, {"score": (1, 5) if rng.random() < 0.5 else (4, 5)}, samples) for call in calls}
        return [Judged(case, ("A", "B") if pair else ("",), replies, rng.random() > 0.15)]

    drawn = drawn_set(seed, 14, make)

    def shown(one: Judged, metric: str) -> Any:
        if not one.edited:
            return Fraction(0)
        score = one.said(metric)
        return None if score is None else (score - 1) * 25

    def cells(units: list[Judged]) -> dict[str, Any]:
        means = {m: mean(shown(one, m) for one in units if m in one.replies) for m in metrics}
        single = [one for one in units if "pp" not in one.replies]
        full = [one for one in single if one.edited and all(one.said(m) == 5 for m in one.replies)]
        return {
            **means,
            "overall": mean(means.values()),
            "overall_without_sp": mean(means[m] for m in metrics if m != "sp"),
            "accuracy": Fraction(100 * len(full), len(single)) if single else None,
        }

    expected: Cells = {("overall", "", m): v for m, v in cells(drawn).items()}
    for tag in ("category", "subtask"):
        for key in {one.case.tags.get(tag) for one in drawn} - {None}:
            units = [one for one in drawn if one.case.tags.get(tag) == key]
            expected |= {(tag, str(key), m): v for m, v in cells(units).items()}
    compare("inedit", InEditSuite.aggregation, drawn, expected)


@pytest.mark.slow
@FEW
@given(SEEDS)
def test_kris(seed: int) -> None:
    knowing = {"medicine", "abstract_reasoning"}

    def make(rng: Random, number: int, samples: int) -> list[Judged]:
        category = rng.choice(("count_change", "viewpoint_change", "medicine", "abstract_reasoning"))
        knowledge, dimension = CATEGORIES[category]
        tags = {"knowledge": knowledge, "dimension": dimension, "category": category}
        case = Case(str(number), "kris", (DOT,), (Instruction("x"),), tags)
        replies = {call: draw(rng, {"score": (1, 5)}, samples) for call in ("consistency", "quality")}
        if category in knowing:
            replies["knowledge"] = draw(rng, {"instruction": (1, 5), "knowledge": (1, 5)}, samples)
        else:
            replies["instruction"] = draw(rng, {"score": (1, 5)}, samples)
        return [Judged(case, ("",), replies, rng.random() > 0.15)]

    drawn = drawn_set(seed, 14, make)

    def scores(one: Judged) -> dict[str, Any]:
        where = {"vc": ("consistency", "score"), "vq": ("quality", "score"), "if": ("instruction", "score")}
        if "knowledge" in one.replies:
            where |= {"if": ("knowledge", "instruction"), "kp": ("knowledge", "knowledge")}
        found = {m: one.said(*place) if one.edited else Fraction(1) for m, place in where.items()}
        return {m: None if v is None else (v - 1) * 25 for m, v in found.items()}

    def cells(units: list[Judged]) -> dict[str, Any]:
        each = [scores(one) for one in units]
        found = {m: mean(s.get(m) for s in each) for m in ("vc", "vq", "if", "kp")}
        return {**found, "average": mean(mean(s.values()) for s in each)}

    expected: Cells = {("overall", "", m): v for m, v in cells(drawn).items()}
    for tag in ("knowledge", "dimension", "category"):
        for key in {one.case.tags[tag] for one in drawn}:
            units = [one for one in drawn if one.case.tags[tag] == key]
            expected |= {(tag, key, m): v for m, v in cells(units).items()}
    compare("kris", KrisSuite.aggregation, drawn, expected)


@FEW
@given(SEEDS)
def test_rise(seed: int) -> None:
    def make(rng: Random, number: int, samples: int) -> list[Judged]:
        category = rng.choice(("causal", "spatial", "logical"))
        free = rng.random() < 0.3
        details = {"consistency_free": free, "reference_txt": "The path is short."}
        case = Case(str(number), "rise", (DOT,), (Instruction("x"),), {"category": category}, details=details)
        calls = ["reasoning", *([] if free else ["consistency"]), *([] if category == "logical" else ["plausibility"])]
        ends = (0, 1) if category == "logical" else (1, 5)
        return [Judged(case, ("",), {c: draw(rng, {"score": ends}, samples) for c in calls}, rng.random() > 0.15)]

    drawn = drawn_set(seed, 14, make)

    def judged(one: Judged) -> tuple[Any, Any]:
        """Score in percent, and full marks."""
        if not one.edited:
            return Fraction(0), Fraction(0)
        said: dict[str, Any] = {call: one.said(call) for call in one.replies}
        if one.case.tags["category"] == "logical":
            said = {
                call: None if value is None else (5 if value == 1 else 1 + 4 * value) for call, value in said.items()
            }
        known = [value for value in said.values() if value is not None]
        if len(known) < len(said):
            return None, Fraction(0) if any(value < 5 for value in known) else None
        r, c, v = said["reasoning"], said.get("consistency"), said.get("plausibility")
        if c is not None and v is not None:
            score = Fraction(1, 2) * r + Fraction(3, 10) * c + Fraction(1, 5) * v
        elif c is not None:
            score = Fraction(7, 10) * r + Fraction(3, 10) * c
        elif v is not None:
            score = Fraction(4, 5) * r + Fraction(1, 5) * v
        else:
            score = r
        score = max(score / 2, Fraction(1)) if r == 1 else score
        return (score - 1) * 25, Fraction(100 * all(value == 5 for value in known))

    expected: Cells = {}
    for by, key in (("overall", ""), *(("category", one.case.tags["category"]) for one in drawn)):
        units = [judged(one) for one in drawn if key in ("", one.case.tags["category"])]
        expected[by, key, "score"] = mean(score for score, _ in units)
        expected[by, key, "accuracy"] = mean(full for _, full in units)
    compare("rise", RiseSuite.aggregation, drawn, expected)


@FEW
@given(SEEDS)
def test_picabench(seed: int) -> None:
    def make(rng: Random, number: int, samples: int) -> list[Judged]:
        law = rng.choice(tuple(LAWS)[:3])
        asked = tuple(
            Question("Wet?", rng.choice(("Yes", "No")), None, rng.choice(("completion", "physics")))
            for _ in range(rng.randint(1, 4))
        )
        tags = {"law": law, "dimension": LAWS[law], "operation": rng.choice(("add", "remove"))}
        texts = tuple(
            Instruction("x", level=v, variant="" if v == "superficial" else v) for v in ("superficial", "explicit")
        )
        case = Case(str(number), "picabench", (DOT,), texts, tags, questions=asked)
        return [
            Judged(
                case,
                (variant,),
                {f"q{q}": draw(rng, {"answer": (0, 1)}, samples) for q in range(1, len(asked) + 1)},
                rng.random() > 0.15,
            )
            for variant in ("", "explicit")
        ]

    drawn = drawn_set(seed, 8, make)
    answered: list[tuple[dict[str, str], str, Any]] = []
    for one in drawn:
        level = one.variants[0] or "superficial"
        for number, question in enumerate(one.case.questions, start=1):
            replies = [v for v in one.replies[f"q{number}"]["answer"] if v is not None]
            right = sum(bool(v) == (question.answer == "Yes") for v in replies)
            value = (
                None
                if not replies
                else Fraction(2 * right > len(replies))
                if 2 * right != len(replies)
                else Fraction(1, 2)
            )
            tags = {**one.case.tags, "level": level, "question_category": question.category}
            answered.append((tags, one.case.id, value if one.edited else Fraction(0)))
    expected: Cells = {("overall", "", "accuracy"): mean(percent(v) for _, _, v in answered)}
    for tag in ("law", "dimension", "operation", "level", "question_category"):
        for key in {tags[tag] for tags, _, _ in answered}:
            expected[tag, key, "accuracy"] = mean(percent(v) for tags, _, v in answered if tags[tag] == key)
    edits = [
        mean(v for tags, case_id, v in answered if (case_id, tags["level"]) == place)
        for place in dict.fromkeys((case_id, tags["level"]) for tags, case_id, _ in answered)
    ]
    expected["overall", "", "accuracy_by_case"] = mean(percent(v) for v in edits)
    compare("picabench", PicaBenchSuite.aggregation, drawn, expected)
