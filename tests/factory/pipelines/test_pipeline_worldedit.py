"""The pipeline of WorldEdit, end to end against models on loopback: what goes in, what is dropped and why."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from drills.counts import times
from support.factory.blotches import picture_folder
from support.factory.knowledge_models import CAUSES, THINGS
from support.factory.pipeline_runs import (
    LoopbackModels,
    begun,
    exported_suite,
    leaked,
    loopback_models,
    pilot,
    survives_kills,
)
from support.servers.judge_server import KEY

NAME = "worldedit"


@pytest.fixture
def models(monkeypatch: pytest.MonkeyPatch) -> Iterator[LoopbackModels]:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with loopback_models(NAME, CAUSES, (NAME,)) as made:
        yield made


def started(folder: Path, models: LoopbackModels) -> Path:
    """The pipeline with pictures of the test, which are small, and a test suite that has one of its sentences."""
    collection = picture_folder(folder.parent / "collection", [f"view {n}" for n in range(30)])
    (collection / "broken.png").write_bytes(b"\x89PNG and nothing else")
    curated = picture_folder(folder.parent / "curated", [f"cause {n}" for n in range(10)])
    picture_folder(curated, ["a tiny one"], 40, 40)
    (curated / "cause 5.png").write_bytes((collection / "view 2.png").read_bytes())
    texts = [f"Leave the {thing} out in the storm for {hours} days." for thing in THINGS for hours in (5, 7)]
    suite = leaked(folder.parent / "test-suite", ["other"], texts)
    settings = {"steps.resolution.least_side": 100, "steps.crop.least_side": 64, "steps.no-leak.suites": [suite]}
    return begun(NAME, folder, models, settings, pictures=collection, curated=curated, license="CC0", each=4)


@pytest.mark.slow
def test_a_pilot_of_fifty_records_goes_through_every_step(tmp_path: Path, models: LoopbackModels) -> None:
    made = pilot(started(tmp_path / "set", models), models)
    print("OUTS", made.outs())
    result, suite = exported_suite(tmp_path / "set" / "plan.toml", tmp_path / "export")
    print("EXPORT", result, len(suite.cases()) if callable(getattr(suite, "cases", None)) else len(suite))
    print({n: made.reasons(n) for n in made.counts if made.reasons(n)}, made.requests)
    for record in made.records:
        assert record["mode"] and record["explanation"] and record["vc"] >= 3 and record["kp"] >= 4
        assert abs(record["width"] / record["height"] - (1.5 if record["crop"] == "3:2" else 2 / 3)) < 0.02
        assert record["edit"] != record["picture"]


@pytest.mark.slow
@pytest.mark.drill
def test_a_killed_build_ends_as_one_that_was_not(tmp_path: Path, models: LoopbackModels) -> None:
    survives_kills(lambda name: started(tmp_path / name / "set", models), models, times(3, 50))
