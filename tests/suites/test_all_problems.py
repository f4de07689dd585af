"""The instrument on the standard set: a right edit scores exactly 100, no edit exactly what the formula says.

``make test`` takes every fourth problem, ``make drills`` all of them.
"""

from __future__ import annotations

import numpy as np
import pytest

from drills import counts
from editscope.images import load
from editscope.scoring import floor_miou, score_pixels
from editscope.suites import load_suite
from editscope.suites.paintbench.catalog import TASKS

pytestmark = pytest.mark.slow


@pytest.mark.drill
@pytest.mark.parametrize("task", TASKS)
def test_on_every_problem_the_oracle_scores_100_and_the_identity_its_closed_form(task: str) -> None:
    suite = load_suite("paintbench", tasks=task)
    assert len(suite) == 96
    for case_id in suite.ids[:: counts.times(usual=20, full=1)]:
        case = suite.case(case_id)
        assert case.answer is not None
        before, answer = load(case.images[0]), load(case.answer)
        right = score_pixels(before, answer, answer)
        assert right.metrics() == {
            "miou": 1.0,
            "iou@0": 1.0,
            "iou@5": 1.0,
            "iou@10": 1.0,
            "edit_accuracy": 1.0,
            "preservation_accuracy": 1.0,
            "over_edit_ratio": right.over_edit_ratio,
        }
        assert right.edit_pixels == int(np.count_nonzero(np.any(before != answer, axis=-1))) >= 64
        nothing = score_pixels(before, answer, before)
        assert nothing.iou[0] == 0.0
        assert set(nothing.preservation_accuracy) == {1.0}
        assert nothing.miou == pytest.approx(floor_miou(before, answer), abs=1e-12)
        assert nothing.miou == pytest.approx(float(np.mean(nothing.edit_accuracy)), abs=1e-12)
        assert set(nothing.changed_pixels) == {0}
