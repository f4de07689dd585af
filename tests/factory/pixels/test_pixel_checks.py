"""Every check of pixels finds what it should on made pictures, and leaves the rest alone."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from drills.counts import FULL, times
from editscope.images import Pixels
from support.factory import scenes
from support.factory.pixel_builds import Bench
from support.factory.pixel_sets import MAKERS, made
from support.factory.scenes import Scene, Thing
from support.places import ROOT

sys.path.insert(0, str(ROOT / "benchmarks"))
factory_pixels: Any = import_module("factory_pixels")


@pytest.mark.slow
@pytest.mark.parametrize("check", list(MAKERS))
def test_a_check_reaches_its_figures_on_made_pictures(check: str, monkeypatch: pytest.MonkeyPatch) -> None:
    count = times(5, 20)
    if not FULL:
        monkeypatch.setattr(scenes, "SIZES", scenes.SMALL)
    measured = factory_pixels.measure(check, seed=5, count=count)
    misses = [f"{example.about}: {value}" for example, value in measured.misses]
    assert len(misses) <= max(1, 0.05 * 2 * count), misses


def test_made_pictures_are_the_same_for_the_same_seed() -> None:
    first, again, other = (next(iter(made("static_pair", seed, count=1))) for seed in (1, 1, 2))
    assert np.array_equal(first.pictures[0], again.pictures[0])
    assert first.about != other.about or not np.array_equal(first.pictures[0], other.pictures[0])


def drawn(*things: Thing, kind: str = "wall", camera: tuple[float, float] | None = None) -> Pixels:
    scene = Scene(kind, 240, 320, 7, things)
    return scene.render(scene.camera(camera) if camera else None)


BALL = Thing("ball", 0.4, 0.5, 0.1, (230, 60, 40), textured=30.0)
MOVED = Thing("ball", 0.6, 0.55, 0.1, (230, 60, 40), textured=30.0)


def test_measured_shifts_are_in_pixels_of_the_picture_whatever_its_size() -> None:
    small = factory_pixels.camera_motion(drawn(BALL), drawn(MOVED, camera=(6, 8)))
    twice = [np.repeat(np.repeat(one, 4, 0), 4, 1) for one in (drawn(BALL), drawn(MOVED, camera=(6, 8)))]
    large = factory_pixels.camera_motion(twice[0], twice[1])
    assert abs(small.shift_px - 10) < 0.5 and abs(large.shift_px - 40) < 2
    assert abs(small.share - large.share) < 0.2


def test_a_swap_of_both_pictures_changes_no_verdict() -> None:
    pair = drawn(BALL), drawn(MOVED)
    for first, second in (pair, pair[::-1]):
        assert factory_pixels.camera_motion(first, second).share < 0.2
        assert factory_pixels.stability(first, second).psnr > 45


@pytest.mark.parametrize("size", [(1, 1), (2, 300), (17, 17), (3, 4000)])
def test_tiny_and_long_pictures_do_no_harm(size: tuple[int, int]) -> None:
    rng = np.random.default_rng(3)
    first, second = (rng.integers(0, 255, (*size, 3), dtype=np.uint8) for _ in range(2))
    assert 0 <= factory_pixels.changed_share(first, second) <= 1
    assert factory_pixels.camera_motion(first, second) is not None
    assert isinstance(factory_pixels.frame_fault(first), str)
    assert 0 <= factory_pixels.stability(first, second).inside <= 1
    assert len(factory_pixels.fingerprint(first)[0]) == 16


@pytest.mark.slow
def test_many_fingerprints_are_compared_without_comparing_all_pairs(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    values = [f"{int(one):016x}" for one in rng.integers(0, 1 << 63, times(20_000, 100_000), dtype=np.uint64)]
    reasons = Bench(tmp_path).decided("near_duplicates", [{"phash": one} for one in [*values, values[5]]])
    assert reasons[-1] == "near duplicate: of 000005"
