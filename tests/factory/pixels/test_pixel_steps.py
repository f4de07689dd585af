"""Steps over pixels keep what is good, and drop the rest with a reason and what they measured."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from editscope.errors import BadInput
from editscope.factory.engine.build import Build
from editscope.factory.plan import BuildPlan
from editscope.factory.steps.registry import make_source, make_step
from editscope.images import Pixels
from support.factory.made_videos import encoded, sliding, sound_only, write
from support.factory.pixel_builds import Bench


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def textured(height: int = 240, width: int = 320, seed: int = 1) -> Pixels:
    return sliding(1, height, width, seed=seed)[0]


def test_frames_are_the_first_and_the_last_of_a_video(bench: Bench) -> None:
    frames = sliding(16)
    (made,) = bench.applied("frames", {"video": bench.video(encoded(frames))}).parts
    assert {name: made[name] for name in ("fps", "seconds", "width", "height")} == {
        "fps": 8.0, "seconds": 2.0, "width": 128, "height": 96,
    }  # fmt: skip
    assert "frames" not in made
    for name, frame in (("before", frames[0]), ("after", frames[-1])):
        assert np.abs(bench.pixels(made[name]).astype(int) - frame).mean() < 6


def test_frames_in_between_lie_at_equal_times(bench: Bench) -> None:
    times = [0.0, 0.1, 0.2, 0.3, 2.0]
    video = bench.video(encoded(sliding(5, step=16), times_s=times))
    (made,) = bench.applied("frames", {"video": video}, between=3).parts
    squares = [int((bench.pixels(one)[..., 0] > 200).any(axis=0).argmax()) for one in made["frames"]]
    assert len(squares) == 3 and max(squares) - min(squares) <= 1, "0.5, 1.0 and 1.5 s all show the fourth frame"
    assert made["fps"] == 2.0


def test_trimmed_ends_are_left_out(bench: Bench) -> None:
    video = bench.video(encoded(sliding(17)))
    for settings in ({"first_s": 0.5, "last_s": 0.5}, {"trim": 0.25}):
        (made,) = bench.applied("frames", {"video": video}, **settings).parts
        left = [int((bench.pixels(made[name])[..., 0] > 200).any(axis=0).argmax()) for name in ("before", "after")]
        assert abs(left[0] - 20) <= 1 and abs(left[1] - 52) <= 1
    assert bench.applied("frames", {"video": video}, first_s=3.0).dropped.startswith("too short: 2.1")


def test_videos_without_two_frames_are_dropped_with_the_reason(bench: Bench) -> None:
    whole = encoded(sliding(30, width=256))
    reasons = {
        "one frame only": encoded(sliding(1)),
        "empty video: no stream of pictures": encoded([]),
        "empty video: only sound": sound_only(),
        "broken video: invalid data found when processing input": whole[: len(whole) // 2],
    }
    assert [bench.applied("frames", {"video": bench.video(data)}).dropped for data in reasons.values()] == [*reasons]


def test_a_pair_of_different_sizes_is_dropped_by_every_check(bench: Bench) -> None:
    pair = {"before": bench.picture(textured(240, 320)), "after": bench.picture(textured(240, 300))}
    for check in ("static_pair", "camera_motion", "stable_outside"):
        assert bench.applied(check, pair).dropped == "different sizes: 320 × 240 and 300 × 240"


def test_a_broken_picture_is_dropped_and_does_not_stop_the_build(bench: Bench) -> None:
    broken = bench.tools.blobs.put(b"\x89PNG\r\n\x1a\n and no more")
    good = bench.picture(textured())
    for check, fields in (("static_pair", {"before": good, "after": broken}), ("fingerprint", {"picture": broken})):
        assert bench.applied(check, fields).dropped.startswith("broken picture: ")


def test_a_still_pair_is_dropped_and_a_moved_object_is_not(bench: Bench) -> None:
    frames = sliding(16, 240, 320, step=8)
    before, noisy = frames[0], frames[0].astype(int) + np.random.default_rng(2).normal(0, 4, frames[0].shape)
    still = {"before": bench.picture(before), "after": bench.picture(np.clip(noisy, 0, 255).astype(np.uint8))}
    moved = {"before": bench.picture(before), "after": bench.picture(frames[-1])}
    outcome = bench.applied("static_pair", still)
    assert outcome.dropped == "nothing changed: 0.00 % of the pixels" and outcome.notes == {"changed_share": 0.0}
    (made,) = bench.applied("static_pair", moved).parts
    assert 0.01 < made["changed_share"] < 0.05
    (made,) = bench.applied("camera_motion", moved).parts
    assert made["shift_px"] < 0.5
    (made,) = bench.applied("stable_outside", moved).parts
    assert made["outside_psnr"] > 40 and made["edited_share"] < 0.2


def test_a_moved_camera_is_dropped_with_its_shift(bench: Bench) -> None:
    wide = textured(260, 400)
    pair = {"before": bench.picture(wide[:240, :320]), "after": bench.picture(wide[10:250, 20:340])}
    outcome = bench.applied("camera_motion", pair)
    assert outcome.dropped.startswith("the camera moves: 22.") and abs(outcome.notes["zoom"] - 1) < 0.01
    assert bench.applied("camera_motion", pair, most_shift=10.0).parts
    assert bench.applied("stable_outside", pair).dropped


def test_a_change_beside_the_regions_is_found(bench: Bench) -> None:
    before = textured()
    after = before.copy()
    after[20:60, 20:60] = 255
    pair: dict[str, Any] = {"before": bench.picture(before), "after": bench.picture(after)}
    at, off = ({"name": "a", "x": x, "y": 15, "width": 50, "height": 50} for x in (15, 200))
    assert bench.applied("stable_outside", pair).parts
    assert bench.applied("stable_outside", {**pair, "regions": [at]}).parts
    assert bench.applied("stable_outside", {**pair, "regions": [off]}).dropped.startswith("changed beside the edit: ")


def test_faulty_frames_are_dropped_with_the_field(bench: Bench) -> None:
    good, black = bench.picture(textured()), bench.picture(np.zeros((240, 320, 3), np.uint8))
    outcome = bench.applied("blank_frame", {"before": good, "after": black})
    assert outcome.dropped == "black: after"
    assert bench.applied("blank_frame", {"picture": good}, pictures=["picture"]).parts


def test_near_duplicates_keep_the_first(bench: Bench) -> None:
    pictures = [sliding(1, 256, 256, seed=seed)[0] for seed in range(4)]
    lighter = np.clip(pictures[1].astype(int) * 1.1, 0, 255).astype(np.uint8)
    smaller = np.ascontiguousarray(pictures[2][::2, ::2])
    records = [
        bench.applied("fingerprint", {"picture": bench.picture(one)}).parts[0] for one in (*pictures, lighter, smaller)
    ]
    assert bench.decided("near_duplicates", [*records, {}]) == [
        "", "", "", "", "near duplicate: of 000001", "near duplicate: of 000002", "",
    ]  # fmt: skip


def test_crops_are_centered_and_take_regions_with_them(bench: Bench) -> None:
    picture = textured(300, 300)
    region = {"name": "cup", "x": 100, "y": 100, "width": 50, "height": 50}
    fields = {"picture": bench.picture(picture), "regions": [region]}
    tall, wide = bench.applied("crop", fields).parts
    assert (tall["crop"], tall["width"], tall["height"]) == ("2:3", 200, 300)
    assert (wide["crop"], wide["width"], wide["height"]) == ("3:2", 300, 200)
    assert np.array_equal(bench.pixels(tall["picture"]), picture[:, 50:250])
    assert tall["regions"] == [{**region, "x": 50}] and wide["regions"] == [{**region, "y": 50}]
    (nearest,) = bench.applied("crop", {"picture": bench.picture(textured(200, 400))}, which="nearest").parts
    assert nearest["crop"] == "3:2"
    assert bench.applied("crop", fields, least_side=256).dropped == "too small to crop: 300 × 300"


def test_small_and_long_pictures_are_dropped(bench: Bench) -> None:
    fields = {"picture": bench.picture(textured(240, 320))}
    assert bench.applied("resolution", fields).dropped == "too small: 320 × 240"
    assert bench.applied("resolution", fields, least_side=240).parts == ({"width": 320, "height": 240},)
    assert bench.applied("resolution", fields, least_side=0, most_ratio=1.2).dropped == "too long: 320 × 240"
    assert bench.applied("resolution", fields, least_side=0, most_pixels=1000).dropped == "too large: 320 × 240"


def test_a_setting_out_of_bounds_is_told_before_anything_is_built() -> None:
    for use, setting, value in (
        ("static_pair", "least_share", 2.0), ("frames", "trim", 0.6), ("near_duplicates", "most_bits", 30),
        ("crop", "ratios", ["2x3"]), ("crop", "which", "some"), ("stable_outside", "areas", 0),
        ("blank_frame", "pictures", []),
    ):  # fmt: skip
        with pytest.raises(BadInput):
            make_step({"name": "tried", "use": use, setting: value}, "test")


def test_a_folder_of_videos_leaves_them_where_they_are(bench: Bench, tmp_path: Path) -> None:
    write(tmp_path / "clips" / "b" / "two.mp4", encoded(sliding(8)))
    write(tmp_path / "clips" / "a.mp4", b"no video")
    write(tmp_path / "clips" / "notes.txt", b"no video")
    broken, good = bench.source("videos", path="clips", license="CC0")
    assert broken["file"] == "a.mp4" and broken["broken"].startswith("broken video")
    assert good["file"] == "b/two.mp4" and good["license"] == "CC0" and good["seconds"] == 1.0
    assert bench.applied("frames", good).parts and not list((tmp_path / "blobs").rglob("*.mp4"))
    write(tmp_path / "clips" / "b" / "two.mp4", encoded(sliding(9)))
    with pytest.raises(BadInput, match="changed since the build began"):
        bench.applied("frames", good)
    outside = {"video": {**good["video"], "file": "../../secret.mp4"}}
    with pytest.raises(BadInput, match="leaves its folder"):
        bench.applied("frames", outside)


@pytest.mark.slow
def test_a_build_runs_the_checks_in_other_processes_and_counts_reasons(tmp_path: Path) -> None:
    for seed in range(3):
        write(tmp_path / "clips" / f"{seed}.mp4", encoded(sliding(12, 192, 256, step=8, seed=seed)))
    write(tmp_path / "clips" / "one.mp4", encoded(sliding(1)))
    write(tmp_path / "clips" / "still.mp4", encoded(sliding(1, 192, 256, seed=9) * 12))
    uses = ["frames", "blank_frame", "static_pair", "camera_motion", "stable_outside"]
    steps = [make_step({"name": use, "use": use}, "test") for use in uses]
    steps.append(make_step({"name": "fingerprint", "use": "fingerprint", "picture": "before"}, "test"))
    steps.append(make_step({"name": "near_duplicates", "use": "near_duplicates"}, "test"))
    plan = BuildPlan("made", make_source({"use": "videos", "path": str(tmp_path / "clips")}, "test"), steps)
    with Build(plan, tmp_path / "build") as build:
        result = build.run()
        assert result.records == 3 and result.pending == 0
        assert dict(result.counts["frames"].dropped) == {"one frame only": 1}
        assert dict(result.counts["static_pair"].dropped) == {"nothing changed": 1}
        assert {record.fields["file"] for record in build.records()} == {"0.mp4", "1.mp4", "2.mp4"}
