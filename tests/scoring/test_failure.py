"""Each way of failing is told from the others by the curves."""

from __future__ import annotations

import numpy as np
import pytest

from editscope.editors.reference import FLAWS
from editscope.images import Pixels
from editscope.scoring import FAILURE_MODES, FailureThresholds, failure_mode, missing_score, score_pixels

EXPECTED = {
    "oracle": "success",
    "identity": "execution_omission",
    "drift": "color_imprecision",
    "jpeg": "color_imprecision",
    "noise": "color_imprecision",
    "shift": "structural_imprecision",
    "half": "structural_imprecision",
    "blur": "structural_imprecision",
    "unrelated": "structural_catastrophe",
}


COLORS = ((230, 40, 40), (40, 160, 60), (30, 60, 220), (250, 220, 30), (240, 240, 240), (20, 20, 20), (150, 40, 170))


def problem(seed: int) -> tuple[Pixels, Pixels]:
    """Colored discs on a plain ground; the answer adds another."""
    rng = np.random.default_rng(seed)
    ground, *others = rng.permutation(COLORS).astype(np.uint8)
    rows, columns = np.mgrid[:256, :256]
    before = np.full((256, 256, 3), ground, np.uint8)
    for color in others[:3]:
        x, y = rng.integers(20, 236, 2)
        before[(columns - x) ** 2 + (rows - y) ** 2 < rng.integers(15, 30) ** 2] = color
    answer = before.copy()
    answer[(columns - 128) ** 2 + (rows - 128) ** 2 < 30**2] = others[3]
    return before, answer


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("flaw", EXPECTED)
def test_a_reference_editor_is_diagnosed_as_what_it_is(flaw: str, seed: int) -> None:
    before, answer = problem(seed)
    output = FLAWS[flaw](before, answer, 1.0, np.random.default_rng(seed))
    assert score_pixels(before, answer, output).failure == EXPECTED[flaw]


def test_an_untouched_picture_is_an_omission_even_where_the_edit_is_faint() -> None:
    before, _ = problem(0)
    answer = before.copy()
    answer[50:90, 50:90] ^= 1  # so faint that the input is within tolerance
    assert score_pixels(before, answer, before).edit_accuracy[-1] == 1.0
    assert score_pixels(before, answer, before).failure == "execution_omission"


def test_where_nothing_was_to_be_done_doing_nothing_is_success() -> None:
    before, _ = problem(0)
    assert score_pixels(before, before, before).failure == "success"


def test_the_edit_in_the_wrong_place_with_the_rest_kept_is_not_a_catastrophe() -> None:
    assert failure_mode([0.3] * 11, [0.9] * 11, [0.1] * 11) == "structural_imprecision"


def test_the_thresholds_are_what_decides() -> None:
    curves = ([0.85] * 11, [1.0] * 11, [0.85] * 11)
    assert failure_mode(*curves) == "structural_imprecision"
    assert failure_mode(*curves, thresholds=FailureThresholds(success=0.8)) == "success"


@pytest.mark.parametrize("level", [0.0, 0.1, 0.5, 0.9, 1.0])
@pytest.mark.parametrize("kept", [0.0, 0.3, 0.6, 1.0])
def test_every_picture_has_one_of_the_five_modes(level: float, kept: float) -> None:
    assert failure_mode([level] * 11, [kept] * 11, [level * kept] * 11) in FAILURE_MODES


def test_no_output_at_all_is_nothing_that_resembles_the_answer() -> None:
    assert missing_score(*problem(0)).failure == "structural_catastrophe"
