"""The pipeline of WiseEdit, end to end against models on loopback."""
from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from editscope.factory.engine.build import Build
from editscope.factory.models.loading import load_models
from editscope.factory.plan import read_plan
from support.factory.kills import accept_all
from support.factory.knowledge_models import IDEAS
from support.factory.made_pictures import picture_folder
from support.factory.pipeline_runs import begun, loopback_models
from support.servers.judge_server import KEY

NAME = "wiseedit"


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    yield


def build(plan: Path, **options: Any) -> tuple[Any, list[Any]]:
    read = read_plan(plan)
    with Build(read, plan.parent / "build", models=load_models(read), **options) as made:
        result = made.run()
        return result, [record.to_json() for record in made.records()]


def test_pilot(tmp_path: Path) -> None:
    with loopback_models(NAME, IDEAS) as models:
        pictures = picture_folder(tmp_path / "pictures", [f"view {n}" for n in range(10)])
        plan = begun(NAME, tmp_path / "set", models, {}, pictures=pictures)
        result, _ = build(plan, limit=50)
        print(result.waiting)
        accept_all(tmp_path / "set" / "build")
        result, records = build(plan, limit=50)
    print({name: (one.records_in, one.records_out, dict(one.dropped)) for name, one in result.counts.items()})
    print(len(records), models.script.asked)
    for r in records[:60]:
        print(r[1]["subset"],r[1]["subtask"],r[1]["instruction"],r[1]["chinese"],r[1]["hint"])

