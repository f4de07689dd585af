"""The pipeline pica100k: words are drawn, animated, checked by their pixels, and described."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from drills.counts import times
from editscope.factory.output.reading import load_training_set
from editscope.factory.plan import read_plan
from support.command_line import Called
from support.factory.kills import killed_and_resumed, slowly
from support.factory.pipeline_builds import built_here, counted, pipeline_folder, reasons
from support.factory.scripted_makers import animator, painter
from support.factory.scripted_writer import Fault, breach_at_first, refusal, writer
from support.judged_data import make_picabench
from support.pilots.pilot_exports import exported_pilot, pixel_scores
from support.pilots.pilot_reviews import BrowserReviews, ReviewTask, as_decided
from support.servers.editor_server import KEY


@pytest.fixture(autouse=True)
def surroundings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("EDITSCOPE_CACHE", str(tmp_path / "kept"))
    for name in ("OPENAI_API_KEY", "ARK_API_KEY"):
        monkeypatch.setenv(name, KEY)


class Studio:
    """The three models on loopback, and folders of the pipeline that use them."""

    def __init__(self, writing: Any, painting: Any, animating: Any) -> None:
        self.servers = (writing, painting, animating)

    @property
    def calls(self) -> int:
        """Requests that are paid, of all models."""
        return sum(server.calls for server in self.servers)

    def begun(self, folder: Path, **given: Any) -> Path:
        suite = folder.parent / "suite"
        if not suite.exists():
            make_picabench(suite, 8)
        writing, painting, animating = self.servers
        models = {"writer": writing.spec(), "painter": painting.spec("gpt-image-1"), "animator": animating.spec()}
        leak = {"steps__no-leak__suites": [f"picabench={suite}"]}
        return pipeline_folder("pica100k", folder, models, given, **leak)


@contextmanager
def studio(*faults: Fault, latency: float = 0.0) -> Iterator[Studio]:
    with (
        writer(*faults, latency=latency) as writing,
        painter(latency=latency) as painting,
        animator(latency=latency) as animating,
    ):
        yield Studio(writing, painting, animating)


PEOPLE = {"review": ReviewTask({"superficial": "Move the stool as Ann wrote."}, "breaks the law")}
COLUMNS = {
    "before": "picture", "after": "picture", "frames": "pictures", "superficial": "text", "intermediate": "text",
    "explicit": "text", "law": "text",
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.drill
def test_a_pilot_keeps_pairs_in_which_something_happened_as_people_decide_and_a_run_scores_them(
    tmp_path: Path, browser: Browser, editscope: Callable[..., Called]
) -> None:
    long = breach_at_first("explicit", {"superficial": "Move the stool " + "far to the right " * 8})
    people = BrowserReviews(browser, PEOPLE)
    with studio(refusal(13, "prompt"), long) as models:
        folder = models.begun(tmp_path / "set", between="1", review=True)
        result, lines = built_here(folder, people=people, limit=50)
        calls = models.calls
        assert built_here(folder, limit=50)[1] == lines and models.calls == calls
    assert counted(result)["refine"][0] == 50 and reasons(result) == DROPPED
    records = {name: fields for name, fields, _ in map(json.loads, lines)}
    assert len(records) == result.records == 22
    as_decided(people, "review", records)
    laws = Counter(fields["law"] for fields in records.values())
    assert max(laws.values()) <= 1.5 * min(laws.values()) + 1  # people rejected one
    for _, fields, history in map(json.loads, lines):
        assert fields["changed_share"] > 0.005 and fields["shift_percent"] < 1 and len(fields["frames"]) == 1
        assert dict(history)["instruct"]["tries"] == 2  # the first superficial level was too long
        assert KEY not in json.dumps(fields)
    made = exported_pilot(folder, COLUMNS, limit=50, suite="own", tags=["law"])
    assert set(made.rows) == set(records) and made.rows[next(iter(records))]["after"].size == (160, 128)
    assert {record.id for record in load_training_set(made.folder)} == set(records)
    pixel_scores(editscope, made.folder / "suite", tmp_path)


def test_people_look_at_pairs_only_where_they_are_asked_to(tmp_path: Path) -> None:
    for given, asked in (({}, False), ({"review": True}, True)):
        folder = pipeline_folder("pica100k", tmp_path / str(asked), {}, given)
        assert ("review" in [step.name for step in read_plan(folder / "plan.toml").steps]) == asked


DROPPED = {
    "refine": {"the model declined": 2},
    "draw": {"the model declined": 6},
    "drawn": {"plain": 2},
    "whole-frames": {"black": 4},
    "something-changed": {"nothing changed": 3},
    "camera-still": {"the camera moves": 5},
    "balance": {"beyond the quota": 5},
    "review": {"rejected": 1},
}


@pytest.mark.slow
@pytest.mark.drill
def test_a_build_killed_at_random_moments_equals_one_that_was_not(tmp_path: Path) -> None:
    kills, limit = times(3, 50), 24
    with studio(latency=0.02) as models:
        _, lines = built_here(models.begun(tmp_path / "whole"), limit=limit)
        paid = models.calls
        folder = models.begun(tmp_path / "killed")
        in_hand = slowly(folder / "plan.toml")
        survived = killed_and_resumed(folder, kills, lambda: models.calls, options=("--limit", str(limit)), stride=40)
    assert survived.lines == lines and survived.kills
    assert survived.requests <= paid + survived.kills * in_hand
