"""The pixel score equals a plain float64 reading of the formula, and the authors' evaluator."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numba
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from editscope.errors import BadInput
from editscope.images import ImageLike, Pixels, cover, load, write_png
from editscope.scoring import TOLERANCES, PixelScore, floor_miou, grade_case, missing_score, score_pixels
from editscope.suites import load_suite
from support.places import SHARED

SAMPLES = SHARED / "data" / "samples" / "paintbench"
MATRIX = [
    [0.4124564, 0.3575761, 0.1804375],
    [0.2126729, 0.7151522, 0.0721750],
    [0.0193339, 0.1191920, 0.9503041],
]


def lab(pixels: Pixels) -> npt.NDArray[np.float64]:
    """CIE L*a*b*, D65, in float64, written for reading and not for speed."""
    value = pixels / 255.0
    linear = np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)
    xyz = linear @ np.array(MATRIX).T / [0.95047, 1.0, 1.08883]
    f = np.where(xyz > (6 / 29) ** 3, np.cbrt(xyz), xyz * (29 / 6) ** 2 / 3 + 4 / 29)
    x, y, z = np.moveaxis(f, -1, 0)
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], axis=-1)


def delta_e(one: Pixels, two: Pixels) -> npt.NDArray[np.float64]:
    distance: npt.NDArray[np.float64] = np.sqrt(((lab(one) - lab(two)) ** 2).sum(axis=-1))
    return distance


def plain_score(before: Pixels, answer: Pixels, output: Pixels) -> PixelScore:
    edit = (before != answer).any(axis=-1)
    wrong, changed = delta_e(output, answer), delta_e(output, before)
    return PixelScore(
        edit_pixels=int(edit.sum()),
        preservation_pixels=int((~edit).sum()),
        hits=tuple(int((edit & (wrong <= t)).sum()) for t in TOLERANCES),
        spilled=tuple(int((~edit & (wrong > t)).sum()) for t in TOLERANCES),
        changed_pixels=tuple(int((changed > t).sum()) for t in TOLERANCES),
        resized=False,
        output_size=(output.shape[1], output.shape[0]),
    )


def doubtful(one: Pixels, two: Pixels) -> int:
    """Pixels whose distance lies within 1e-4 of a threshold, where the last bit may decide."""
    distance = delta_e(one, two)
    return int(((np.abs(distance - np.rint(distance)) < 1e-4) & (distance > 1e-4)).sum())


def assert_equal_but_for_doubtful(before: Pixels, answer: Pixels, output: Pixels) -> None:
    ours, plain = score_pixels(before, answer, output), plain_score(before, answer, output)
    assert (ours.edit_pixels, ours.preservation_pixels) == (plain.edit_pixels, plain.preservation_pixels)
    slack = doubtful(output, answer), doubtful(output, before)
    for curve, allowed in (("hits", slack[0]), ("spilled", slack[0]), ("changed_pixels", slack[1])):
        difference = np.subtract(getattr(ours, curve), getattr(plain, curve))
        assert np.abs(difference).max() <= allowed, curve


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    reach=st.sampled_from([0, 1, 2, 3, 6, 12, 40, 255]),
    colors=st.sampled_from([1, 2, 12, 300, 100_000]),
    shape=st.tuples(st.integers(1, 70), st.integers(1, 70)),
)
def test_random_triples_count_as_the_plain_formula_does(
    seed: int, reach: int, colors: int, shape: tuple[int, int]
) -> None:
    rng = np.random.default_rng(seed)
    palette = rng.integers(0, 256, (colors, 3), dtype=np.uint8)
    before = palette[rng.integers(0, colors, shape)]
    answer = np.where(rng.random(shape)[..., None] < 0.3, palette[rng.integers(0, colors, shape)], before)
    noise = rng.integers(-reach, reach + 1, answer.shape)
    output = np.clip(answer.astype(int) + noise, 0, 255).astype(np.uint8)
    assert_equal_but_for_doubtful(before, answer, output)


def pairs_at_thresholds() -> tuple[Pixels, Pixels]:
    """Pairs of colors whose distance is as near to 1, 2 … 10 as any in a large search."""
    rng = np.random.default_rng(7)
    one = rng.integers(0, 256, (300_000, 3), dtype=np.uint8)
    two = np.clip(one.astype(int) + rng.integers(-6, 7, one.shape), 0, 255).astype(np.uint8)
    distance = delta_e(one, two)
    gap = np.abs(distance - np.rint(distance))
    gap[(distance < 0.5) | (distance > 10.5)] = 1
    nearest = np.argsort(gap)[:400]
    assert gap[nearest].max() < 1e-3 and gap[nearest].min() < 1e-5
    return one[nearest].reshape(20, 20, 3), two[nearest].reshape(20, 20, 3)


def test_colors_that_lie_at_a_threshold_are_decided_in_float64() -> None:
    one, two = pairs_at_thresholds()
    black = np.zeros_like(one)
    for before, answer, output in ((black, one, two), (one, one, two), (two, one, two), (one, black, two)):
        ours, plain = score_pixels(before, answer, output), plain_score(before, answer, output)
        assert ours == plain


def test_flat_pictures_at_a_threshold_are_decided_right_too() -> None:
    one, two = pairs_at_thresholds()
    for a, b in zip(one[0, :20], two[0, :20], strict=True):
        answer, output = np.broadcast_to(a, (40, 50, 3)), np.broadcast_to(b, (40, 50, 3))
        assert score_pixels(answer, answer, output) == plain_score(answer, answer, output)


def test_float32_is_near_enough_to_float64_for_the_doubt_that_is_checked() -> None:
    from editscope.scoring._kernels import LINEAR32, NEAR, _linear_to_lab

    steps = np.array([*range(24), *range(24, 256, 11), 255], np.uint8)
    colors = np.stack(np.meshgrid(steps, steps, steps), axis=-1).reshape(-1, 3)
    channels = [np.ascontiguousarray(LINEAR32[colors[:, c]]) for c in range(3)]

    @numba.njit
    def convert(p: Any, q: Any, r: Any) -> None:
        _linear_to_lab(p.size, p, q, r)

    convert(*channels)
    error = np.stack(channels, axis=-1) - (16, 0, 0) - lab(colors)
    assert 2 * np.sqrt((error**2).sum(axis=-1)).max() < NEAR / 2


def test_tolerance_0_means_equal_whatever_the_color() -> None:
    every = np.stack(np.meshgrid(*[np.arange(0, 256, 5, dtype=np.uint8)] * 3), axis=-1).reshape(-1, 52, 3)
    assert score_pixels(255 - every, every, every).hits[0] == every.shape[0] * every.shape[1]
    for channel in range(3):
        other = every.copy()
        other[..., channel] ^= 1
        score = score_pixels(every, every, other)
        assert score.spilled[0] == every.shape[0] * every.shape[1]
        assert score == plain_score(every, every, other)


def expected() -> dict[str, dict[str, Any]]:
    path = SAMPLES / "expected.json"
    content: dict[str, dict[str, Any]] = json.loads(path.read_text()) if path.is_file() else {}
    return content


@pytest.mark.slow
@pytest.mark.skipif(not expected(), reason="the released samples are not here")
@pytest.mark.parametrize("key", expected())
def test_released_outputs_score_as_the_authors_evaluator_says(key: str) -> None:
    wanted = expected()[key]
    suite, task, number = key.split("/")
    folder = SAMPLES / "set" / suite / task
    output = SAMPLES / "outputs" / suite / task / f"{int(number):04d}_output.png"
    score = score_pixels(folder / f"{number}_input.png", folder / f"{number}_answer.png", output)
    assert score.edit_pixels == wanted["edit_pixels"]
    assert score.preservation_pixels == wanted["preservation_pixels"]
    assert list(score.changed_pixels) == wanted["changed_pixels"]
    assert score.miou == pytest.approx(wanted["miou"], abs=1e-4)
    for curve in ("iou", "edit_accuracy", "preservation_accuracy"):
        assert getattr(score, curve) == pytest.approx(wanted[curve], abs=1e-9)


def problem() -> tuple[Pixels, Pixels]:
    before = np.full((40, 60, 3), 250, np.uint8)
    before[5:20, 5:25] = (200, 30, 40)
    answer = before.copy()
    answer[10:30, 30:50] = (20, 90, 220)
    return before, answer


def test_the_right_output_is_worth_1_in_every_metric() -> None:
    before, answer = problem()
    metrics = score_pixels(before, answer, answer).metrics()
    assert metrics == dict.fromkeys(metrics, 1.0)


def test_doing_nothing_keeps_all_and_edits_nothing() -> None:
    before, answer = problem()
    metrics = score_pixels(before, answer, before).metrics()
    assert metrics["preservation_accuracy"] == 1.0
    assert metrics["miou"] == metrics["iou@0"] == metrics["edit_accuracy"] == metrics["over_edit_ratio"] == 0.0


def test_doing_nothing_about_a_faint_edit_has_the_floor_of_the_closed_form() -> None:
    before, answer = problem()
    answer = before.copy()
    answer[10:30, 30:40] = (247, 250, 250)
    answer[10:30, 40:50] = (230, 250, 250)
    distance = delta_e(before, answer)[(before != answer).any(axis=-1)]
    closed_form = np.mean([(distance <= t).mean() for t in TOLERANCES])
    assert 0 < closed_form < 1
    assert floor_miou(before, answer) == pytest.approx(closed_form, abs=1e-12)
    assert score_pixels(before, answer, before).miou == pytest.approx(closed_form, abs=1e-12)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**32), h=st.integers(1, 60), w=st.integers(1, 60))
def test_one_pass_over_a_case_gives_its_score_and_its_floor(seed: int, h: int, w: int) -> None:
    rng = np.random.default_rng(seed)
    before, answer, output = (rng.integers(118, 132, (h, w, 3), dtype=np.uint8) // 6 * 6 for _ in range(3))
    score, levels, floor = grade_case(before, answer, output)
    assert score == score_pixels(before, answer, output)
    assert floor == floor_miou(before, answer)
    assert levels.shape == (h, w) and int((levels >= 16).sum()) == score.edit_pixels


def test_no_output_is_worth_0_in_every_metric() -> None:
    for before, answer in (problem(), (problem()[0],) * 2):
        metrics = missing_score(before, answer).metrics()
        assert metrics == dict.fromkeys(metrics, 0.0)


def test_where_nothing_is_to_be_edited_only_spill_counts() -> None:
    before, _ = problem()
    assert score_pixels(before, before, before).miou == 1.0
    spilled = before.copy()
    spilled[0, 0] = 0
    score = score_pixels(before, before, spilled)
    assert score.miou == 0.0
    assert score.edit_accuracy == (1.0,) * 11
    assert score.over_edit_ratio == 1.0


def test_where_all_is_to_be_edited_preservation_is_1() -> None:
    before = np.zeros((4, 4, 3), np.uint8)
    assert score_pixels(before, before + 200, before).preservation_accuracy == (1.0,) * 11


def test_over_editing_counts_changed_pixels_for_each_that_was_asked_for() -> None:
    before, answer = problem()
    output = answer.copy()
    output[30:40] = 0
    score = score_pixels(before, answer, output)
    assert score.over_edit_ratio == (20 * 20 + 10 * 60) / (20 * 20)


def test_an_output_of_another_size_is_fitted_and_that_is_said() -> None:
    before, answer = problem()
    large = answer.repeat(3, axis=0).repeat(3, axis=1)
    score = score_pixels(before, answer, large)
    assert (score.miou, score.resized, score.output_size) == (1.0, True, (180, 120))
    odd = np.random.default_rng(0).integers(0, 256, (33, 71, 3), dtype=np.uint8)
    assert score_pixels(before, answer, odd).hits == score_pixels(before, answer, cover(odd, 60, 40)).hits
    assert score_pixels(before, answer, answer).resized is False


def test_paths_pil_images_and_locked_or_strided_arrays_score_the_same(tmp_path: Path) -> None:
    before, answer = problem()
    output = answer.copy()
    output[::7] = 3
    write_png(tmp_path / "output.png", output)
    locked = output.copy()
    locked.flags.writeable = False
    ways: list[ImageLike] = [
        tmp_path / "output.png",
        str(tmp_path / "output.png"),
        Image.fromarray(output),
        locked,
        output[:, ::-1][:, ::-1],
    ]
    assert {score_pixels(before, answer, way) for way in ways} == {score_pixels(before, answer, output)}


def test_an_answer_of_another_size_than_its_input_is_refused() -> None:
    before, answer = problem()
    for call in (missing_score, floor_miou):
        with pytest.raises(BadInput, match="the answer is 30×40 but the input is 60×40"):
            call(before, answer[:, :30])
    with pytest.raises(BadInput, match="must have the size of its input"):
        score_pixels(before, answer[:, :30], answer)


def test_a_score_survives_the_journal() -> None:
    before, answer = problem()
    for score in (score_pixels(before, answer, answer[::2, ::2]), missing_score(before, answer)):
        again = PixelScore.from_json(json.loads(json.dumps(score.to_json())))
        assert again == score
        assert again.metrics() == score.metrics()


@pytest.mark.parametrize("damage", [{"hits": [1, 2]}, {"hits": None}, {"edit_pixels": "many"}, {"output_size": [1]}])
def test_a_damaged_record_is_bad_input(damage: dict[str, object]) -> None:
    before, answer = problem()
    with pytest.raises(BadInput, match="pixel score cannot be read"):
        PixelScore.from_json(score_pixels(before, answer, answer).to_json() | damage)


def test_transparent_and_turned_pictures_are_scored_as_a_viewer_shows_them(tmp_path: Path) -> None:
    case = load_suite("paintbench")["border/000"]
    assert case.answer is not None
    before, answer = load(case.images[0]), load(case.answer)
    stays = (before == answer).all(axis=2)

    def scores(path: Path) -> tuple[float, float]:
        """Ours, and what a reader gives that drops alpha and leaves the picture as it is stored."""
        with Image.open(path) as stored:
            plain = np.asarray(stored.convert("RGB"))
        return tuple(round(100 * score_pixels(before, answer, one).miou, 1) for one in (path, plain))  # type: ignore

    found = {}
    for name, alpha in (("250", 250), ("128", 128), ("cut out", np.where(stays, 0, 255))):
        layer = np.broadcast_to(np.asarray(alpha, np.uint8), answer.shape[:2])
        Image.fromarray(np.dstack([answer, layer])).save(tmp_path / "output.png")
        found[name] = scores(tmp_path / "output.png")
    turn = Image.Exif()
    turn[0x0112] = 6
    Image.fromarray(np.rot90(answer)).save(tmp_path / "output.png", exif=turn)
    found["turned"] = scores(tmp_path / "output.png")
    assert found == {"250": (84.9, 100.0), "128": (0.0, 100.0), "cut out": (1.9, 100.0), "turned": (100.0, 0.0)}
