"""A pipeline waits for people, who decide in a real studio, and goes on as they decided."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from editscope.factory.engine.build import BuildProgress
from editscope.factory.plan import BuildPlan
from editscope.factory.records import Record
from editscope.factory.steps.base import Outcome, PlainStep, kept
from editscope.factory.steps.review import ReviewStep
from editscope.factory.steps.texts import TemplateStep, WhereStep
from editscope.factory.steps.tools import Tools
from editscope.images import encode_png
from editscope.review_queue import DECISIONS_FILE, read_decisions, read_queue
from editscope.studio.review.queues import key_of
from support.command_line import called
from support.factory.made_plans import NumberSource, built, id_of
from support.studio.reviewing import add, decide
from support.studio.studio_server import studio


class PaintStep(PlainStep):
    """A picture in a shade of gray."""

    kind = "map"

    def apply(self, record: Record, tools: Tools) -> Outcome:
        shade = 20 * record.fields["number"]
        return kept({"picture": tools.blobs.put(encode_png(np.full((32, 32, 3), shade, np.uint8)))})


def review_plan() -> BuildPlan:
    steps = [
        PaintStep("paint", {}),
        TemplateStep("write", {"fields": {"instruction": "Paint it in shade {number}"}}),
        ReviewStep("look", {"texts": ["instruction"], "show": ["law"], "pictures": ["picture"]}),
        TemplateStep("finish", {"fields": {"caption": "{instruction}!"}}),
    ]
    return BuildPlan("shades", NumberSource({"count": 4}), steps)


def test_records_wait_for_people_and_go_on_as_they_decided(tmp_path: Path) -> None:
    build = tmp_path / "build"
    result, lines = built(review_plan(), build)
    assert "4 of 4 records wait for people at step 'look'" in result.waiting and not lines
    queue = build / "review" / "look"
    with studio(build) as address:
        link = add(address, key_of("review/look"), "Ann")
        assert decide(link, 0, "accept")[0] == 200
        assert decide(link, 1, "reject", reason="bad picture")[0] == 200
        assert decide(link, 2, "accept", texts={"instruction": "Paint it dark"})[0] == 200
        while len([one for one in read_decisions(queue).values() if one.outcome != "pending"]) < 3:
            pass  # the studio writes the file soon after the answer
    assert (queue / DECISIONS_FILE).is_file()
    result, lines = built(review_plan(), build)
    assert "1 of 4 records wait" in result.waiting
    result, lines = built(review_plan(), build, approved=True)
    assert len(lines) == result.records == 2 and "Paint it dark!" in lines[1] and not result.waiting
    assert dict(result.counts["look"].dropped) == {"rejected": 1} and result.counts["look"].pending == 1
    with studio(build) as address:
        assert decide(add(address, key_of("review/look"), "Bob"), 3, "accept")[0] == 200
    result, lines = built(review_plan(), build)  # the studio has written the last decision when it has ended
    assert not result.waiting and len(lines) == 3 and "shade 3!" in lines[2]


def test_a_field_that_no_record_has_is_told_with_those_that_there_are(tmp_path: Path) -> None:
    *before, _, finish = review_plan().steps
    look = ReviewStep("look", {"texts": ["instrution"], "pictures": ["picture", "sketch"], "show": ["nothing"]})
    told: list[str] = []
    plan = BuildPlan("shades", NumberSource({"count": 4}), [*before, look, finish])
    result, _ = built(plan, tmp_path / "build", progress=BuildProgress(warn=told.append))
    assert "4 of 4 records wait" in result.waiting
    known = "(known: instruction, law, number, picture)"
    for name, setting, text in zip(("instrution", "sketch"), ("texts", "pictures"), told, strict=True):
        assert text.startswith(f"there is no field {name!r} of any record, which {setting} of step 'look' names")
        assert text.endswith(known)
    assert "did you mean 'instruction'?" in told[0]
    told.clear()
    built(review_plan(), tmp_path / "right", progress=BuildProgress(warn=told.append))
    assert not told


def test_the_command_warns_of_such_a_field(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "words.csv").write_text("word\ncup\n")
    (tmp_path / "plan.toml").write_text(
        "name = 'p'\nsource = { use = 'list', path = 'words.csv' }\n"
        "[[steps]]\nname = 'look'\nuse = 'review'\ntexts = ['words']\n"
    )
    code, _, told = called(capsys, "factory", "build", tmp_path)
    assert code == 3 and "warning: there is no field 'words' of any record" in told and "(known: word)" in told


def test_nobody_is_asked_about_records_that_the_plan_drops_now(tmp_path: Path) -> None:
    build, plan = tmp_path / "build", review_plan()
    built(plan, build)
    with studio(build) as address:
        assert decide(add(address, key_of("review/look"), "Ann"), 3, "accept")[0] == 200
    smaller = WhereStep("few", {"most": {"number": 1}})
    narrow = BuildPlan("shades", plan.source, [plan.steps[0], plan.steps[1], smaller, *plan.steps[2:]])
    assert "2 of 2 records wait" in built(narrow, build)[0].waiting
    assert [record.id for record in read_queue(build / "review/look")] == [id_of(0), id_of(1), id_of(3)]
    assert "3 of 4 records wait" in built(review_plan(), build)[0].waiting  # what was decided is still there
