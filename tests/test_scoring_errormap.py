"""The error map shows four classes, and shows them however small they are."""

from __future__ import annotations

import numpy as np
import pytest

from editscope.errors import BadInput
from editscope.images import Pixels
from editscope.scoring import error_map, score_and_map, score_pixels
from editscope.scoring.errormap import EDITED, MISSED, SPILLED


def triple() -> tuple[Pixels, Pixels, Pixels]:
    before = np.full((400, 600, 3), 90, np.uint8)
    answer = before.copy()
    answer[100:200, 100:300] = (20, 90, 220)
    output = answer.copy()
    output[100:200, 250:300] = (250, 250, 0)
    output[300:350, 400:500] = (250, 250, 0)
    return before, answer, output


def share(picture: Pixels, colour: tuple[int, int, int]) -> float:
    return float((picture == colour).all(axis=2).mean())


def test_each_pixel_has_the_colour_of_its_class_and_counts_agree_with_the_score() -> None:
    picture, score = error_map(*triple()), score_pixels(*triple())
    pixels = 400 * 600
    assert share(picture, EDITED) == score.hits[5] / pixels
    assert share(picture, MISSED) == (score.edit_pixels - score.hits[5]) / pixels
    assert share(picture, SPILLED) == score.spilled[5] / pixels
    ghost = picture[0, 0]
    assert ghost[0] == ghost[1] == ghost[2] > 180


def test_one_wrong_pixel_is_still_seen_in_a_small_map() -> None:
    before, answer, _ = triple()
    for (y, x), colour in (((150, 200), MISSED), ((350, 50), SPILLED)):
        output = answer.copy()
        output[y, x] = 255
        small = error_map(before, answer, output, side=60)
        assert small.shape == (40, 60, 3)
        seen, ghost = small[y // 10, x // 10].astype(float), small[0, 0].astype(float)
        tint = seen - ghost  # towards the colour of the class, more than half of the way
        assert tint @ (colour - ghost) > 0.55 * np.linalg.norm(colour - ghost) ** 2
        assert np.abs(np.cross(tint, colour - ghost)).max() < 0.02 * np.linalg.norm(tint) * np.linalg.norm(
            colour - ghost
        )


def test_a_small_map_shows_what_the_large_one_shows() -> None:
    large, small = error_map(*triple()), error_map(*triple(), side=60)
    for colour in (EDITED, MISSED, SPILLED):
        assert share(small, colour) == pytest.approx(share(large, colour), abs=0.01)


def test_score_and_map_are_the_score_and_the_map() -> None:
    score, picture = score_and_map(*triple(), side=100)
    assert score == score_pixels(*triple())
    assert np.array_equal(picture, error_map(*triple(), side=100))


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
