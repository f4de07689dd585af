"""Streams: number n is always the same problem, and never one of a test set."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import pytest

from editscope import load_suite
from editscope.errors import BadInput
from editscope.suites.generated.stream import training_namespace
from editscope.suites.paintbench.suite import PaintStream
from editscope.suites.registry import benchmarks
from editscope.suites.tinygrafix.suite import ChartStream
from editscope.training.data.disjoint import compare_problems, known_problems, shared_seeds
from editscope.training.data.sources import open_stream

STREAM = "paintbench?tasks=border,recolor&conditions=baseline,vertical"
PRINT = f"""
from editscope.training.data.sources import open_stream
stream = open_stream({STREAM!r}, "training stream 0")
print([stream.case(n).fingerprint for n in (0, 3, 1000)])
"""


@pytest.mark.slow
def test_a_number_has_one_problem_in_every_process() -> None:
    stream = open_stream(STREAM, training_namespace(0))
    here = str([stream.case(number).fingerprint for number in (0, 3, 1000)])
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)}
        done = subprocess.run(
            [sys.executable, "-c", PRINT], env=environment, capture_output=True, text=True, check=True
        )
        assert done.stdout.strip() == here
    other = open_stream(STREAM, training_namespace(1))
    assert str([other.case(number).fingerprint for number in (0, 3, 1000)]) != here


def test_a_round_has_every_cell_once_and_modes_take_turns() -> None:
    stream = PaintStream(training_namespace(0), tasks="recolor,border")
    count = len(stream.cells)
    rounds = [[stream.place(number) for number in range(turn * count, (turn + 1) * count)] for turn in range(3)]
    for turn, places in enumerate(rounds):
        assert {place.cell for place in places} == set(stream.cells) and {place.turn for place in places} == {turn}
    assert [place.cell for place in rounds[0]] != [place.cell for place in rounds[1]]
    recolored = [place for places in rounds for place in places if place.cell == ("recolor", "striped")]
    assert [stream.tags(place)["mode"] for place in recolored] == ["color_code", "dropper", "color_code"]


@pytest.mark.parametrize("name", [record.name for record in benchmarks() if record.stream])
def test_sizes_and_tags_are_known_before_a_problem_is_made(name: str) -> None:
    stream = open_stream(name, training_namespace(0))
    for number in (0, 7):
        case = stream.case(number)
        height, width = case.images[0].shape[:2]  # type: ignore[union-attr]
        assert stream.size(stream.place(number)) == (width, height)
        assert case.tags["task"] == case.details["task"] and case.tags["split"] == "train"
        assert case.details["seed"] in list(stream.seeds(stream.place(number)))


def test_no_set_can_have_the_namespace_of_a_stream() -> None:
    for name in (record.name for record in benchmarks() if record.stream):
        with pytest.raises(BadInput, match="without spaces"):
            load_suite(name, namespace=training_namespace(0))


def test_a_canvas_on_which_problems_hardly_fit_is_refused() -> None:
    with pytest.raises(BadInput, match=r"hardly finds room .*baseline: legend\); leave these tasks or conditions out"):
        open_stream("paintbench?tasks=legend,border&conditions=baseline&canvas=128x128", "x").check()
    open_stream("paintbench?tasks=border&conditions=baseline&canvas=128x128", "x").check()


def test_options_of_sets_are_none_of_streams() -> None:
    with pytest.raises(BadInput, match="no option 'per_cell' of the stream of paintbench"):
        open_stream("paintbench?per_cell=3", "x")
    with pytest.raises(BadInput, match="has no stream of problems; choose one of paintbench, tinygrafix"):
        open_stream("worldedit", "x")


@pytest.mark.slow
def test_training_problems_are_no_test_problems_and_test_problems_are_caught() -> None:
    options: dict[str, Any] = {"tasks": "border,removal", "conditions": "baseline,n_med"}
    known = known_problems(PaintStream, [load_suite("paintbench", **options)])
    fresh = PaintStream(training_namespace(0), **options)
    report = compare_problems(fresh, known, range(40))
    assert report.problems == 40 and report.same == [] and shared_seeds(fresh, known, range(400)) == []
    leaking = PaintStream("paintbench", **options)
    caught = compare_problems(leaking, known, range(40))
    assert len({pair.number for pair in caught.same}) == 40 and caught.nearest is not None
    assert {pair.unlike for pair in caught.same} == {0.0}
    assert shared_seeds(leaking, known, range(40)) == list(range(40))


@pytest.mark.slow
def test_charts_of_training_are_no_charts_of_tests() -> None:
    known = known_problems(ChartStream, [load_suite("tinygrafix", tasks="add_bar", per_task=6)])
    assert compare_problems(ChartStream(training_namespace(0), tasks="add_bar"), known, range(6)).same == []
    assert len(compare_problems(ChartStream("tinygrafixbench", tasks="add_bar"), known, range(6)).same) == 6


def test_suites_of_another_benchmark_are_not_compared() -> None:
    with pytest.raises(BadInput, match="problems of tinygrafix cannot be compared with the stream of paintbench"):
        known_problems(PaintStream, [load_suite("tinygrafix")])
