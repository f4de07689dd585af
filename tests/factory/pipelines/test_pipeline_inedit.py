"""The pipeline of InEdit-Bench, end to end against models on loopback: scenarios, stages, checklists, paths."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from drills.counts import times
from support.factory.blotches import picture_folder
from support.factory.knowledge_models import PROCESSES
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

NAME = "inedit"


@pytest.fixture
def models(monkeypatch: pytest.MonkeyPatch) -> Iterator[LoopbackModels]:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with loopback_models(NAME, PROCESSES) as made:
        yield made


def started(folder: Path, models: LoopbackModels) -> Path:
    """The pipeline with pairs of pictures of the test, one of which a test suite has."""
    names = [f"bud {n}_{end}" for n in range(6) for end in ("start", "end")]
    pairs = picture_folder(folder.parent / "pairs", names)
    (pairs / "bud 1_end.png").write_bytes(b"\x89PNG and nothing else")
    suite = leaked(folder.parent / "test-suite", ["bud 2_start", "bud 3_start", "bud 4_start"])
    return begun(NAME, folder, models, {"steps.no-leak.suites": [suite]}, pairs=pairs, license="CC0")


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
    survives_kills(lambda name: started(tmp_path / name / "set", models), models, times(3, 50), limit=24)
