"""The pipeline of WiseEdit, end to end against models on loopback: ideas, pictures, two languages, hints and tags."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from drills.counts import times
from support.factory.blotches import picture_folder
from support.factory.knowledge_models import IDEAS
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

NAME = "wiseedit"


@pytest.fixture
def models(monkeypatch: pytest.MonkeyPatch) -> Iterator[LoopbackModels]:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with loopback_models(NAME, IDEAS) as made:
        yield made


def started(folder: Path, models: LoopbackModels) -> Path:
    """The pipeline with pictures of the test, one of which a test suite has."""
    pictures = picture_folder(folder.parent / "pictures", [f"view {n}" for n in range(12)])
    suite = leaked(folder.parent / "test-suite", ["view 1", "view 2", "view 3"])
    return begun(NAME, folder, models, {"steps.no-leak.suites": [suite]}, pictures=pictures, license="CC0")


@pytest.mark.slow
def test_a_pilot_of_fifty_records_goes_through_every_step(tmp_path: Path, models: LoopbackModels) -> None:
    made = pilot(started(tmp_path / "set", models), models)
    print("OUTS", made.outs())
    result, suite = exported_suite(tmp_path / "set" / "plan.toml", tmp_path / "export")
    print("EXPORT", result, len(suite.cases()) if callable(getattr(suite, "cases", None)) else len(suite))
    print({n: made.reasons(n) for n in made.counts if made.reasons(n)}, made.requests)


@pytest.mark.slow
@pytest.mark.drill
def test_a_killed_build_ends_as_one_that_was_not(tmp_path: Path, models: LoopbackModels) -> None:
    survives_kills(lambda name: started(tmp_path / name / "set", models), models, times(3, 50), limit=20)
