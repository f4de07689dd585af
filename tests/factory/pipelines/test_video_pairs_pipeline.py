"""The pipeline video-pairs: shots of real video files become pairs with instructions."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser

from drills.counts import times
from editscope.factory.output.reading import load_training_set
from support.command_line import Called
from support.factory.drawn_pictures import drawn_picture
from support.factory.kills import killed_and_resumed, slowly
from support.factory.made_videos import encoded
from support.factory.pipeline_builds import built_here, counted, pipeline_folder, reasons
from support.factory.scripted_makers import disc_clip
from support.factory.scripted_writer import refusal, writer
from support.judged_data import make_picabench
from support.pilots.pilot_exports import exported_pilot, pixel_scores
from support.pilots.pilot_reviews import BrowserReviews, ReviewTask, as_decided
from support.servers.judge_server import JudgeServer

GOOD = times(9, 26)
FPS = 8


@pytest.fixture(autouse=True)
def surroundings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("EDITSCOPE_CACHE", str(tmp_path / "kept"))


def shot(seed: int, frames: int = 16) -> list[Any]:
    """Two seconds in which a disc comes in."""
    return disc_clip(drawn_picture(seed), seed, frames)


def made_folder(folder: Path, good: int) -> Path:
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


def begun(folder: Path, server: JudgeServer, videos: Path, **more: Any) -> Path:
    suite = folder.parent / "suite"
    if not suite.exists():
        make_picabench(suite, 8)
    leak = {"steps__no-leak__suites": [f"picabench={suite}"]}
    given = {"videos": videos, "license": "CC-BY", **more}
    return pipeline_folder("video-pairs", folder, {"writer": server.spec()}, given, **leak)


PEOPLE = {"review": ReviewTask({"superficial": "Move the disc as Ann wrote."}, "the camera moved")}
COLUMNS = {
    "before": "picture", "after": "picture", "superficial": "text", "intermediate": "text", "explicit": "text",
    "law": "text", "file": "text", "license": "text",
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.drill(only=True)
def test_a_pilot_keeps_pairs_of_still_shots_as_people_decide_and_a_run_scores_them(
    tmp_path: Path, browser: Browser, editscope: Callable[..., Called]
) -> None:
    people = BrowserReviews(browser, PEOPLE)
    with writer(refusal(5, "superficial")) as server:
        folder = begun(tmp_path / "set", server, made_folder(tmp_path / "videos", GOOD), review=True)
        result, lines = built_here(folder, people=people)
        calls = server.calls
        assert built_here(folder)[1] == lines and server.calls == calls
    assert counted(result)["readable"] == (GOOD + 6, GOOD + 4)
    dropped = reasons(result)
    assert {step: dropped[step] for step in DROPPED} == DROPPED and set(dropped) == {*DROPPED, "clear", "instruct"}
    # How many depends on the bytes of the videos, which differ between builds of the encoder.
    assert set(dropped["clear"]) == {"nothing changed"} and set(dropped["instruct"]) == {"the model declined"}
    records = {name: fields for name, fields, _ in map(json.loads, lines)}
    assert len(records) == result.records
    as_decided(people, "review", records)
    for fields in records.values():
        assert fields["before"] != fields["after"] and fields["law"] == "motion" and 0.5 <= fields["gap_s"] <= 6
    made = exported_pilot(folder, COLUMNS, suite="own", tags=["law"])
    assert set(made.rows) == set(records)
    row = made.rows[next(iter(records))]
    assert row["after"].size == (160, 128) and row["license"] == "CC-BY"
    files = [{made.rows[name]["file"] for name in split} for split in made.splits.values()]
    assert not files[0] & files[1]  # both shots of a video are on the same side
    assert {record.id for record in load_training_set(made.folder)} == set(records)
    pixel_scores(editscope, made.folder / "suite", tmp_path)


DROPPED = {
    "readable": {"broken": 2},
    "shots": {"no shot of 1 s": 1},
    "pairs": {"nothing changed": 1, "too much changed": 1},
    "once": {"near duplicate": 1},
    "review": {"rejected": 1},
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
