"""The pipeline of WiseEdit, end to end against models on loopback: ideas, pictures, two languages, hints and tags."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from drills.counts import times
from editscope.factory.words.ideas import shipped_idea_words
from editscope.suites.registry import load_suite
from support.command_line import Called
from support.factory.blotches import picture_folder
from support.factory.knowledge_models import IDEAS
from support.factory.pipeline_runs import (
    LoopbackModels,
    begun,
    leaked,
    pilot,
    survives_kills,
)
from support.pilots.pilot_exports import CASES, exported_pilot, judged_run
from support.pilots.pilot_reviews import BrowserReviews, ReviewTask

NAME = "wiseedit"
MODELS = (IDEAS,)
DROPPED = {
    "each-prompt": {"another number of prompts than asked for": 1},
    "good-pictures": {"the pictures lack what the instruction needs": 2, "the pictures give the answer away": 1},
    "good-translation": {"the translation is clumsy": 4, "the translation means something else": 2},
    "accepted": {"wrong hint": 1, "cannot be shown": 1, "unclear instruction": 1},
    "accepted-again": {"cannot be shown": 1, "unreasonable": 1, "no knowledge needed": 2, "wrong hint": 1},
    "no-leak": {"leak": 1},
    "known-tags": {"tagged as another task": 1},
    "review": {"rejected": 1},
}
"""Why records of the pilot are dropped, by step; what people would reject is not among it."""

PEOPLE = {"review": ReviewTask({"hint": "As Ann wrote."}, "wrong hint")}
COLUMNS = {
    "pictures": "pictures",
    "task": "text",
    "subset": "text",
    "instruction": "text",
    "chinese": "text",
    "hint": "text",
    "knowledge": "text",
    "domain": "text",
    "subtask": "text",
    "variants": "texts",
    "license": "text",
}


def started(folder: Path, models: LoopbackModels) -> Path:
    """The pipeline with pictures of the test, one of which a test suite has."""
    pictures = picture_folder(folder.parent / "pictures", [f"view {n}" for n in range(12)])
    suite = leaked(folder.parent / "test-suite", ["view 1", "view 2", "view 3"])
    return begun(NAME, folder, models, {"steps.no-leak.suites": [suite]}, pictures=pictures, license="CC0")


@pytest.mark.slow
@pytest.mark.drill
def test_a_pilot_of_fifty_records_goes_through_every_step_and_people_and_a_run_scores_it(
    tmp_path: Path, models: LoopbackModels, browser: Browser, editscope: Callable[..., Called]
) -> None:
    plan = started(tmp_path / "set", models)
    made = pilot(plan, models, BrowserReviews(browser, PEOPLE))
    assert made.reasons() == DROPPED
    written = exported_pilot(plan.parent, COLUMNS, limit=50)
    suite = load_suite(NAME, root=written.folder / "suite")
    assert set(written.rows) == set(made.named)
    assert len(made.records) == 29 and len(suite) == 28  # one of them is complex, a suite of its own
    assert len(load_suite("wiseedit-complex", root=written.folder / "suite")) == 1 and made.requests == 484
    words = shipped_idea_words()
    for record in made.records:
        assert len(record["pictures"]) == record["count"] and record["subset"] == f"{record['task']}_{record['count']}"
        assert record["subtask"] in words.tasks[record["task"]] and record["knowledge"] in words.knowledge
        assert record["chinese"].startswith("请") and len(record["variants"]) == 3 and record["hint"]
        assert record["instruction"] in (record["original"], *record["variants"])
    assert judged_run(editscope, NAME, written.folder / "suite", tmp_path / "run") >= min(CASES, len(suite))


@pytest.mark.slow
@pytest.mark.drill
def test_a_killed_build_ends_as_one_that_was_not(tmp_path: Path, models: LoopbackModels) -> None:
    survives_kills(lambda name: started(tmp_path / name / "set", models), models, times(3, 50), limit=20)
