"""Buckets: where a picture goes, and what becomes of it."""

from __future__ import annotations

import numpy as np
import pytest

from editscope.errors import BadInput
from editscope.training.data.buckets import BucketKey, ExampleShape, bucket_of, fitted
from editscope.training.data.settings import SizeSettings

THREE = SizeSettings(((64, 64), (96, 64), (64, 96)))


def bucket(width: int, height: int, settings: SizeSettings = THREE) -> tuple[int, int]:
    key = bucket_of(ExampleShape((width, height), 1), settings, 16, "the picture")
    return key.width, key.height


def test_a_picture_goes_where_it_loses_least() -> None:
    assert bucket(128, 128) == (64, 64)
    assert bucket(300, 200) == (96, 64) and bucket(200, 300) == (64, 96)
    assert bucket(120, 110) == (64, 64)


def test_of_equal_proportions_the_nearest_size_is_taken() -> None:
    sizes = SizeSettings(((64, 64), (128, 128)))
    assert bucket(70, 70, sizes) == (64, 64) and bucket(120, 120, sizes) == (128, 128)


def test_without_sizes_a_picture_keeps_its_own_down_to_a_multiple() -> None:
    assert bucket(100, 50, SizeSettings()) == (96, 48)
    with pytest.raises(BadInput, match="needs sides of 16 pixels"):
        bucket(100, 15, SizeSettings())


@pytest.mark.parametrize(
    ("width", "height", "settings", "message"),
    [
        (20, 20, THREE, r"enlarged 3.2 times for the bucket 64×64; add a smaller size, or raise enlarge"),
        (400, 100, THREE, r"would lose 62 % in the bucket 96×64; add a size of its proportions, or raise most_cropped"),
        (65, 64, SizeSettings(((64, 64),), fit="exact"), r"only accepts 64×64; write fit = 'crop' or resize it"),
    ],
)
def test_a_picture_that_fits_in_no_bucket_is_named(
    width: int, height: int, settings: SizeSettings, message: str
) -> None:
    with pytest.raises(BadInput, match=f"the picture is {width}×{height}.*{message}"):
        bucket(width, height, settings)


def test_a_crop_is_centered_and_keeps_proportions() -> None:
    columns = np.repeat(np.arange(0, 240, 2, dtype=np.uint8)[None, :, None], 3, axis=2).repeat(60, axis=0)
    cut = fitted(columns, BucketKey(60, 60, 1), SizeSettings(((60, 60),)))
    assert cut.shape == (60, 60, 3) and np.array_equal(cut, columns[:, 30:90])
    small = fitted(columns, BucketKey(32, 32, 1), SizeSettings(((32, 32),), resample="nearest"))
    assert small.shape == (32, 32, 3) and abs(int(small[0, 16, 0]) - 120) <= 4


def test_a_stretched_picture_keeps_its_edges() -> None:
    halves = np.zeros((20, 40, 3), np.uint8)
    halves[:, 20:] = 255
    made = fitted(halves, BucketKey(32, 32, 1), SizeSettings(((32, 32),), fit="stretch", resample="nearest"))
    assert made.shape == (32, 32, 3) and not made[:, :16].any() and made[:, 16:].all()


def test_a_picture_of_the_right_size_is_not_touched() -> None:
    picture = np.zeros((64, 96, 3), np.uint8)
    assert fitted(picture, BucketKey(96, 64, 1), THREE) is picture
