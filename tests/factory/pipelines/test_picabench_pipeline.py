"""The pipeline picabench: candidates become cases with instructions, regions and questions, through people's hands."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Page

from drills.counts import times
from editscope.errors import BadInput
from editscope.factory.blobs import BlobStore
from editscope.factory.pipelines.picabench.steps import BindQuestionsStep, DrawnRegionsStep, PlaceRegionsStep
from editscope.factory.records import Record
from editscope.factory.steps.tools import Tools
from editscope.images import encode_png, load
from editscope.review_queue import QueueRecord
from editscope.suites.registry import load_suite
from support.command_line import Called
from support.factory.drawn_pictures import drawn_folder, drawn_picture
from support.factory.kills import accept_all, killed_and_resumed, slowly
from support.factory.pipeline_builds import built_here, counted, pipeline_folder, reasons
from support.factory.scripted_writer import breach_at_first, four_times, prose, refusal, sensible, writer
from support.judged_data import make_picabench
from support.pilots.pilot_exports import CASES, exported_pilot, judged_run
from support.pilots.pilot_reviews import BrowserReviews, ReviewTask, as_decided
from support.servers.judge_server import KEY, JudgeServer

SMALL: dict[str, Any] = {"steps__large-enough__least_side": 96}


@pytest.fixture(autouse=True)
def surroundings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("EDITSCOPE_CACHE", str(tmp_path / "kept"))


def begun(folder: Path, server: JudgeServer, pictures: Path, **places: Any) -> Path:
    """A folder of the pipeline for pictures that a test drew; a test set at hand has one of them."""
    suite = folder.parent / "suite"
    if not suite.exists():
        make_picabench(suite, 8)
        shutil.copyfile(pictures / "020.png", suite / "input_img" / "00003.png")
    given = {"pictures": pictures, "license": "CC0", "by": "all"}
    leak = {"steps__no-leak__suites": [f"picabench={suite}"]}
    return pipeline_folder("picabench", folder, {"writer": server.spec()}, given, **SMALL, **leak, **places)


def flawed(folder: Path) -> Path:
    """Fifty good pictures, and a broken, a blank, a small one, and a copy that was saved again."""
    drawn_folder(folder, 50)
    (folder / "x_broken.png").write_bytes(b"\x89PNG\r\n\x1a\n cut off")
    (folder / "x_blank.png").write_bytes(encode_png(np.full((128, 160, 3), 128, np.uint8)))
    (folder / "x_small.png").write_bytes(encode_png(drawn_picture(77, 60, 60)))
    (folder / "x_twice.png").write_bytes(encode_png(np.minimum(drawn_picture(5), 250).astype(np.uint8)))
    return folder


PEOPLE = {
    "check-instruction": ReviewTask({"instruction": "Remove the small thing on the left."}, "bad picture"),
    "check-levels": ReviewTask({"intermediate": "Remove it, and let the light follow, as Ann wrote."}, "wrong text"),
    "check-regions": ReviewTask(reason="region misplaced"),
    "check-questions": ReviewTask(reason="asked twice"),
}
COLUMNS = {
    "picture": "picture", "law": "text", "operation": "text", "superficial": "text", "intermediate": "text",
    "explicit": "text", "regions": "json", "questions": "json", "license": "text", "file": "text",
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.drill
def test_a_pilot_goes_through_people_and_faults_and_becomes_a_suite_that_a_run_scores(
    tmp_path: Path, browser: Browser, editscope: Callable[..., Called], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    breach = breach_at_first("superficial", {"superficial": "Remove it, so that everything falls over."})
    people = BrowserReviews(browser, PEOPLE, _shows_what_a_reviewer_needs)
    with writer(refusal(9, "operation"), four_times(11), breach) as server:
        folder = begun(tmp_path / "set", server, flawed(tmp_path / "pictures"))
        result, lines = built_here(folder, people=people)
        calls = server.calls
        again, same = built_here(folder, people=people)
        assert server.calls == calls and same == lines and counted(again) == counted(result)
    flow = counted(result)
    assert flow["readable"] == (54, 53) and flow["large-enough"] == (53, 52) and flow["shows-something"] == (52, 51)
    assert flow["once"] == (51, 50) and flow["tag"] == (50, 50)
    assert reasons(result) == DROPPED and set(people.queues) == set(PEOPLE)
    records = {name: fields for name, fields, _ in map(json.loads, lines)}
    assert len(records) == result.records == 38
    for step in PEOPLE:
        as_decided(people, step, records)
    fields, history = json.loads(lines[-1])[1:]
    assert {question["category"] for question in fields["questions"]} == {"editing completion", "physics consistency"}
    assert {question["region"] for question in fields["questions"]} <= {region["name"] for region in fields["regions"]}
    assert dict(history)["levels"]["tries"] == 2  # the first reply told the outcome
    made = exported_pilot(folder, COLUMNS)
    assert set(made.rows) == set(records) and made.rows[json.loads(lines[0])[0]]["picture"].size == (160, 128)
    suite = load_suite("picabench?levels=superficial,intermediate,explicit", root=made.folder / "suite")
    case = next(iter(suite))
    assert len(suite) == len(records) and len(case.instructions) == 3 and len(case.questions) == 4
    assert case.tags["operation"] == "remove"
    assert judged_run(editscope, "picabench", made.folder / "suite", tmp_path / "run") >= min(CASES, len(suite))


def _shows_what_a_reviewer_needs(page: Page, record: QueueRecord) -> None:
    """Regions are drawn and listed, questions stand in a table, and nothing is written as JSON."""
    for rows in (record.fields.get("questions") or (), record.fields.get("regions") or ()):
        for row in rows:
            assert page.get_by_role("row").filter(has_text=str(next(iter(row.values())))).is_visible()
    assert page.locator("#pictures img").count() == len(record.pictures) > 0
    assert not any(sign in page.locator("#fields").inner_text() for sign in '{["')


DROPPED = {
    "readable": {"broken": 1},
    "large-enough": {"too small": 1},
    "shows-something": {"plain": 1},
    "once": {"near duplicate": 1},
    "each-law": {"nothing to expand": 16},
    "write": {"the model declined": 4},
    "check-instruction": {"rejected": 1},
    "check-levels": {"rejected": 1},
    "check-regions": {"rejected": 1},
    "other-questions": {"no_repeated_question": 5},
    "check-questions": {"rejected": 1},
    "no-leak": {"leak": 2},
}


@pytest.mark.slow
def test_prose_stays_pending_and_is_asked_again_and_nothing_else_is(tmp_path: Path) -> None:
    drawn_folder(tmp_path / "pictures", 21)
    with writer(prose(3, "laws")) as server:
        folder = begun(tmp_path / "set", server, tmp_path / "pictures")
        result, lines = built_here(folder)
        wrong, written = result.counts["tag"].pending, result.counts["write"].records_in
        assert 0 < wrong < 21 and not lines and not reasons(result).get("tag")
        server.script = sensible
        before = server.calls
        result, _ = built_here(folder)
        assert result.counts["tag"].pending == 0 and "wait for people at step 'check-instruction'" in result.waiting
        assert server.calls == before + wrong + result.counts["write"].records_in - written


@pytest.mark.slow
@pytest.mark.drill
def test_a_build_killed_at_random_moments_equals_one_that_was_not(tmp_path: Path) -> None:
    drawn_folder(tmp_path / "pictures", 24)
    kills = times(3, 50)
    with writer(latency=0.02) as server:
        whole = begun(tmp_path / "whole", server, tmp_path / "pictures")
        _, lines = built_here(whole, people=accept_all)
        paid = server.calls
        folder = begun(tmp_path / "killed", server, tmp_path / "pictures")
        in_hand = slowly(folder / "plan.toml")
        survived = killed_and_resumed(folder, kills, lambda: server.calls, people=accept_all, stride=40)
    assert survived.lines == lines and survived.kills
    assert survived.requests <= paid + survived.kills * in_hand


# ---- regions and questions


def tools(folder: Path) -> Tools:
    return Tools(BlobStore(folder / "blobs"), folder, build=folder / "build")


def a_record(made: Tools, seed: int = 1, **fields: Any) -> Record:
    return Record("000000", {"picture": made.blobs.put(encode_png(drawn_picture(seed))), **fields})


def test_boxes_of_a_model_become_regions_that_lie_in_the_picture(tmp_path: Path) -> None:
    made, step = tools(tmp_path), PlaceRegionsStep("place", {})
    boxes = [
        {"name": "floor", "box": "0, 500, 500, 1000"},
        {"name": "Floor", "box": "0, 0, 500, 500"},  # the same name again
        {"name": "wall", "box": "600, 100, 500, 400"},  # its right before its left
        {"name": "lamp", "box": "the upper left"},
        {"name": "dot", "box": "1, 1, 5, 5"},  # smaller than anybody could judge
        {"name": "sky", "box": "0, 0, 1000, 1200"},
    ]
    fields = step.apply(a_record(made, boxes=boxes), made).parts[0]
    assert fields["regions"] == [{"name": "floor", "x": 0, "y": 64, "width": 80, "height": 64}]
    marked, plain = load(made.blobs.get(fields["marked"])), drawn_picture(1)
    assert (marked[64, :80] == (255, 64, 64)).all() and (marked[:60] == plain[:60]).all()
    outcome = step.apply(a_record(made, boxes=boxes[2:]), made)
    assert outcome.dropped.startswith("no region can be used: ") and not outcome.parts


def test_regions_that_people_drew_go_to_the_records_with_their_picture(tmp_path: Path) -> None:
    made = tools(tmp_path)
    drawn = make_picabench(tmp_path / "drawn", 2, hub=True)
    (drawn / "input_img" / "00000.png").write_bytes(encode_png(drawn_picture(1)))
    step = DrawnRegionsStep("drawn", {"folder": "drawn"})
    step.begin(made)
    mine = step.apply(a_record(made, superficial="superficial wish 0"), made).parts[0]["regions"]
    assert [region["name"] for region in mine] == ["region 1", "region 2"]
    assert mine[0] == {"name": "region 1", "x": 101, "y": 76, "width": 59, "height": 52}  # cut at the picture's edge
    assert step.apply(a_record(made, superficial="another wish"), made).parts == ({},)
    assert step.apply(a_record(made, seed=2, superficial="superficial wish 0"), made).parts == ({},)
    nothing = DrawnRegionsStep("drawn", {})
    nothing.begin(made)
    assert nothing.apply(a_record(made), made).parts == ({},)
    with pytest.raises(BadInput, match=r"has no meta_info\.json"):
        DrawnRegionsStep("drawn", {"folder": "nowhere"}).begin(made)


def test_questions_belong_to_regions_and_to_both_categories(tmp_path: Path) -> None:
    made, step = tools(tmp_path), BindQuestionsStep("bind", {})
    regions = [{"name": "Left wall", "x": 0, "y": 0, "width": 9, "height": 9}]
    lamp, wall = "Is the lamp on the left absent?", "Is the left wall dark?"
    good = [
        {"question": lamp, "answer": "Yes", "category": "Editing_completion", "region": "left wall"},
        {"question": wall, "answer": "Yes", "category": "physics consistency", "region": "Left wall"},
    ]
    bound = step.apply(Record("1", {"questions": good, "regions": regions}), made).parts[0]["questions"]
    assert {one["region"] for one in bound} == {"Left wall"} and bound[0]["category"] == "editing completion"
    for change, reason in (
        ({"region": "the roof"}, "a question names no region"),
        ({"category": "beauty"}, "a question has another category"),
        ({"category": "editing completion"}, "no question about physics consistency"),
    ):
        wrong = step.apply(Record("1", {"questions": [good[0], {**good[1], **change}], "regions": regions}), made)
        assert wrong.dropped.startswith(reason)
