"""The pipeline of InEdit-Bench, end to end against models on loopback: scenarios, stages, checklists, paths."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from drills.counts import times
from editscope.suites.inedit.data import CATEGORIES, CHECKED, PATHS
from editscope.suites.registry import load_suite
from support.command_line import Called
from support.factory.blotches import picture_folder
from support.factory.knowledge_models import PROCESSES
from support.factory.pipeline_runs import (
    LoopbackModels,
    begun,
    leaked,
    pilot,
    survives_kills,
)
from support.pilots.pilot_exports import CASES, exported_pilot, judged_run
from support.pilots.pilot_reviews import BrowserReviews, ReviewTask

NAME = "inedit"
MODELS = (PROCESSES,)
DROPPED = {
    "readable": {"broken": 1},
    "good-pair": {"the end is not shown": 5, "the start is not shown": 4, "nothing changed": 3},
    "good-checklist": {"the checklist contradicts what is known": 1, "the checklist leaves open what is right": 1},
    "case": {"another number of key stages than scientific_simulation has": 1},
    "no-leak": {"leak": 2},
    "review": {"rejected": 1},
}
"""Why records of the pilot are dropped, by step; what people would reject is not among it."""

PEOPLE = {"review": ReviewTask({"instruction": "From start to end in 4 numbered grids, as Ann wrote."}, "no clear way")}
COLUMNS = {
    "picture": "picture",
    "category": "text",
    "subtask": "text",
    "instruction": "text",
    "instruction_A": "text",
    "instruction_B": "text",
    "checklist": "text",
    "key_nodes": "texts",
    "license": "text",
}


def started(folder: Path, models: LoopbackModels) -> Path:
    """The pipeline with pairs of pictures of the test, one of which a test suite has."""
    names = [f"bud {n}_{end}" for n in range(6) for end in ("start", "end")]
    pairs = picture_folder(folder.parent / "pairs", names)
    (pairs / "bud 1_end.png").write_bytes(b"\x89PNG and nothing else")
    suite = leaked(folder.parent / "test-suite", ["bud 2_start", "bud 3_start", "bud 4_start"])
    return begun(NAME, folder, models, {"steps.no-leak.suites": [suite]}, pairs=pairs, license="CC0")


@pytest.mark.slow
@pytest.mark.drill(only=True)
def test_a_pilot_of_fifty_records_goes_through_every_step_and_people_and_a_run_scores_it(
    tmp_path: Path, models: LoopbackModels, browser: Browser, editscope: Callable[..., Called]
) -> None:
    plan = started(tmp_path / "set", models)
    made = pilot(plan, models, BrowserReviews(browser, PEOPLE))
    assert made.reasons() == DROPPED
    written = exported_pilot(plan.parent, COLUMNS, limit=50)
    suite = load_suite(NAME, root=written.folder / "suite")
    assert set(written.rows) == set(made.named)
    assert len(suite) == len(made.records) == 31
    by_category = Counter(record["category"] for record in made.records)
    assert set(by_category) == {*CATEGORIES} and made.requests == 223
    for record in made.records:
        texts = [record.get(name, "") for name in ("instruction", "instruction_A", "instruction_B")]
        assert all("numbered grids" in text for text in texts if text)
        if texts[0] == PEOPLE["review"].texts["instruction"]:
            continue
        if record["category"] == PATHS:
            assert record["path_a"] in texts[1] and record["path_b"] in texts[2] and not texts[0]
        elif record["category"] in CHECKED:
            assert 2 <= len(record["items"]) <= 4 and all(node in texts[0] for node in record["key_nodes"])
            assert 1 <= len(record["key_nodes"]) <= 3
        elif record["category"] == "temporal_sequence":
            assert f"The same time passes from each grid to the next: {record['interval']}." in texts[0]
        else:
            assert texts[0].endswith("Show every single step of the way and leave none out.")
    assert judged_run(editscope, NAME, written.folder / "suite", tmp_path / "run") >= min(CASES, len(suite))


@pytest.mark.slow
@pytest.mark.drill
def test_a_killed_build_ends_as_one_that_was_not(tmp_path: Path, models: LoopbackModels) -> None:
    survives_kills(lambda name: started(tmp_path / name / "set", models), models, times(3, 50), limit=24)
