"""Each reference editor for effects fails in one way, and a run says which."""

from __future__ import annotations

import collections
from dataclasses import replace

import numpy as np
import pytest

import editscope as es
from editscope.cases import Case
from editscope.editors import Request, load_editor, request_seed
from editscope.editors.reference_effects import EFFECT_FLAWS
from editscope.errors import BadInput
from editscope.images import Pixels, load
from editscope.scoring import EffectScore, score_effects
from support.effects.effect_cases import Scenes

DIAGNOSIS = {
    "identity": "execution_omission",
    "oracle": "success",
    "resized": "success",
    "noise": "color_imprecision",
    "unrelated": "structural_catastrophe",
    "cutout": "consequences_missing",
    "consequences": "consequences_only",
    "faint": "too_weak",
    "gain": "tone_shift",
    "shifted_shadow": "misplaced_consequences",
}
NO_DIRECT = {"cutout": "execution_omission", "consequences": "success"}
"""What the two are where nothing is direct: an editor that changes nothing, and one that is right."""


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    return list(Scenes(per_task=8))


def edit(name: str, case: Case, seed: int = 0) -> Pixels:
    request = Request(
        case.id,
        (load(case.images[0]),),
        "do",
        request_seed(seed, case.id),
        answer=load(case.answer),  # type: ignore[arg-type]
        effects=case.effects,
    )
    made = load_editor(f"ref:{name}").edit(request)
    assert isinstance(made, np.ndarray)
    return made


def scored(name: str, case: Case) -> EffectScore:
    before, answer = load(case.images[0]), load(case.answer)  # type: ignore[arg-type]
    return score_effects(before, answer, edit(name, case), case.effects, case.ignored)


def test_every_reference_editor_for_effects_has_its_diagnosis_here() -> None:
    assert set(EFFECT_FLAWS) <= set(DIAGNOSIS)


@pytest.mark.parametrize("name", DIAGNOSIS)
def test_a_reference_editor_is_diagnosed_as_what_it_is(name: str, cases: list[Case]) -> None:
    if name == "shifted_shadow":  # fog from edge to edge leaves the picture when it is moved
        cases = [case for case in cases if case.tags["task"] != "fog"]
    found = collections.Counter((case.tags["task"], scored(name, case).failure) for case in cases)
    for (task, mode), n in found.items():
        expected = NO_DIRECT.get(name, DIAGNOSIS[name]) if task == "fog" else DIAGNOSIS[name]
        assert mode == expected, (name, task, mode, n)


def test_cutout_has_all_of_the_object_and_nothing_that_follows(cases: list[Case]) -> None:
    for case in cases:
        score = scored("cutout", case)
        if case.tags["task"] == "fog":
            assert (score.direct, score.gap, score.consequences) == (None, None, 0.0)
        else:
            assert (score.direct, score.consequences, score.gap) == (1.0, 0.0, 1.0)
        assert set(score.pixels.preservation_accuracy) == {1.0}


def test_consequences_is_the_reverse(cases: list[Case]) -> None:
    for case in cases:
        score = scored("consequences", case)
        assert score.consequences == 1.0
        assert score.gap == (None if case.tags["task"] == "fog" else -1.0)


def test_faint_recovers_half_of_everything(cases: list[Case]) -> None:
    for case in cases:
        for effect in scored("faint", case).effects:
            assert effect.recovery == pytest.approx(0.5, abs=0.02)


def test_a_gain_is_forgiven_after_the_best_gain_only(cases: list[Case]) -> None:
    for case in cases:
        score = scored("gain", case)
        metrics = score.metrics()
        assert metrics["preservation_accuracy"] < 0.6 < 0.9 < metrics["gain_preservation"]  # type: ignore[operator]
        assert score.consequences < 0.9 < 0.95 < metrics["gain_consequences"]  # type: ignore[operator]


@pytest.mark.parametrize("name", EFFECT_FLAWS)
def test_an_edit_depends_on_the_seed_and_changes_nothing_given(name: str, cases: list[Case]) -> None:
    case = replace(cases[0], images=(load(cases[0].images[0]),))
    kept = load(case.images[0]).copy(), load(case.answer).copy()  # type: ignore[arg-type]
    assert np.array_equal(edit(name, case), edit(name, case))
    assert np.array_equal(load(case.images[0]), kept[0])
    assert np.array_equal(load(case.answer), kept[1])  # type: ignore[arg-type]
    if name == "gain":
        assert not np.array_equal(edit(name, case), edit(name, case, seed=1))


def test_a_case_without_effects_is_refused(cases: list[Case]) -> None:
    with pytest.raises(BadInput, match="case remove_object/000 names no effects, which ref:cutout needs"):
        edit("cutout", replace(cases[0], effects=()))


def test_a_resized_request_has_masks_of_its_size(cases: list[Case]) -> None:
    """Masks follow the pictures, so that the wrapper and the editor inside agree on where the object is."""
    case = cases[0]
    request = Request(case.id, (load(case.images[0]),), "do", 0, answer=load(case.answer), effects=case.effects)  # type: ignore[arg-type]
    made = load_editor("resize(size=128x128):ref:cutout").edit(request)
    assert isinstance(made, es.Edit)
    before, answer = load(case.images[0]), load(case.answer)  # type: ignore[arg-type]
    score = score_effects(before, answer, load(made.image), case.effects, case.ignored)  # type: ignore[arg-type]
    assert score.failure == "consequences_missing"
