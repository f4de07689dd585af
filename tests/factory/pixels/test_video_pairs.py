"""Real videos give shots by their cuts, and pairs of frames in which something changed before a camera that stood."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from editscope.factory.video.reading import VideoFrame
from editscope.factory.video.shots import find_shots
from editscope.images import Pixels
from support.factory.made_videos import encoded, grainy, overwritten, sliding, without_key_frame, write
from support.factory.pixel_builds import Bench


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def panned(count: int, height: int = 96, width: int = 128, step: int = 5) -> list[Pixels]:
    wide = sliding(1, height, width + step * count, seed=8)[0]
    return [np.ascontiguousarray(wide[:, step * number : step * number + width]) for number in range(count)]


def scenes() -> list[Pixels]:
    """Two shots: dark tiles with a square that slides, then light ones."""
    return sliding(16, seed=1) + [np.uint8(255) - frame for frame in sliding(24, seed=2, step=3)]


def test_shots_begin_at_cuts(bench: Bench) -> None:
    video = bench.video(encoded(scenes()))
    for detector in ("content", "adaptive"):
        parts = bench.applied("shots", {"video": video}, detector=detector).parts
        assert [(part["start_s"], part["end_s"]) for part in parts] == [(0.0, 2.0), (2.0, 5.0)]
    (only,) = bench.applied("shots", {"video": video}, least_s=2.5).parts
    assert only["start_s"] == 2.0
    assert bench.applied("shots", {"video": video}, least_s=9).dropped == "no shot of 9 s"


def test_a_variable_frame_rate_does_not_move_cuts() -> None:
    frames = scenes()
    times = [0.3 * number for number in range(16)] + [10 + 0.05 * number for number in range(24)]
    shots = find_shots([VideoFrame(n, t, f) for n, (t, f) in enumerate(zip(times, frames, strict=True))])
    assert [shot.start_s for shot in shots] == [0.0, 10.0]


def test_pairs_stay_within_a_shot_and_within_the_limits(bench: Bench) -> None:
    video = bench.video(encoded(scenes()))
    shots = bench.applied("shots", {"video": video}).parts
    for shot in shots:
        outcome = bench.applied("pairs", {"video": video, **shot}, least_change=0.03)
        assert 1 <= len(outcome.parts) <= 2
        for part in outcome.parts:
            assert shot["start_s"] <= part["before_s"] < part["after_s"] < shot["end_s"]
            assert part["gap_s"] >= 0.5 and 0.03 <= part["change"] <= 0.5 and part["camera_shift"] <= 0.6
            assert bench.pixels(part["before"]).shape == (96, 128, 3)
        assert outcome.parts == bench.applied("pairs", {"video": video, **shot}, least_change=0.03).parts


def test_pairs_of_one_shot_do_not_overlap(bench: Bench) -> None:
    video = bench.video(encoded(sliding(24, step=4)))
    parts = bench.applied("pairs", {"video": video}, most=3, most_gap_s=0.8).parts
    assert len(parts) == 3
    assert all(first["after_s"] <= second["before_s"] for first, second in pairwise(parts))


def test_shots_without_pairs_say_why(bench: Bench) -> None:
    reasons = {
        "nothing changed": sliding(1) * 16,
        "the camera moves": panned(16),
        "shot too short": sliding(3),
        "one frame only": sliding(1),
    }
    found = [
        bench.applied("pairs", {"video": bench.video(encoded(frames))}, most_change=1.0).dropped
        for frames in reasons.values()
    ]
    assert found == [*reasons]
    whole = encoded(sliding(30))
    for step in ("shots", "pairs"):
        assert bench.applied(step, {"video": bench.video(whole[: len(whole) // 2])}).dropped.startswith("broken video")


def test_damaged_videos_are_dropped_by_every_step_that_decodes(bench: Bench) -> None:
    whole = encoded(grainy(), key_every=10)
    for data, reason in (
        (without_key_frame(whole), "broken video: it begins without a key frame"),
        (overwritten(whole, 0, 0.5, 0.6), "broken video: damaged at 0.00 s"),
        (overwritten(whole, 20), "broken video: damaged at 2.50 s"),
        (encoded(grainy(), faststart=True)[:-9000], "broken video"),
    ):
        for step in ("frames", "shots", "pairs"):
            assert bench.applied(step, {"video": bench.video(data)}).dropped.startswith(reason)


@pytest.mark.slow
def test_a_folder_of_videos_becomes_pairs(bench: Bench, tmp_path: Path) -> None:
    write(tmp_path / "clips" / "a.mp4", encoded(scenes()))
    (record,) = bench.source("videos", path="clips")
    shots = bench.applied("shots", record).parts
    assert all(bench.applied("pairs", {**record, **shot}).parts for shot in shots)
