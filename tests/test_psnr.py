"""Claims about PSNR outside the regions that an edit was allowed to change."""

from __future__ import annotations

from math import isnan, log10
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from editscope.cases import Region
from editscope.errors import BadInput
from editscope.images import Pixels, write_png
from editscope.scoring.psnr import psnr, psnr_outside


def picture(seed: int, height: int = 20, width: int = 30) -> Pixels:
    return np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)


def by_hand(first: Pixels, second: Pixels, keep: np.ndarray[tuple[int, int], np.dtype[np.bool_]]) -> float:
    """The formula, one pixel at a time."""
    total, n = 0.0, 0
    for r in range(first.shape[0]):
        for c in range(first.shape[1]):
            if keep[r, c]:
                n += 1
                total += sum((int(a) / 255 - int(b) / 255) ** 2 for a, b in zip(first[r, c], second[r, c], strict=True))
    return 10 * log10(1 / (total / (3 * n)))


def test_squared_errors_are_averaged_over_pixels_and_channels() -> None:
    a, b = picture(0), picture(1)
    keep = np.ones((20, 30), np.bool_)
    assert psnr_outside(a, b, []) == pytest.approx(by_hand(a, b, keep))


def test_box_edges_are_inside_the_box() -> None:
    a, b = picture(0), picture(1)
    keep = np.ones((20, 30), np.bool_)
    keep[3 : 3 + 5 + 1, 10 : 10 + 7 + 1] = False
    assert psnr_outside(a, b, [{"x": 10, "y": 3, "width": 7, "height": 5}]) == pytest.approx(by_hand(a, b, keep))


def test_a_box_of_no_width_is_one_pixel() -> None:
    a = picture(0)
    b = a.copy()
    b[4, 9] = 255 - b[4, 9]
    assert psnr_outside(a, b, [{"x": 9, "y": 4, "width": 0, "height": 0}]) == 100
    assert psnr_outside(a, b, [{"x": 10, "y": 4, "width": 0, "height": 0}]) < 100


def test_a_region_is_the_same_pixels_as_its_box() -> None:
    a, b = picture(0), picture(1)
    region = Region("lamp", (10, 3, 18, 9))  # right and bottom exclusive
    assert psnr_outside(a, b, [region]) == psnr_outside(a, b, [(10, 3, 7, 5)])


def test_boxes_may_overlap_and_leave_the_picture() -> None:
    a = picture(0)
    b = a.copy()
    b[:10, :10] = 0
    assert psnr_outside(a, b, [(-5, -5, 10, 14.5), (4.2, -3, 5, 12.9)]) == 100


@pytest.mark.parametrize("boxes", [[], None, "unknown", "Unknown "])
def test_without_boxes_the_whole_picture_counts(boxes: list[tuple[int, ...]] | str | None) -> None:
    a, b = picture(0), picture(1)
    assert psnr_outside(a, b, boxes) == psnr(a, b)


def test_where_everything_is_masked_there_is_no_number() -> None:
    assert isnan(psnr_outside(picture(0), picture(1), [(0, 0, 30, 20)]))


def test_equal_pictures_have_100_db_and_none_has_more() -> None:
    a = np.zeros((500, 500, 3), np.uint8)
    b = a.copy()
    b[0, 0, 0] = 1  # one step of difference in 250,000 pixels: 107 dB by the formula
    assert psnr_outside(a, a, []) == psnr_outside(a, b, []) == 100


def test_an_edit_of_another_size_is_resized_bilinearly() -> None:
    a, b = picture(0), picture(1, 37, 41)
    resized = np.asarray(Image.fromarray(b).resize((30, 20), Image.Resampling.BILINEAR))
    assert psnr_outside(a, b, [(2, 2, 5, 5)]) == psnr_outside(a, resized, [(2, 2, 5, 5)])


def test_the_square_resize_takes_the_boxes_along() -> None:
    a = picture(0, 40, 80)
    b = a.copy()
    b[10:21, 20:41] = 0
    # Resizing smears an edge by one pixel of the small picture; the box is as much wider.
    assert psnr_outside(a, b, [(12, 6, 36, 20)], size=20) == 100
    assert psnr_outside(a, b, [], size=20) < 20


def test_summing_over_channels_costs_the_logarithm_of_three() -> None:
    a, b = picture(0), picture(1)
    assert psnr_outside(a, b, []) - psnr_outside(a, b, [], channel_sum=True) == pytest.approx(10 * log10(3))


@given(st.integers(0, 255), st.integers(0, 255))
def test_it_is_the_same_both_ways_round(one: int, other: int) -> None:
    a, b = (np.full((2, 2, 3), value, np.uint8) for value in (one, other))
    assert psnr(a, b) == psnr(b, a)
    assert (psnr(a, b) == 100) == (one == other)


def test_pictures_may_be_files(tmp_path: Path) -> None:
    write_png(tmp_path / "a.png", picture(0))
    assert psnr_outside(tmp_path / "a.png", Image.fromarray(picture(0)), "unknown") == 100


@pytest.mark.parametrize(
    ("boxes", "says"),
    [
        ([{"x": 0, "y": 0, "width": 3}], "box 0 has no x, y, width, height"),
        ([(0, 0, 1, 1), (0, 0, 1)], "box 1 has no"),
        ([(0, 0, -1, 1)], "negative"),
        ([(0, 0, float("inf"), 1)], "no number"),
        ("none", "'none'"),
    ],
)
def test_a_box_that_is_none_is_named(boxes: list[tuple[float, ...]] | str, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        psnr_outside(picture(0), picture(1), boxes)
