"""Each reference editor has one known flaw, comes out the same every time, and is diagnosed as what it is."""

from __future__ import annotations

import collections

import numpy as np
import pytest

import editscope as es
from editscope.cases import Case
from editscope.editors import Request, load_editor, request_seed
from editscope.editors.reference import FLAWS
from editscope.errors import BadInput
from editscope.images import Pixels, load

DIAGNOSIS = {
    "identity": "execution_omission",
    "oracle": "success",
    "drift": "color_imprecision",
    "jpeg": "color_imprecision",
    "noise": "color_imprecision",
    "shift": "structural_imprecision",
    "half": "structural_imprecision",
    "blur": "structural_imprecision",
    "unrelated": "structural_catastrophe",
    "resized": "success",
    "cropped": "structural_imprecision",
}


@pytest.fixture(scope="module")
def problems() -> list[tuple[Case, Pixels, Pixels]]:
    """Forty problems of PaintBench, two of each task."""
    suite = es.load_suite("paintbench")
    cases = [suite[case_id] for case_id in tuple(suite.ids)[::48]]
    return [(case, load(case.images[0]), load(case.answer)) for case in cases]  # type: ignore[arg-type]


def edit(name: str, case_id: str, source: Pixels, answer: Pixels, seed: int = 0) -> Pixels:
    request = Request(case_id, (source,), "do", request_seed(seed, case_id), answer=answer)
    made = load_editor(f"ref:{name}").edit(request)
    assert isinstance(made, np.ndarray)
    return made


def test_every_reference_editor_has_its_diagnosis_here() -> None:
    assert set(DIAGNOSIS) == set(FLAWS)


@pytest.mark.slow
@pytest.mark.parametrize("name", DIAGNOSIS)
def test_a_reference_editor_is_diagnosed_as_what_it_is(name: str, problems: list[tuple[Case, Pixels, Pixels]]) -> None:
    found = collections.Counter(
        es.score_pixels(source, answer, edit(name, case.id, source, answer)).failure
        for case, source, answer in problems
    )
    exact = name in ("identity", "oracle", "resized", "unrelated")
    assert found[DIAGNOSIS[name]] >= (len(problems) if exact else 0.9 * len(problems)), found


@pytest.mark.slow
@pytest.mark.parametrize("name", DIAGNOSIS)
def test_an_edit_depends_on_the_seed_and_nothing_else(name: str, problems: list[tuple[Case, Pixels, Pixels]]) -> None:
    case, source, answer = problems[3]
    before = source.copy(), answer.copy()
    first = edit(name, case.id, source, answer)
    assert np.array_equal(first, edit(name, case.id, source, answer))
    assert np.array_equal(source, before[0])
    assert np.array_equal(answer, before[1])
    if name in ("drift", "noise", "unrelated"):
        assert not np.array_equal(first, edit(name, case.id, source, answer, seed=1))


@pytest.mark.parametrize("name", ["drift", "noise"])
def test_color_flaws_leave_no_pixel_right_by_luck(name: str, problems: list[tuple[Case, Pixels, Pixels]]) -> None:
    for case, source, answer in problems[:10]:
        assert (edit(name, case.id, source, answer) != answer).all()


@pytest.mark.slow
def test_half_leaves_half_of_the_changed_pixels_as_they_were(problems: list[tuple[Case, Pixels, Pixels]]) -> None:
    for case, source, answer in problems[:10]:
        made = edit("half", case.id, source, answer)
        changed = np.any(source != answer, axis=-1)
        done = np.all(made == answer, axis=-1)[changed].mean()
        assert done == pytest.approx(0.5, abs=0.15)
        assert np.array_equal(made[~changed], answer[~changed])


@pytest.mark.parametrize("name", ["drift", "jpeg", "noise", "shift", "blur"])
def test_more_strength_is_a_worse_score(name: str, problems: list[tuple[Case, Pixels, Pixels]]) -> None:
    case, source, answer = problems[6]
    scores = [
        es.score_pixels(source, answer, edit(f"{name}?strength={strength}", case.id, source, answer)).miou
        for strength in (0.3, 1, 4)
    ]
    assert scores[0] > scores[1] > scores[2]


@pytest.mark.parametrize("name", DIAGNOSIS)
def test_tiny_and_narrow_pictures_are_no_trouble(name: str) -> None:
    for height, width in ((1, 1), (1, 50), (37, 2)):
        source = np.zeros((height, width, 3), np.uint8)
        made = edit(name, "a/0", source, source + np.uint8(200))
        assert made.dtype == np.uint8
        assert made.ndim == 3
        if name != "resized":
            assert made.shape == source.shape


def test_a_reference_editor_says_when_a_case_has_no_answer() -> None:
    with pytest.raises(BadInput, match="has no answer"):
        load_editor("ref:oracle").edit(Request("a/0", (np.zeros((2, 2, 3), np.uint8),), "do", 0))
