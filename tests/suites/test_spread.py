"""A part of a suite: it touches every row of the tables, grows by adding, and runs keep the cases they began with."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import editscope as es
from editscope.cases import Aggregation, Group
from editscope.runs import execute, make_plan, plan_again
from editscope.runs.selection import selection_json
from editscope.suites.spread import evenly_spaced, spread_over

TABLES = Aggregation(
    Group("overall", (), ("law",)), (Group("law", ("law",)), Group("both", ("law", "size"))), strata=("law",)
)


def counted(suite: es.Suite, limit: int, *tags: str) -> Counter[tuple[str, ...]]:
    """How many of the chosen cases have which values."""
    return Counter(tuple(suite.tags(case_id)[tag] for tag in tags) for case_id in suite.select(limit=limit))


def test_forty_cases_of_paintbench_touch_every_condition_task_and_mode() -> None:
    suite = es.load_suite("paintbench")
    assert counted(suite, 40, "condition") == dict.fromkeys(counted(suite, 1920, "condition"), 5)
    assert len(counted(suite, 40, "task")) == 20
    assert len(counted(suite, 40, "task", "mode")) == 35


def test_hundred_cases_of_paintbench_are_five_of_every_task() -> None:
    suite = es.load_suite("paintbench")
    assert set(counted(suite, 100, "task").values()) == {5}
    assert set(counted(suite, 100, "category").values()) == {25}
    assert set(counted(suite, 100, "condition").values()) <= {12, 13}


@pytest.mark.parametrize("name", ["paintbench", "tinygrafix"])
def test_a_higher_limit_only_adds_cases_and_keeps_the_order_of_the_suite(name: str) -> None:
    suite = es.load_suite(name)
    places = {case_id: place for place, case_id in enumerate(suite.ids)}
    before: set[str] = set()
    for limit in (1, 7, 10, 40, 41, 100, 500):
        chosen = suite.select(limit=limit)
        assert len(set(chosen)) == limit
        assert before <= set(chosen)
        assert [places[case_id] for case_id in chosen] == sorted(places[case_id] for case_id in chosen)
        before = set(chosen)


def test_a_filter_comes_before_the_limit() -> None:
    suite = es.load_suite("tinygrafix")
    operation = suite.tags(suite.ids[0])["operation"]
    chosen = suite.select({"operation": (operation,)}, 5)
    assert {suite.tags(case_id)["operation"] for case_id in chosen} == {operation}
    assert len({suite.tags(case_id)["chart"] for case_id in chosen}) == 5


def test_without_tags_the_cases_are_spread_over_the_whole_suite() -> None:
    plain = Aggregation(Group("overall", ()), (), strata=())
    ids = [f"{place:03d}" for place in range(256)]
    assert spread_over(ids, lambda case_id: {}, plain, 4) == ("000", "064", "128", "192")


def test_the_parts_of_a_pooled_mean_have_their_shares() -> None:
    """Where the overall mean pools all cases, a large group stays large: else the mean of a part would mean less."""
    pooled = Aggregation(Group("overall", ()), (Group("law", ("law",)),), strata=())
    tags = {f"{law}{place}": {"law": law} for law, n in (("light", 800), ("heat", 200)) for place in range(n)}
    chosen = Counter(tags[case_id]["law"] for case_id in spread_over(list(tags), tags.__getitem__, pooled, 50))
    assert chosen == {"light": 40, "heat": 10}


@given(
    cases=st.lists(st.tuples(st.sampled_from(["a", "b", "c", None]), st.sampled_from("xyz")), min_size=2, max_size=60),
    data=st.data(),
)
@settings(max_examples=60, deadline=None)
def test_no_row_is_left_out_while_there_is_a_case_for_it(
    cases: list[tuple[str | None, str]], data: st.DataObject
) -> None:
    tags = {
        f"c{place}": {"size": size} | ({} if law is None else {"law": law}) for place, (law, size) in enumerate(cases)
    }
    limit = data.draw(st.integers(1, len(cases)))
    chosen = spread_over(list(tags), tags.__getitem__, TABLES, limit)
    assert len(set(chosen)) == limit
    rows = {(own["law"], own["size"]) for own in tags.values() if "law" in own}
    touched = {(tags[case_id]["law"], tags[case_id]["size"]) for case_id in chosen if "law" in tags[case_id]}
    assert len(touched) == min(limit, len(rows))


@pytest.fixture(scope="module")
def begun_by_0_1(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of four cases of PaintBench that were chosen as version 0.1 chose them."""
    folder = tmp_path_factory.mktemp("old") / "run"
    suite = es.load_suite("paintbench", canvas="256x256")
    plan = make_plan(suite, "ref:identity", out=folder, limit=4)
    ids = evenly_spaced(suite.ids, 4)
    said = selection_json(suite, ids, None, 4)
    del said["of"]
    execute(replace(plan, ids=ids, info={**plan.info, "selection": said}), jobs=1)
    return folder


@pytest.mark.slow
def test_a_run_of_0_1_keeps_its_cases(begun_by_0_1: Path) -> None:
    suite = es.load_suite("paintbench", canvas="256x256")
    theirs = evenly_spaced(suite.ids, 4)
    assert theirs != suite.select(limit=4)
    assert plan_again(begun_by_0_1).ids == theirs
    assert make_plan(suite, "ref:identity", out=begun_by_0_1, limit=4).ids == theirs
    assert make_plan(suite, "ref:identity", limit=4, cases_like=begun_by_0_1).ids == theirs


@pytest.mark.slow
def test_another_limit_is_another_run(begun_by_0_1: Path) -> None:
    suite = es.load_suite("paintbench", canvas="256x256")
    with pytest.raises(es.EditscopeError, match=r"another run, with 4 cases \(asked: 5 cases\); give another --out"):
        make_plan(suite, "ref:identity", out=begun_by_0_1, limit=5)
