"""Perceptual hashes: equal to ImageHash's, nearly the same for copies, and an index that misses none within reach."""

from __future__ import annotations

import imagehash
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from editscope.errors import BadInput
from editscope.factory.checks.perceptual_hash import NearHashes, distance, phash
from support.factory.made_pictures import drawn

HASHES = st.integers(0, (1 << 64) - 1)


def test_a_hash_is_that_of_imagehash() -> None:
    pixels = drawn(3, 120)
    assert f"{phash(pixels):016x}" == str(imagehash.phash(Image.fromarray(pixels)))


def test_a_resized_picture_is_near_and_another_is_far() -> None:
    pixels = drawn(1, 160)
    smaller = np.asarray(Image.fromarray(pixels).resize((60, 50)))
    assert distance(phash(pixels), phash(smaller)) <= 4 < 12 < distance(phash(pixels), phash(drawn(2, 160)))


@settings(max_examples=60, deadline=None)
@given(st.lists(HASHES, max_size=30), HASHES, st.sets(st.integers(0, 63), max_size=20), st.integers(0, 15))
def test_the_index_finds_exactly_what_is_within_the_distance(
    others: list[int], value: int, flipped: set[int], reach: int
) -> None:
    near = value ^ sum(1 << bit for bit in flipped)
    index = NearHashes[int](reach)
    for place, other in enumerate([*others, near, near]):
        index.add(other, place)
    expected = [
        (distance(value, other), place)
        for place, other in enumerate([*others, near, near])
        if distance(value, other) <= reach
    ]
    assert sorted(index.near(value)) == sorted(expected) and len(index) == len(others) + 2


def test_a_distance_at_which_everything_is_near_is_refused() -> None:
    with pytest.raises(BadInput, match="from 0 to 15"):
        NearHashes[str](16)
