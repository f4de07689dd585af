"""Fitting an output to the answer's size, and thumbnails."""

from __future__ import annotations

import io
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from editscope.images import THUMB_SUFFIX, Pixels, cover, encode_thumbnail, interpolate, thumbnail

sides = st.integers(1, 60)


def numbered(height: int, width: int) -> Pixels:
    """A picture whose pixels all differ, so that a copy from the wrong place shows."""
    rows, columns = np.mgrid[:height, :width]
    return np.dstack([rows, columns, (rows * 7 + columns * 3) % 251]).astype(np.uint8)


def cover_by_pillow(pixels: Pixels, width: int, height: int) -> Pixels:
    """The same rule in Pillow's words: scale to cover, sides rounded up, nearest neighbor, center crop."""
    h, w = pixels.shape[:2]
    if width * h >= height * w:
        size = (width, math.ceil(h * width / w - 1e-12))
    else:
        size = (math.ceil(w * height / h - 1e-12), height)
    scaled = Image.fromarray(pixels).resize(size, Image.Resampling.NEAREST)
    left, top = (size[0] - width) // 2, (size[1] - height) // 2
    return np.asarray(scaled.crop((left, top, left + width, top + height)))


@settings(max_examples=300, deadline=None)
@given(h=sides, w=sides, height=sides, width=sides)
def test_cover_is_pillows_nearest_neighbor_and_a_center_crop(h: int, w: int, height: int, width: int) -> None:
    pixels = numbered(h, w)
    assert np.array_equal(cover(pixels, width, height), cover_by_pillow(pixels, width, height))


def test_a_thread_of_a_picture_is_fitted_without_making_all_of_it() -> None:
    thread = np.zeros((60_000, 2, 3), np.uint8)  # scaled to cover, it would be 1,024 × 30,720,000
    thread[30_000:] = 200
    fitted = cover(thread, 1024, 1024)
    assert fitted.shape == (1024, 1024, 3)
    assert (fitted[0] == 0).all() and (fitted[-1] == 200).all()


def test_a_picture_that_fits_is_not_copied() -> None:
    pixels = numbered(5, 7)
    assert cover(pixels, 7, 5) is pixels


def test_of_a_wide_picture_the_sides_are_cut_and_of_a_tall_one_the_ends() -> None:
    wide = cover(numbered(4, 8), 4, 4)
    assert wide[0, :, 1].tolist() == [2, 3, 4, 5] and wide[:, 0, 0].tolist() == [0, 1, 2, 3]
    tall = cover(numbered(8, 4), 4, 4)
    assert tall[:, 0, 0].tolist() == [2, 3, 4, 5] and tall[0, :, 1].tolist() == [0, 1, 2, 3]


@settings(max_examples=60, deadline=None)
@given(h=st.integers(1, 700), w=st.integers(1, 700), side=st.integers(1, 64))
def test_a_thumbnail_averages_and_keeps_the_aspect(h: int, w: int, side: int) -> None:
    pixels = np.random.default_rng(h * 701 + w).integers(0, 256, (h, w, 3), dtype=np.uint8)
    small = thumbnail(pixels, side)
    if max(h, w) <= side:
        assert small is pixels
        return
    assert max(small.shape[:2]) == side
    scale = side / max(h, w)
    assert np.abs(np.subtract(small.shape[:2], np.maximum(1, [h * scale, w * scale]))).max() <= 0.5
    rows = np.arange(small.shape[0] + 1) * h // small.shape[0]
    columns = np.arange(small.shape[1] + 1) * w // small.shape[1]
    y, x = small.shape[0] // 2, small.shape[1] // 3
    block = pixels[rows[y] : rows[y + 1], columns[x] : columns[x + 1]].reshape(-1, 3)
    assert np.abs(block.mean(axis=0) - small[y, x]).max() <= 0.5


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 9), h=st.integers(1, 90), w=st.integers(1, 90), side=st.integers(1, 40))
def test_every_pixel_of_a_thumbnail_is_its_average_rounded_half_up(seed: int, h: int, w: int, side: int) -> None:
    # Few values, so that many sums are multiples of their count or fall on a half.
    pixels = np.random.default_rng(seed).choice(np.array([0, 1, 2, 254, 255], np.uint8), (h, w, 3))
    small = thumbnail(pixels, side)
    rows = np.arange(small.shape[0] + 1) * h // small.shape[0]
    columns = np.arange(small.shape[1] + 1) * w // small.shape[1]
    for y, x in np.ndindex(small.shape[:2]):
        block = pixels[rows[y] : rows[y + 1], columns[x] : columns[x + 1]].reshape(-1, 3).astype(np.int64)
        assert np.array_equal((block.sum(axis=0) + len(block) // 2) // len(block), small[y, x])


def test_a_column_of_more_rows_than_sixteen_bits_can_add_is_averaged_right() -> None:
    assert thumbnail(np.full((3000, 2, 3), 255, np.uint8), 2).tolist() == [[[255] * 3], [[255] * 3]]


def test_thumbnails_of_flat_scenes_are_small_and_of_soft_ones_without_bands() -> None:
    flat = np.full((192, 192, 3), (30, 60, 200), np.uint8)
    flat[40:90, 50:150] = (250, 240, 20)
    soft = np.asarray(
        Image.fromarray(numbered(8, 8) * 31).resize((192, 192), Image.Resampling.BICUBIC),
    )
    for pixels, most, decibels in ((flat, 500, 60), (soft, 8000, 30)):
        data = encode_thumbnail(pixels)
        with Image.open(io.BytesIO(data)) as opened:
            assert f".{opened.format}".lower() == THUMB_SUFFIX
            error = np.asarray(opened.convert("RGB")).astype(float) - pixels
        assert len(data) <= most
        assert (error**2).mean() <= 255**2 / 10 ** (decibels / 10)
        assert data == encode_thumbnail(pixels.copy())


def opened_thumbnail(pixels: Pixels) -> tuple[bytes, Pixels]:
    """The kind of WebP that a picture became, and its pixels."""
    data = encode_thumbnail(pixels)
    with Image.open(io.BytesIO(data)) as image:
        return data[12:16], np.asarray(image.convert("RGB"))


def test_a_thumbnail_of_at_most_64_colors_far_apart_comes_back_as_it_was() -> None:
    colors = np.stack(np.meshgrid(*[np.arange(8, 256, 64, dtype=np.uint8)] * 3), axis=-1).reshape(-1, 3)
    pixels = colors.repeat(400, axis=0).reshape(160, 160, 3)
    kind, same = opened_thumbnail(pixels)
    assert kind == b"VP8L" and np.array_equal(same, pixels)


def test_a_thumbnail_of_noise_or_of_more_colors_than_fit_is_lossy() -> None:
    noise = np.random.default_rng(0).integers(0, 256, (160, 160, 3), dtype=np.uint8)
    few = np.random.default_rng(0).choice(np.array([0, 255], np.uint8), (160, 160, 3))
    assert opened_thumbnail(noise)[0] == opened_thumbnail(few)[0] == b"VP8 "


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32), h=sides, w=sides, height=sides, width=sides)
def test_interpolation_is_pytorchs_without_antialiasing(seed: int, h: int, w: int, height: int, width: int) -> None:
    torch = pytest.importorskip("torch")
    pixels = np.random.default_rng(seed).integers(0, 256, (h, w, 3), dtype=np.uint8)
    before = torch.from_numpy(pixels.astype(np.float32) / np.float32(255)).permute(2, 0, 1)[None]
    how = {"mode": "bilinear", "align_corners": False, "antialias": False}
    theirs = torch.nn.functional.interpolate(before, size=(height, width), **how)[0].permute(1, 2, 0).numpy()
    ours = interpolate(pixels, height, width)
    assert ours.dtype == np.float32
    assert np.abs(ours / 255 - theirs).max() <= 1e-5


@pytest.mark.parametrize("size", [(2053, 1024, 1000, 777), (383, 768, 1023, 2051), (1, 3000, 2, 1024)])
def test_interpolation_is_pytorchs_at_the_sizes_of_real_pictures(size: tuple[int, int, int, int]) -> None:
    torch = pytest.importorskip("torch")
    h, w, height, width = size
    pixels = np.random.default_rng(0).integers(0, 256, (h, w, 3), dtype=np.uint8)
    before = torch.from_numpy(pixels.astype(np.float32) / np.float32(255)).permute(2, 0, 1)[None]
    theirs = torch.nn.functional.interpolate(before, size=(height, width), mode="bilinear", align_corners=False)
    assert np.abs(interpolate(pixels, height, width) / 255 - theirs[0].permute(1, 2, 0).numpy()).max() <= 1e-5


def test_interpolation_takes_views_and_keeps_what_lies_between_two_steps() -> None:
    pixels = numbered(9, 11)
    assert np.array_equal(interpolate(pixels[::2, 1:], 7, 5), interpolate(pixels[::2, 1:].copy(), 7, 5))
    assert interpolate(np.array([[[0, 1, 2], [1, 2, 3]]], np.uint8), 1, 4)[0, :, 0].tolist() == [0, 0.25, 0.75, 1]
