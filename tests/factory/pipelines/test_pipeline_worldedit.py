"""The pipeline of WorldEdit, end to end against models on loopback: what goes in, what is dropped and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from drills.counts import times
from editscope.suites.registry import load_suite
from support.command_line import Called
from support.factory.blotches import picture_folder
from support.factory.knowledge_models import CAUSES, THINGS
from support.factory.pipeline_runs import (
    LoopbackModels,
    begun,
    leaked,
    pilot,
    survives_kills,
)
from support.pilots.pilot_exports import CASES, exported_pilot, judged_run
from support.pilots.pilot_reviews import BrowserReviews, ReviewTask

NAME = "worldedit"
MODELS = (CAUSES, (NAME,))
DROPPED = {
    "readable": {"broken": 1},
    "resolution": {"too small": 1},
    "duplicates": {"near duplicate": 1},
    "in-context": {"the crop lost its context": 7},
    "good-question": {
        "impossible pair of object and mode": 47,
        "weak causal link": 26,
        "the question tells the result": 7,
    },
    "good-answer": {"contradicted causality": 8, "weak visual effect": 6, "nothing that one sees": 8},
    "implicit": {"implicit_cause": 37},
    "good-instruction": {
        "no world knowledge needed": 6,
        "explicit instruction": 7,
        "impossible pair of object and mode": 12,
    },
    "distinct": {"the same as another": 13},
    "paraphrase": {"no_mood": 7},
    "good-paraphrase": {"weak visual effect": 7, "contradicted causality": 7, "no world knowledge needed": 5},
    "scores": {"vc below 3": 9, "if below 4": 9, "kp below 4": 15, "vq below 3": 9},
    "no-leak": {"leak": 9},
    "quota": {"beyond the quota": 70},
    "review": {"rejected": 1},
}
"""Why records of the pilot are dropped, by step; what people would reject is not among it."""

PEOPLE = {
    "review": ReviewTask({"paraphrase": "Show it after the storm, as Ann wrote."}, "weak visual effect", changed=6)
}
COLUMNS = {
    "picture": "picture",
    "edit": "picture",
    "object": "text",
    "mode": "text",
    "instruction": "text",
    "paraphrase": "text",
    "explanation": "text",
    "vc": "whole",
    "vq": "whole",
    "if": "whole",
    "kp": "whole",
    "license": "text",
}


def started(folder: Path, models: LoopbackModels) -> Path:
    """The pipeline with pictures of the test, which are small, and a test suite that has one of its sentences."""
    collection = picture_folder(folder.parent / "collection", [f"view {n}" for n in range(30)])
    (collection / "broken.png").write_bytes(b"\x89PNG and nothing else")
    curated = picture_folder(folder.parent / "curated", [f"cause {n}" for n in range(10)])
    picture_folder(curated, ["a tiny one"], 40, 40)
    (curated / "cause 5.png").write_bytes((collection / "view 2.png").read_bytes())
    texts = [f"Leave the {thing} out in the storm for {hours} days." for thing in THINGS[:2] for hours in (4, 5)]
    suite = leaked(folder.parent / "test-suite", ["other"], texts)
    settings = {"steps.resolution.least_side": 100, "steps.crop.least_side": 64, "steps.no-leak.suites": [suite]}
    return begun(NAME, folder, models, settings, pictures=collection, curated=curated, license="CC0", each=4)


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
    assert len(suite) == len(made.records) == 43 and made.requests == 2728
    assert {name: made.outs()[name] for name in ("each-object", "modes", "each-instruction")} == {
        "each-object": 80, "modes": 235, "each-instruction": 266,
    }  # fmt: skip
    modes = Counter(record["mode"] for record in made.records)
    assert len(modes) == 11 and set(modes.values()) == {3, 4}
    for record in made.records:
        assert record["explanation"] and min(record["vc"], record["vq"]) >= 3 and min(record["if"], record["kp"]) >= 4
        assert abs(record["width"] / record["height"] - (1.5 if record["crop"] == "3:2" else 2 / 3)) < 0.02
        assert record["edit"] != record["picture"] and record["object"] in record["instruction"]
    assert {len(record["turns"]) for record in made.records} == {1, 2}
    assert judged_run(editscope, NAME, written.folder / "suite", tmp_path / "run") >= min(CASES, len(suite))


@pytest.mark.slow
@pytest.mark.drill
def test_a_killed_build_ends_as_one_that_was_not(tmp_path: Path, models: LoopbackModels) -> None:
    survives_kills(lambda name: started(tmp_path / name / "set", models), models, times(3, 50))
