"""The training stream of Optics: problems of its own, which sets never have, and scores in batches."""

from __future__ import annotations

import pytest

from editscope.images import load
from editscope.scoring import score_batch
from editscope.suites import load_suite
from editscope.suites.generated.stream import training_namespace
from editscope.suites.optics.suite import OpticsStream
from editscope.training.data.disjoint import compare_problems, known_problems, shared_seeds
from editscope.training.data.sources import open_stream

OPTIONS = {"tasks": "fog,remove_object,recolor_lamp", "levels": "superficial,located", "size": 96}


def test_every_round_has_each_task_at_each_level_once() -> None:
    stream = open_stream("optics?tasks=fog,remove_object&levels=superficial,located&size=96", training_namespace(3))
    assert isinstance(stream, OpticsStream)
    cells = [stream.place(number).cell for number in range(8)]
    assert sorted(cells[:4]) == sorted(cells[4:]) == sorted(stream.cells) and len(stream.cells) == 4


@pytest.mark.slow
def test_problems_of_training_have_effects_and_are_no_problems_of_tests() -> None:
    stream = OpticsStream(training_namespace(0), **OPTIONS)  # type: ignore[arg-type]
    suite = load_suite("optics", per_task=6, **OPTIONS)
    known = known_problems(OpticsStream, [suite])
    assert compare_problems(stream, known, range(12)).same == []
    assert shared_seeds(stream, known, range(600)) == []
    leaking = OpticsStream("optics", **OPTIONS)  # type: ignore[arg-type]
    assert shared_seeds(leaking, known, range(12)) == list(range(12))
    for number in range(6):
        case = stream.case(number)
        assert case.effects and case.tags["split"] == "train"
        assert stream.case(number).details == case.details


@pytest.mark.slow
def test_batches_of_the_stream_are_scored() -> None:
    stream = OpticsStream(training_namespace(1), **OPTIONS)  # type: ignore[arg-type]
    cases = [stream.case(number) for number in range(6)]
    before = [load(case.images[0]) for case in cases]
    answers = [load(case.answer) for case in cases if case.answer is not None]
    assert [score.miou for score in score_batch(before, answers, answers)] == [1.0] * 6
    assert all(score.changed_pixels[0] == 0 for score in score_batch(before, answers, before))
