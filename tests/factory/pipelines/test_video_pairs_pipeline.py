"""The pipeline video-pairs: shots of real video files become pairs with instructions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from drills.counts import times
from support.factory.drawn_pictures import drawn_picture
from support.factory.kills import killed_and_resumed, slowly
from support.factory.made_videos import encoded
from support.factory.pipeline_builds import built_here, counted, exported, pipeline_folder, reasons
from support.factory.scripted_makers import disc_clip
from support.factory.scripted_writer import refusal, writer
from support.judged_data import make_picabench
from support.servers.judge_server import JudgeServer

GOOD = 26
FPS = 8


def shot(seed: int, frames: int = 16) -> list[Any]:
    """Two seconds in which a disc comes in."""
    return disc_clip(drawn_picture(seed), seed, frames)


def made_folder(folder: Path, good: int = GOOD) -> Path:
    """Videos of two shots each, and what else one finds in a folder."""
    folder.mkdir()
    for number in range(good):
        (folder / f"{number:03d}.mp4").write_bytes(encoded([*shot(2 * number), *shot(2 * number + 1)], fps=FPS))
    still = [drawn_picture(900)] * 16
    (folder / "x_still.mp4").write_bytes(encoded(still, fps=FPS))
    pan = [np.roll(drawn_picture(901), 6 * step, axis=1) for step in range(16)]
    (folder / "x_pan.mp4").write_bytes(encoded(pan, fps=FPS))
    (folder / "x_one.mp4").write_bytes(encoded([drawn_picture(902)], fps=FPS))
    (folder / "x_empty.mp4").write_bytes(b"")
    (folder / "x_text.mp4").write_text("no video at all")
    (folder / "x_again.mp4").write_bytes(encoded(shot(0), fps=FPS, crf=24))
    return folder


def begun(folder: Path, server: JudgeServer, videos: Path) -> Path:
    suite = folder.parent / "suite"
    if not suite.exists():
        make_picabench(suite, 8)
    leak = {"steps__no-leak__suites": [f"picabench={suite}"]}
    given = {"videos": videos, "license": "CC-BY"}
    return pipeline_folder("video-pairs", folder, {"writer": server.spec()}, given, **leak)


@pytest.mark.slow
def test_a_pilot_keeps_pairs_of_still_shots_and_says_why_others_go(tmp_path: Path) -> None:
    with writer(refusal(17, "superficial")) as server:
        folder = begun(tmp_path / "set", server, made_folder(tmp_path / "videos"))
        result, lines = built_here(folder)
        calls = server.calls
        assert built_here(folder)[1] == lines and server.calls == calls
    assert counted(result)["readable"] == (GOOD + 6, GOOD + 4) and reasons(result) == DROPPED
    records = [json.loads(line) for line in lines]
    assert len(records) == result.records
    for _, fields, _ in records:
        assert fields["before"] != fields["after"] and fields["law"] == "motion" and 0.5 <= fields["gap_s"] <= 6
    import datasets

    loaded = datasets.load_dataset(str(exported(folder)), split="train", cache_dir=str(tmp_path / "cache"))
    assert len(loaded) == len(lines) and loaded[0]["after"].size == (160, 128) and loaded[0]["license"] == "CC-BY"


DROPPED = {
    "readable": {"broken": 2},
    "shots": {"no shot of 1 s": 1},
    "pairs": {"nothing changed": 1, "too much changed": 1},
    "once": {"near duplicate": 1},
    "clear": {"nothing changed": 10},
    "instruct": {"the model declined": 5},
}


@pytest.mark.slow
@pytest.mark.drill
def test_a_build_killed_at_random_moments_equals_one_that_was_not(tmp_path: Path) -> None:
    made_folder(tmp_path / "videos", good=8)
    kills = times(3, 50)
    with writer(latency=0.02) as server:
        _, lines = built_here(begun(tmp_path / "whole", server, tmp_path / "videos"))
        paid = server.calls
        folder = begun(tmp_path / "killed", server, tmp_path / "videos")
        in_hand = slowly(folder / "plan.toml")
        survived = killed_and_resumed(folder, kills, lambda: server.calls, stride=12)
    assert survived.lines == lines and survived.kills
    assert survived.requests <= paid + survived.kills * in_hand
