"""Effects are scored in linear light: the input recovers nothing, the answer all, and no order of effects matters."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from editscope.cases import Case, Effect, Instruction
from editscope.errors import BadInput
from editscope.scoring.effect_change import Mask
from editscope.scoring.effects import (
    EffectScore,
    effects_floor,
    grade_effects,
    missing_effects,
    recovery,
    score_effects,
)
from editscope.scoring.gain import best_gain, with_gain
from editscope.scoring.pixels import floor_miou, score_pixels

SIZE = (6, 7)
pictures = arrays(np.uint8, (*SIZE, 3))
masks = arrays(np.bool_, SIZE)
effect_lists = st.lists(
    st.builds(Effect, st.sampled_from(["object", "shadow", "light", "mirror"]), masks, st.booleans()), max_size=5
)


def consistent(before: np.ndarray, answer: np.ndarray, effects: list[Effect], ignored: Mask) -> np.ndarray:
    """An answer that equals the input outside all masks and the ignored pixels, as cases promise."""
    may_change = ignored.copy()
    for effect in effects:
        may_change |= effect.mask
    return np.where(may_change[..., None], answer, before)


@settings(max_examples=60, deadline=None)
@given(pictures, pictures, effect_lists, masks)
def test_the_input_recovers_exactly_nothing_and_the_answer_everything(
    before: np.ndarray, answer: np.ndarray, effects: list[Effect], ignored: Mask
) -> None:
    answer = consistent(before, answer, effects, ignored)
    nothing = score_effects(before, answer, before, effects, ignored)
    everything = score_effects(before, answer, answer, effects, ignored)
    for score, right in ((nothing, 0.0), (everything, 1.0)):
        assert score.gain == (1.0, 1.0, 1.0)
        assert {effect.recovery for effect in score.effects} | {effect.gain_recovery for effect in score.effects} <= {
            right
        }
        assert score.direct in (None, right)
        assert score.consequences in (None, right)
        assert score.gap in (None, 0.0)
        assert set(score.pixels.preservation_accuracy) == set(score.gain_preservation) == {1.0}
    assert everything.failure == "success"
    assert nothing.failure == ("execution_omission" if nothing.effects else "success")


@settings(max_examples=60, deadline=None)
@given(pictures, pictures, pictures, effect_lists, masks, st.randoms())
def test_scores_do_not_change_with_the_order_of_effects(
    before: np.ndarray, answer: np.ndarray, output: np.ndarray, effects: list[Effect], ignored: Mask, random: object
) -> None:
    first = score_effects(before, answer, output, effects, ignored)
    shuffled = list(effects)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    second = score_effects(before, answer, output, shuffled, ignored)
    assert first.metrics() == second.metrics()
    assert first.to_json() == second.to_json()
    assert first.failure == second.failure


@settings(max_examples=60, deadline=None)
@given(pictures, pictures, pictures, effect_lists, masks)
def test_every_number_is_finite_and_in_range_and_survives_the_journal(
    before: np.ndarray, answer: np.ndarray, output: np.ndarray, effects: list[Effect], ignored: Mask
) -> None:
    score = score_effects(before, answer, output, effects, ignored)
    for name, value in score.metrics().items():
        if value is not None and name != "over_edit_ratio":
            assert (-1 if name.endswith("gap") else 0) <= value <= 1, name
    assert all(
        math.isfinite(number)
        for number in (*score.gain, score.strength, score.fit, score.same_light, score.beside, score.made)
    )
    assert EffectScore.from_json(score.to_json()) == score


@settings(max_examples=60, deadline=None)
@given(pictures, pictures, pictures, pictures, effect_lists, masks)
def test_ignored_pixels_count_for_nothing(
    before: np.ndarray, answer: np.ndarray, output: np.ndarray, other: np.ndarray, effects: list[Effect], ignored: Mask
) -> None:
    changed = np.where(ignored[..., None], other, output)
    score = score_effects(before, answer, output, effects, ignored)
    assert score.to_json() == score_effects(before, answer, changed, effects, ignored).to_json()
    assert score.ignored_share == pytest.approx(ignored.mean())


@settings(max_examples=60, deadline=None)
@given(pictures, pictures, pictures)
def test_with_one_effect_on_all_that_changes_the_counts_are_those_of_any_edit(
    before: np.ndarray, answer: np.ndarray, output: np.ndarray
) -> None:
    effects = [Effect("object", (before != answer).any(axis=2), direct=True)]
    score, _ = grade_effects(before, answer, output, effects)
    assert score.pixels == score_pixels(before, answer, output)
    assert effects_floor(before, answer, effects) == floor_miou(before, answer)


@settings(max_examples=60, deadline=None)
@given(pictures, st.tuples(*[st.floats(0.3, 3.0)] * 3))
def test_the_best_gain_is_no_worse_than_any_other(picture: np.ndarray, other: tuple[float, float, float]) -> None:
    from editscope.scoring._lab import LINEAR64

    output = picture[::-1]
    everywhere = np.ones(SIZE, np.bool_)

    def error(gain: tuple[float, float, float]) -> float:
        return float(((LINEAR64[output] * np.array(gain) - LINEAR64[picture]) ** 2).sum())

    assert error(best_gain(picture, output, everywhere)) <= error(other) + 1e-9


@pytest.fixture
def scene() -> tuple[np.ndarray, np.ndarray, list[Effect]]:
    """A smooth picture with an object that becomes bright and a shadow that goes."""
    rows, columns = np.mgrid[0:40, 0:60]
    before = np.stack([90 + columns, 100 + rows, 120 + (rows + columns) // 2], axis=-1).astype(np.uint8)
    masks = np.zeros((2, 40, 60), np.bool_)
    masks[0, 5:15, 5:15] = masks[1, 25:35, 30:50] = True
    answer = before.copy()
    answer[masks[0]], answer[masks[1]] = (220, 200, 60), answer[masks[1]] // 2
    return before, answer, [Effect("object", masks[0], direct=True), Effect("shadow", masks[1])]


def test_a_shadow_beside_its_place_is_misplaced_and_one_that_only_moved_too(
    scene: tuple[np.ndarray, np.ndarray, list[Effect]],
) -> None:
    before, answer, effects = scene
    moved = np.where(effects[0].mask[..., None], answer, before)
    moved[22:32, 8:28] //= 2
    assert score_effects(before, answer, moved, effects).failure == "misplaced_consequences"
    gone, there = np.zeros((2, 40, 60), np.bool_)
    gone[25:35, 10:20] = there[25:35, 30:40] = True
    board = np.full_like(before, 120)
    before, answer = board.copy(), board.copy()
    before[gone], answer[there], answer[effects[0].mask] = 30, 30, 220  # light in sum stays as it is
    wrong = np.where((effects[0].mask | gone)[..., None], answer, before)
    wrong[25:35, 45:55] = 30
    effects = [effects[0], Effect("moved", gone | there)]
    assert score_effects(before, answer, wrong, effects).failure == "misplaced_consequences"


def test_noise_over_a_faint_consequence_is_a_matter_of_color_and_its_absence_is_not(
    scene: tuple[np.ndarray, np.ndarray, list[Effect]],
) -> None:
    before, answer, effects = scene
    shadow = effects[1].mask
    answer[shadow] = before[shadow] - 2  # hardly more than the noise
    noisy = (answer + np.random.default_rng(0).integers(-3, 4, answer.shape)).astype(np.uint8)
    score = score_effects(before, answer, noisy, effects)
    assert score.consequences is not None and score.consequences < 0.3
    assert score.failure == "color_imprecision"
    cutout = np.where(effects[0].mask[..., None], answer, before)
    assert score_effects(before, answer, cutout, effects).failure == "consequences_missing"


def test_an_unrelated_change_does_not_make_missing_consequences_misplaced(
    scene: tuple[np.ndarray, np.ndarray, list[Effect]],
) -> None:
    before, answer, effects = scene
    painted = np.where(effects[0].mask[..., None], answer, before)
    painted[20:24, 2:8] = (250, 30, 30)
    assert score_effects(before, answer, painted, effects).failure == "consequences_missing"


def test_a_tone_shift_is_gone_after_the_best_gain(scene: tuple[np.ndarray, np.ndarray, list[Effect]]) -> None:
    before, answer, effects = scene
    score = score_effects(before, answer, with_gain(answer, (1.2, 0.9, 1.1)), effects)
    metrics = score.metrics()
    assert score.direct is not None
    assert score.direct < 0.9
    assert metrics["gain_consequences"] == pytest.approx(1, abs=0.02)
    assert metrics["gain_direct"] == pytest.approx(1, abs=0.02)
    assert metrics["preservation_accuracy"] < 0.5 < 0.9 < metrics["gain_preservation"]  # type: ignore[operator]
    assert score.gain == pytest.approx((1 / 1.2, 1 / 0.9, 1 / 1.1), rel=0.01)


def test_what_should_change_does_not_decide_about_the_gain(scene: tuple[np.ndarray, np.ndarray, list[Effect]]) -> None:
    before, answer, effects = scene
    assert score_effects(before, answer, np.where(effects[0].mask[..., None], 0, before), effects).gain == (1, 1, 1)


@pytest.mark.parametrize("level", [0, 255])
def test_black_and_white_pictures_have_finite_scores(
    level: int, scene: tuple[np.ndarray, np.ndarray, list[Effect]]
) -> None:
    before, answer, effects = scene
    score = score_effects(before, answer, np.full_like(answer, level), effects)
    assert all(math.isfinite(value) for value in score.metrics().values() if value is not None)
    assert score.failure in ("structural_catastrophe", "structural_imprecision")
    flat = np.full_like(answer, level)
    assert score_effects(flat, flat, flat, effects).metrics()["consequences"] is None


def test_where_masks_cover_nearly_all_an_edit_that_changed_much_is_no_omission(
    scene: tuple[np.ndarray, np.ndarray, list[Effect]],
) -> None:
    before, _, _ = scene
    everywhere = np.ones((40, 60), np.bool_)
    everywhere[:2, :2] = False
    fog = [Effect("fog", everywhere)]
    answer = np.where(everywhere[..., None], before // 2 + 100, before).astype(np.uint8)
    black = np.where(everywhere[..., None], 0, before)
    assert score_effects(before, answer, black, fog).failure == "structural_imprecision"
    hardly = np.where(np.roll(everywhere, 1, axis=1)[..., None], before, before + 1).astype(np.uint8)
    assert score_effects(before, answer, hardly, fog).failure == "execution_omission"


def test_an_output_of_another_size_is_fitted_first(scene: tuple[np.ndarray, np.ndarray, list[Effect]]) -> None:
    before, answer, effects = scene
    twice = answer.repeat(2, axis=0).repeat(2, axis=1)
    score = score_effects(before, answer, twice, effects)
    assert score.pixels.resized
    assert score.pixels.output_size == (120, 80)
    assert score.direct == pytest.approx(1, abs=0.05)


def test_a_case_without_direct_effects_has_no_direct_and_no_gap(
    scene: tuple[np.ndarray, np.ndarray, list[Effect]],
) -> None:
    before, answer, (_, shadow) = scene
    metrics = score_effects(before, answer, answer, [shadow]).metrics()
    assert (metrics["direct"], metrics["gap"], metrics["consequences"]) == (None, None, 1.0)
    assert "recovery:object" not in metrics


def test_no_output_has_no_recovery_and_keeps_the_regions(scene: tuple[np.ndarray, np.ndarray, list[Effect]]) -> None:
    before, answer, effects = scene
    missing, made = missing_effects(before, answer, effects), score_effects(before, answer, answer, effects)
    assert missing.metrics().keys() == made.metrics().keys()
    assert set(missing.metrics().values()) == {0.0}
    assert missing.pixels.edit_pixels == made.pixels.edit_pixels
    assert missing.pixels.preservation_pixels == made.pixels.preservation_pixels


def test_recovery_is_measured_in_linear_light() -> None:
    before, answer = np.zeros((1, 1, 3), np.uint8), np.full((1, 1, 3), 255, np.uint8)
    gray = np.full((1, 1, 3), 188, np.uint8)  # half of the light of 255
    assert recovery(before, answer, gray, np.ones((1, 1), np.bool_)) == pytest.approx(0.5, abs=0.01)


def test_a_mask_of_another_size_is_refused(scene: tuple[np.ndarray, np.ndarray, list[Effect]]) -> None:
    before, answer, _ = scene
    with pytest.raises(BadInput, match="'shadow' is bool of 3 × 4; it must be bool of 40 × 60"):
        score_effects(before, answer, answer, [Effect("shadow", np.ones((3, 4), np.bool_))])


def test_the_fingerprint_of_a_case_covers_its_effects(scene: tuple[np.ndarray, np.ndarray, list[Effect]]) -> None:
    before, answer, (thing, shadow) = scene

    def fingerprint(*effects: Effect, ignored: Mask | None = None) -> str:
        words = (Instruction("Remove it."),)
        return Case("a", "b", (before,), words, {}, answer=answer, effects=effects, ignored=ignored).fingerprint

    known = {
        fingerprint(),
        fingerprint(thing),
        fingerprint(thing, shadow),
        fingerprint(thing, Effect("shadow", thing.mask)),
        fingerprint(thing, shadow, ignored=thing.mask),
    }
    assert len(known) == 5
    assert fingerprint(thing, shadow) == fingerprint(shadow, thing)
