"""Claims about the diagnosis of a run, on made rows whose answers are known."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from editscope.cases import Aggregation, Group
from editscope.scoring import FAILURE_MODES
from editscope.stats import summarize
from editscope.stats.bootstrap import draws
from editscope.stats.diagnosis import (
    MODES,
    Sizes,
    by_region_size,
    deltas,
    extremes,
    failure_shares,
    fidelity,
    largest_differences,
    mean_curves,
    palette_gap,
    specialties,
)
from editscope.stats.diagnosis.sizes import median_interval
from editscope.stats.small_groups import leaves_out

PLAN = Aggregation(
    overall=Group("overall", (), ("task", "category")),
    groups=(
        Group("category", ("category",), ("task",)),
        Group("task", ("task",)),
        Group("condition", ("condition",), ("task",)),
    ),
    strata=("task",),
    exclude={"split": "preservation"},
    orders={"task": ("recolor", "border", "removal"), "condition": ("baseline", "nonstandard", "striped")},
)
HOME = {"border": "structure", "removal": "structure", "recolor": "color", "preservation": "preservation"}

Row = dict[str, Any]


def row(case_id: str, task: str, condition: str = "baseline", **fields: Any) -> Row:
    usual: Row = {
        "case_id": case_id,
        "variant": "",
        "category": HOME[task],
        "task": task,
        "condition": condition,
        "split": "preservation" if task == "preservation" else "test",
        "status": "ok",
        "failure": "success",
        "miou": 1.0,
        "edit_pixels": 1000,
        "changed_pixels": [1000] * 11,
        "iou_curve": [1.0] * 11,
        "edit_accuracy_curve": [1.0] * 11,
        "preservation_accuracy_curve": [1.0] * 11,
    }
    return usual | fields


def columns(rows: list[Row]) -> dict[str, list[Any]]:
    return {name: [entry[name] for entry in rows] for name in rows[0]}


def many(n: int = 240) -> dict[str, list[Any]]:
    """A run with something of everything."""
    rng = np.random.default_rng(5)
    conditions = ("baseline", "nonstandard", "striped")
    rows = []
    for i in range(n):
        condition = conditions[i % 3]
        curve = np.sort(rng.random(11)).tolist()
        exact = 0.1 if condition == "nonstandard" else 0.6
        rows.append(
            row(
                f"{i:03d}",
                ("border", "removal", "recolor")[i // 3 % 3],
                condition,
                miou=float(rng.random()) * (0.5 if condition == "striped" else 1.0),
                failure=str(rng.choice(MODES[:5])),
                edit_pixels=int(10 ** rng.uniform(1.5, 5.5)),
                changed_pixels=rng.integers(0, 50_000, 11).tolist(),
                iou_curve=curve,
                edit_accuracy_curve=[exact, *curve[1:]],
                preservation_accuracy_curve=[exact / 2, *curve[1:]],
            )
        )
    return columns(rows)


def shuffled(rows: dict[str, list[Any]]) -> dict[str, list[Any]]:
    order = list(range(len(rows["case_id"])))
    random.Random(1).shuffle(order)
    return {name: [values[i] for i in order] for name, values in rows.items()}


# --- failure modes --------------------------------------------------------------------------------


def test_the_shares_know_every_mode_that_scoring_gives() -> None:
    assert set(MODES) == {*FAILURE_MODES, "no_output"}


def test_shares_count_cases_and_sum_to_one() -> None:
    rows = [row(f"{i}", "border", failure="execution_omission") for i in range(3)]
    rows += [row("x", "border"), row("y", "removal", failure="no_output", status="no_output")]
    border, removal = failure_shares(columns(rows))
    assert (border.key, border.n, border.shares["execution_omission"], border.shares["success"]) == (
        ("border",),
        4,
        0.75,
        0.25,
    )
    assert removal.shares == {**dict.fromkeys(MODES, 0.0), "no_output": 1.0}
    (everything,) = failure_shares(columns(rows), by=())
    assert (everything.key, everything.n, sum(everything.shares.values())) == ((), 5, 1.0)


def test_diagnostic_cases_stay_out_unless_they_are_all_there_is() -> None:
    rows = [row("a", "border"), row("p", "preservation", failure="structural_catastrophe")]
    assert [s.key for s in failure_shares(columns(rows), exclude=PLAN.exclude)] == [("border",)]
    (only,) = failure_shares(columns(rows[1:]), by=("split",), exclude=PLAN.exclude)
    assert only.shares["structural_catastrophe"] == 1.0


def test_shares_come_in_the_order_of_the_suite() -> None:
    rows = many()
    assert [s.key[0] for s in failure_shares(rows, orders=PLAN.orders)] == ["recolor", "border", "removal"]
    pairs = [s.key for s in failure_shares(rows, ("condition", "task"), orders=PLAN.orders)]
    assert pairs[:4] == [
        ("baseline", "recolor"),
        ("baseline", "border"),
        ("baseline", "removal"),
        ("nonstandard", "recolor"),
    ]


# --- region size ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pixels", "label"),
    [(1, "< 32²"), (1023, "< 32²"), (1024, "32²–64²"), (65_535, "128²–256²"), (65_536, "≥ 256²"), (10**6, "≥ 256²")],
)
def test_a_bin_begins_with_its_lower_edge(pixels: int, label: str) -> None:
    bins = by_region_size(columns([row("a", "border", edit_pixels=pixels)]))
    assert [b.label for b in bins if b.n] == [label]


def test_over_editing_is_the_median_of_changed_pixels_per_pixel_to_change() -> None:
    changed = [[9] * 5 + [ratio * 1000] + [9] * 5 for ratio in (0, 0, 1, 50, 50)]  # only tolerance 5 counts
    both = enumerate(zip(changed, (0, 0, 0.5, 1, 1), strict=True))
    rows = [row(f"{i}", "border", changed_pixels=c, miou=m) for i, (c, m) in both]
    first = by_region_size(columns(rows))[0]
    assert first.over_edit is not None and first.miou is not None
    assert first.over_edit.mean == 1.0
    assert first.miou.mean == 50.0
    assert first.over_edit.lo is not None and first.over_edit.hi is not None
    assert 0 <= first.over_edit.lo <= first.over_edit.hi <= 50


def test_a_missing_output_has_no_ratio_but_counts_as_nothing_right() -> None:
    gone = row("b", "border", status="no_output", failure="no_output", miou=0.0, changed_pixels=[0] * 11)
    first = by_region_size(columns([row("a", "border"), gone]))[0]
    assert first.over_edit is not None and first.miou is not None
    assert (first.n, first.over_edit.mean, first.miou.mean) == (2, 1.0, 50.0)
    alone = by_region_size(columns([gone]))[0]
    assert (alone.n, alone.over_edit) == (1, None)


def test_cases_with_nothing_to_change_and_diagnostic_ones_are_in_no_bin() -> None:
    rows = [row("a", "border", edit_pixels=0), row("p", "preservation"), row("b", "border")]
    assert sum(b.n for b in by_region_size(columns(rows), exclude=PLAN.exclude)) == 1


@pytest.mark.slow
@pytest.mark.parametrize("n", [1, 2, 3, 10, 25, 80, 301])
def test_the_interval_of_a_median_is_the_one_that_drawing_gives(n: int) -> None:
    values = np.sort(np.random.default_rng(n).lognormal(size=n))
    medians = np.concatenate([np.median(values[block], axis=1) for block in draws(0, "any", n, 40_000)])
    low, high = median_interval(values)
    # The ends lie between the values next to those that 40,000 draws give.
    for end, drawn in ((low, np.quantile(medians, 0.025)), (high, np.quantile(medians, 0.975))):
        place = int(np.searchsorted(values, drawn))
        assert values[max(0, place - 2)] <= end <= values[min(n - 1, place + 1)]


def test_the_interval_of_a_median_covers_the_truth_as_often_as_it_says() -> None:
    rng = np.random.default_rng(0)
    covered = sum(low <= 1.0 <= high for low, high in (median_interval(rng.lognormal(size=60)) for _ in range(600)))
    assert 0.92 <= covered / 600 <= 0.98


# --- conditions -----------------------------------------------------------------------------------


def test_a_difference_from_the_baseline_is_that_of_the_table_rows() -> None:
    rows = many()
    table = summarize(rows, PLAN, ["miou"], resamples=0)["groups"]
    means = {cell["key"]: cell["mean"] for cell in table if cell["by"] == "condition"}
    found = deltas(rows, PLAN, "miou")
    assert [d.value for d in found] == ["baseline", "nonstandard", "striped"]
    for delta in found:
        assert delta.mean == pytest.approx(means[delta.value])
        assert delta.difference == pytest.approx(means[delta.value] - means["baseline"])
        assert delta.lo is not None and delta.hi is not None
        assert delta.lo <= delta.difference <= delta.hi
        assert delta.n == 80
    assert (found[0].difference, found[0].lo, found[0].hi) == (0, 0, 0)
    assert leaves_out(found[2].lo, found[2].hi)  # halved scores are told from luck


def test_a_suite_without_conditions_has_no_deltas() -> None:
    rows = many()
    assert deltas(rows, PLAN, "miou", tag="weather") == ()
    assert deltas(rows, PLAN, "miou", baseline="sunny") == ()
    assert palette_gap({name: v for name, v in rows.items() if name != "condition"}, PLAN) is None
    assert palette_gap(columns([row("a", "border"), row("b", "border", "striped")]), PLAN) is None


def test_a_tag_without_a_table_of_its_own_is_averaged_over_cases() -> None:
    rows = columns([row("a", "border", miou=0.0), row("b", "border", miou=1.0), row("c", "removal", miou=0.25)])
    rows["mood"] = ["calm", "wild", "calm"]
    calm, wild = deltas(rows, PLAN, "miou", tag="mood", baseline="calm")
    assert (calm.mean, wild.mean, wild.difference) == (12.5, 100.0, 87.5)


def test_the_palette_gap_is_told_at_exact_match() -> None:
    gap = palette_gap(many(), PLAN)
    assert gap is not None
    assert (gap.n_standard, gap.n_nonstandard) == (80, 80)
    assert gap.edit.standard.mean == pytest.approx(60) and gap.edit.nonstandard.mean == pytest.approx(10)
    assert gap.edit.difference.mean == pytest.approx(-50)
    assert gap.preservation.standard.mean == pytest.approx(30)
    assert leaves_out(gap.preservation.difference.lo, gap.preservation.difference.hi)
    assert gap.preservation.difference.mean < 0


# --- curves ---------------------------------------------------------------------------------------


def test_the_mean_of_the_mean_curve_is_the_benchmarks_miou() -> None:
    rows = many()
    rows["miou"] = [float(np.mean(curve)) for curve in rows["iou_curve"]]
    overall = summarize(rows, PLAN, ["miou"], resamples=0)["overall"]["miou"]["mean"]
    (curves,) = mean_curves(rows, PLAN)
    assert np.mean(curves.iou) == pytest.approx(overall)
    assert (curves.key, curves.n, len(curves.edit_accuracy)) == ((), 240, 11)


def test_curves_by_task_leave_diagnostic_cases_out() -> None:
    rows = columns([row("a", "border"), row("b", "removal", iou_curve=[0.5] * 11), row("p", "preservation")])
    assert [(c.key, c.iou[0]) for c in mean_curves(rows, PLAN, ("task",))] == [(("border",), 100), (("removal",), 50)]


# --- what stands out ------------------------------------------------------------------------------


def test_missing_outputs_are_not_the_hardest_cases() -> None:
    rows = [row(f"{i}", "border", miou=i / 10) for i in range(5)]
    rows += [row("gone", "border", status="no_output", miou=0.0), row("p", "preservation", miou=0.0)]
    hardest, easiest = extremes(columns(rows), "miou", n=2, exclude=PLAN.exclude)
    assert [case.case_id for case in hardest] == ["0", "1"]
    assert [(case.case_id, case.value) for case in easiest] == [("4", 40.0), ("3", 30.0)]


def test_each_instruction_of_a_case_stands_out_for_itself() -> None:
    a = {"case_id": ["x", "x"], "variant": ["", "long"], "status": ["ok", "ok"], "miou": [0.5, 0.25]}
    hardest, _ = extremes(a, "miou", n=1)
    assert (hardest[0].case_id, hardest[0].variant) == ("x", "long")
    assert largest_differences(a, a | {"miou": [0.5, 1.0]}, "miou")[0].variant == "long"


def test_the_largest_differences_come_first_whichever_way_they_go() -> None:
    a = {"case_id": ["x", "y", "z", "same"], "miou": [0.5, 0.0, 1.0, 0.3]}
    b = {"case_id": ["same", "z", "y", "x"], "miou": [0.3, 0.25, 0.5, 0.75]}
    found = largest_differences(a, b, "miou")
    assert [(d.case_id, d.difference) for d in found] == [("z", -75.0), ("y", 50.0), ("x", 25.0)]
    assert largest_differences(a, b, "miou", n=1) == found[:1]


def test_another_problem_under_the_same_name_is_not_compared() -> None:
    a = {"case_id": ["x"], "miou": [0.5], "fingerprint": ["one"]}
    assert largest_differences(a, a | {"miou": [0.0], "fingerprint": ["other"]}, "miou") == ()


def test_specialties_are_told_against_the_models_own_mean() -> None:
    rows = columns([row(f"{t}{i}", t, miou=m) for t, m in (("border", 0.0), ("recolor", 0.9)) for i in range(20)])
    summary = summarize(rows, PLAN, ["miou"], resamples=100)
    best, worst = specialties(summary)
    assert (best.key, best.clear, worst.key, worst.clear) == ("recolor", True, "border", True)
    assert best.above == pytest.approx(45) and worst.above == pytest.approx(-45)


# --- fidelity -------------------------------------------------------------------------------------


def test_models_that_keep_pixels_are_told_from_those_that_redraw() -> None:
    def kept(at_zero: float) -> dict[str, list[Any]]:
        curve = [at_zero, *[1.0] * 10]
        return columns([row(f"{i}", "border", preservation_accuracy_curve=curve) for i in range(4)])

    kinds = [fidelity(kept(share)) for share in (1.0, 0.99, 0.7, 0.02)]
    assert [f.kind for f in kinds if f] == ["keeps pixels", "keeps pixels", "in between", "redraws the picture"]
    assert [f.exact for f in kinds if f] == [100, 0, 0, 0]
    assert [f.median[0] for f in kinds if f] == [100, 99, 70, 2]


def test_the_preservation_split_is_measured_apart() -> None:
    rows = [row("a", "border"), row("p", "preservation", preservation_accuracy_curve=[0.0] * 5 + [0.5] * 6)]
    found = fidelity(columns(rows), exclude=PLAN.exclude)
    assert found is not None and found.diagnostic is not None
    assert (found.n, found.exact, found.diagnostic.n, found.diagnostic.median[5]) == (1, 100, 1, 50)


def test_outputs_of_another_size_and_shape_are_counted() -> None:
    rows = columns([row(name, "border") for name in "abcd"])
    sizes = {
        "a": Sizes((1024, 576), (1024, 576)),
        "b": Sizes((512, 288), (1024, 576)),
        "c": Sizes((1024, 1024), (1024, 576)),
        "d": Sizes((1025, 577), (1024, 576)),  # a pixel of rounding is no other shape
    }
    found = fidelity(rows, sizes)
    assert found is not None
    assert (found.other_size, found.other_shape) == (3, 1)
    unknown = fidelity(rows)
    assert unknown is not None and unknown.other_size is None


def test_a_run_without_outputs_has_no_fidelity() -> None:
    assert fidelity(columns([row("a", "border", status="no_output")])) is None


def test_a_run_of_diagnostic_cases_only_has_nothing_to_say_about_edits() -> None:
    rows = columns([row("p", "preservation", edit_pixels=0)])
    assert all(b.n == 0 and b.miou is None for b in by_region_size(rows, exclude=PLAN.exclude))
    assert deltas(rows, PLAN, "miou") == () and mean_curves(rows, PLAN) == () and palette_gap(rows, PLAN) is None
    assert extremes(rows, "miou", exclude=PLAN.exclude) == ((), ())
    found = fidelity(rows, exclude=PLAN.exclude)
    assert found is not None and found.exact == 100


# --- all of it ------------------------------------------------------------------------------------


def test_nothing_depends_on_the_order_of_rows() -> None:
    rows = many()
    other = shuffled(rows)
    assert by_region_size(rows) == by_region_size(other)
    assert deltas(rows, PLAN, "miou") == deltas(other, PLAN, "miou")
    assert palette_gap(rows, PLAN) == palette_gap(other, PLAN)
    assert mean_curves(rows, PLAN, ("task",)) == mean_curves(other, PLAN, ("task",))
    assert failure_shares(rows, orders=PLAN.orders) == failure_shares(other, orders=PLAN.orders)
    assert extremes(rows, "miou") == extremes(other, "miou")
