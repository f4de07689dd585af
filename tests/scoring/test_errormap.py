"""The error map shows four classes; the small level map holds them for every tolerance, however small they are."""

from __future__ import annotations

import numpy as np
import pytest

from editscope.errors import BadInput
from editscope.images import Pixels
from editscope.scoring import error_map, level_map, level_map_within, score_and_levels, score_pixels
from editscope.scoring.errormap import EDITED, MISSED, SPILLED


def triple() -> tuple[Pixels, Pixels, Pixels]:
    before = np.full((400, 600, 3), 90, np.uint8)
    answer = before.copy()
    answer[100:200, 100:300] = (20, 90, 220)
    output = answer.copy()
    output[100:200, 250:300] = (250, 250, 0)
    output[300:350, 400:500] = (250, 250, 0)
    return before, answer, output


def share(picture: Pixels, color: tuple[int, int, int]) -> float:
    return float((picture == color).all(axis=2).mean())


@pytest.mark.slow
def test_each_pixel_has_the_color_of_its_class_and_counts_agree_with_the_score() -> None:
    picture, score = error_map(*triple()), score_pixels(*triple())
    pixels = 400 * 600
    assert share(picture, EDITED) == score.hits[5] / pixels
    assert share(picture, MISSED) == (score.edit_pixels - score.hits[5]) / pixels
    assert share(picture, SPILLED) == score.spilled[5] / pixels
    ghost = picture[0, 0]
    assert ghost[0] == ghost[1] == ghost[2] > 180


def decoded(code: int) -> tuple[int, int]:
    """Worst and mean level of a pair's number c, as the page's script reads it."""
    worst = max(w for w in range(12) if w * (w + 1) // 2 <= code - 1)
    return worst, code - 1 - worst * (worst + 1) // 2


def test_levels_are_the_tolerances_at_which_pixels_come_right() -> None:
    before, answer, output = triple()
    rng = np.random.default_rng(1)
    output = np.clip(output + rng.integers(-9, 10, output.shape), 0, 255).astype(np.uint8)
    score, levels = score_and_levels(before, answer, output)
    assert score == score_pixels(before, answer, output)
    inside, level = levels >= 16, levels & 15
    assert np.array_equal(inside, (before != answer).any(axis=2))
    for t in range(11):
        assert (inside & (level <= t)).sum() == score.hits[t]
        assert (~inside & (level > t)).sum() == score.spilled[t]


def test_a_small_level_map_keeps_the_worst_and_the_mean_of_every_block() -> None:
    before, answer, output = triple()
    rng = np.random.default_rng(2)
    output = np.clip(output + rng.integers(-9, 10, output.shape), 0, 255).astype(np.uint8)
    _, levels = score_and_levels(before, answer, output)
    codes = level_map(levels, side=60)
    assert codes.shape == (40, 60, 3)
    for y in range(0, 40, 3):
        for x in range(60):
            block = levels[10 * y : 10 * y + 10, 10 * x : 10 * x + 10].reshape(-1)
            edit, rest = block[block >= 16] & 15, block[block < 16]
            red, green, blue = codes[y, x].tolist()
            assert blue == 0
            for part, code in ((edit, (red + 1) // 2), (rest, green)):
                assert (code == 0) == (part.size == 0)
                if part.size:
                    assert decoded(code) == (part.max(), int(part.mean() + 0.5))
            assert red == 0 or (red % 2 == 0) == (edit.size > rest.size)


def test_a_level_map_that_is_too_busy_is_given_up() -> None:
    levels = np.random.default_rng(0).integers(0, 12, (400, 600), np.uint8)
    codes = level_map(levels, side=60)
    changes = sum(int((codes[:, 1:, c] != codes[:, :-1, c]).sum()) for c in range(2))
    calm = level_map_within(levels, 60, changes)
    assert calm is not None and np.array_equal(calm, codes)
    assert level_map_within(levels, 60, changes - 1) is None
    assert level_map_within(levels, 60, 0) is None


def test_one_wrong_pixel_is_still_seen_in_a_small_map() -> None:
    before, answer, _ = triple()
    for (y, x), channel in (((150, 200), 0), ((350, 50), 1)):
        output = answer.copy()
        output[y, x] = 255
        code = int(level_map(score_and_levels(before, answer, output)[1], side=60)[y // 10, x // 10, channel])
        assert decoded((code + 1) // 2 if channel == 0 else code)[0] == 11


def test_a_map_of_blocks_that_do_not_divide_the_picture_covers_all_of_it() -> None:
    levels = np.zeros((101, 67), np.uint8)
    levels[100, 66] = 11
    codes = level_map(levels, side=16)
    assert codes.shape == (16, 11, 3)
    assert decoded(int(codes[15, 10, 1]))[0] == 11
    assert (codes[:15, :, 1] == 1).all()


def test_the_tolerance_moves_pixels_between_the_classes() -> None:
    before, answer, _ = triple()
    near = answer.copy()
    near[100:200, 100:300] = (26, 90, 220)
    score = score_pixels(before, answer, near)
    for tolerance in (0.0, 5.0, 10.0):
        picture = error_map(before, answer, near, tolerance=tolerance)
        assert share(picture, EDITED) == score.hits[int(tolerance)] / (400 * 600)
    with pytest.raises(BadInput, match=r"tolerance out of 0, 1, … 10, not 2\.5"):
        error_map(*triple(), tolerance=2.5)


def test_an_output_of_another_size_is_fitted() -> None:
    before, answer, output = triple()
    assert np.array_equal(error_map(before, answer, output.repeat(2, axis=0).repeat(2, axis=1)), error_map(*triple()))
