"""Claims about PSNR outside the regions that an edit was allowed to change."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan, log10
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageDraw

from editscope.cases import Region
from editscope.errors import BadInput
from editscope.images import Pixels, write_png
from editscope.scoring.psnr import outside, psnr, psnr_outside, squared_error


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


@pytest.mark.parametrize("kept", ["all", "none", "some"])
def test_the_sum_of_squares_is_exact_also_for_views_and_locked_arrays(kept: str) -> None:
    a, b = picture(0, 40, 60)[::2, 5:35], picture(1)
    b.setflags(write=False)
    keep = {"all": None, "none": np.zeros((20, 30), np.bool_), "some": picture(2)[:, :, 0] > 99}[kept]
    weights = np.ones((20, 30), np.int64) if keep is None else keep.astype(np.int64)
    assert squared_error(a, b, keep) == int((((a.astype(np.int64) - b) ** 2).sum(axis=2) * weights).sum())


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


def by_torch(source: Pixels, edited: Pixels, boxes: Sequence[tuple[float, ...]] = ()) -> float:
    """The plain way: Pillow draws the mask, PyTorch interpolates on [0, 1], NumPy averages."""
    torch = pytest.importorskip("torch")
    height, width = source.shape[:2]
    mask = Image.new("L", (width, height), 255)
    for x, y, wide, high in boxes:
        ImageDraw.Draw(mask).rectangle([x, y, x + wide, y + high], fill=0)
    keep = np.asarray(mask) > 127
    first, second = ((picture / 255).astype(np.float32) for picture in (source, edited))
    moved = torch.from_numpy(second).permute(2, 0, 1)[None]
    size = {"size": (height, width), "mode": "bilinear", "align_corners": False, "antialias": False}
    second = torch.nn.functional.interpolate(moved, **size)[0].permute(1, 2, 0).numpy()
    apart = first[keep].astype(np.float64) - second[keep]
    return 10 * log10(1 / np.mean(apart * apart))


def natural(height: int, width: int, lift: int = 0) -> Pixels:
    """Soft light, a bright disk and a fine texture, in whole numbers."""
    y, x = np.mgrid[:height, :width]
    across, down = 1000 * x // width, 1000 * y // height
    disk = (across - 400) ** 2 + (down - 500) ** 2 < 60_000
    made = 60 + across // 9 + down // 20 + 50 * disk + (across % 37) // 2 + (down % 29) // 2 + lift
    return np.stack([np.clip(made + shift, 0, 255) for shift in (0, -20, 25)], axis=2).astype(np.uint8)


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32), *[st.integers(1, 60)] * 4)
def test_an_edit_of_another_size_is_interpolated_as_pytorch_does(
    seed: int, height: int, width: int, high: int, wide: int
) -> None:
    source, edited = picture(seed, height, width), picture(seed + 1, high, wide)
    assert psnr_outside(source, edited, []) == pytest.approx(by_torch(source, edited), abs=1e-4)


@pytest.mark.parametrize(
    ("source", "edited", "db", "by_pillow"),
    [
        (natural(96, 128), natural(231, 300, 3), 31.4683, 32.1075),  # soft, and 2.4 times as large
        (natural(96, 128), natural(48, 64, 3), 30.1809, 30.1604),  # half as large
        (picture(0, 96, 128), picture(1, 201, 333), 9.1350, 10.3825),  # noise, where averaging flatters
        (picture(2, 1, 7), picture(3, 5, 1), 6.7951, 11.7896),  # a single row, a single column
    ],
)
def test_worked_values_of_edits_of_another_size(source: Pixels, edited: Pixels, db: float, by_pillow: float) -> None:
    boxes = [(3, 0, 2, 0)]
    assert psnr_outside(source, edited, boxes) == pytest.approx(db, abs=5e-5)
    assert by_torch(source, edited, boxes) == pytest.approx(db, abs=5e-5)
    averaged = np.asarray(Image.fromarray(edited).resize(source.shape[1::-1], Image.Resampling.BILINEAR))
    assert psnr_outside(source, averaged, boxes) == pytest.approx(by_pillow, abs=5e-5)  # what it is not


def test_nothing_is_rounded_to_8_bits_on_the_way() -> None:
    step = np.array([[[0, 0, 0], [1, 1, 1]]], np.uint8)  # interpolated: 0, 1/4, 3/4, 1 of a step
    black = np.zeros((1, 4, 3), np.uint8)
    assert psnr_outside(black, step, []) == pytest.approx(-10 * log10((1 / 16 + 9 / 16 + 1) / 4 / 255**2))


@settings(deadline=None)
@given(st.lists(st.tuples(*[st.floats(-40, 60)] * 2, *[st.floats(0, 50)] * 2), min_size=1, max_size=3))
def test_fractions_of_a_box_are_cut_off_as_pillow_draws_it(boxes: list[tuple[float, ...]]) -> None:
    mask = Image.new("L", (30, 20), 255)
    for x, y, wide, high in boxes:
        ImageDraw.Draw(mask).rectangle([x, y, x + wide, y + high], fill=0)
    assert np.array_equal(outside(boxes, (20, 30)), np.asarray(mask) == 255)


def test_the_square_resize_is_that_of_pillow_and_takes_the_boxes_along() -> None:
    a = picture(0, 40, 80)
    b = a.copy()
    b[10:21, 20:41] = 0
    # Resizing smears an edge by one pixel of the small picture; the box is as much wider.
    assert psnr_outside(a, b, [(12, 6, 36, 20)], size=20) == 100
    assert psnr_outside(a, b, [], size=20) < 20
    small, other = (
        np.asarray(Image.fromarray(one).resize((20, 20), Image.Resampling.BILINEAR)) for one in (a, picture(1, 33, 57))
    )
    assert psnr_outside(a, picture(1, 33, 57), [(12, 6, 36, 20)], size=20) == psnr_outside(
        small, other, [(3, 3, 9, 10)]
    )


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
