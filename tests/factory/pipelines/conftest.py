"""Models on loopback for the pipelines that build from knowledge."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.factory.pipeline_runs import LoopbackModels, loopback_models
from support.servers.judge_server import KEY


@pytest.fixture
def models(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[LoopbackModels]:
    """Scripted models for the pipeline that the module of a test names; ``MODELS`` are the arguments for them."""
    monkeypatch.setenv("EDITSCOPE_CACHE", str(tmp_path / "kept"))
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with loopback_models(request.module.NAME, *request.module.MODELS) as made:
        yield made
