"""The pipeline of WorldEdit, end to end against models on loopback: what goes in, what is dropped and why."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from drills.counts import times
from editscope.factory.engine.build import Build
from editscope.factory.models.loading import load_models
from editscope.factory.plan import read_plan
from support.factory.kills import accept_all, built_by_command, killed_and_resumed, slowly
from support.factory.knowledge_models import CAUSES
from support.factory.made_pictures import picture_folder
from support.factory.pipeline_runs import LoopbackModels, begun, loopback_models
from support.servers.judge_server import KEY

NAME = "worldedit"
SMALL = {
    "steps.draw.width": 1024, "steps.draw.height": 1024, "steps.resolution.least_side": 100,
    "steps.crop.least_side": 64,
}  # fmt: skip
"""The plan is for large pictures; those of the test are small."""


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    yield


def start(folder: Path, models: LoopbackModels, pictures: int = 30, **settings: Any) -> Path:
    collection = picture_folder(folder.parent / "collection", [f"view {n}" for n in range(pictures)])
    (collection / "broken.png").write_bytes(b"\x89PNG and nothing else")
    curated = picture_folder(folder.parent / "curated", [f"cause {n}" for n in range(pictures // 3)])
    picture_folder(curated, ["tiny"], 40, 40)
    return begun(NAME, folder, models, {**SMALL, **settings}, pictures=collection, curated=curated)


def build(plan: Path, **options: Any) -> tuple[Any, list[Any]]:
    read = read_plan(plan)
    with Build(read, plan.parent / "build", models=load_models(read), **options) as made:
        result = made.run()
        return result, [record.to_json() for record in made.records()]


@pytest.mark.slow
def test_a_pilot_of_fifty_records_goes_through_every_step(tmp_path: Path) -> None:
    with loopback_models(NAME, CAUSES, (NAME,)) as models:
        plan = start(tmp_path / "set", models)
        result, _ = build(plan, limit=50)
        assert "wait for people at step 'review'" in result.waiting
        accept_all(tmp_path / "set" / "build")
        asked = models.requests()
        result, records = build(plan, limit=50)
        assert models.requests() == asked and not result.waiting and result.pending == 0
    print({name: (one.records_in, one.records_out, dict(one.dropped)) for name, one in result.counts.items()})
    print(len(records), models.script.asked)
    assert KEY not in json.dumps(records)
    assert Counter(record[1]["mode"] for record in records)
