"""Tiny random pipelines, saved once for all tests of training."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from support.training.tiny_editors import FAMILIES, small_pipelines


@pytest.fixture(scope="session")
def tiny_pipeline(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The folder of a tiny pipeline, by the name of its family: kontext, qwen or qwen_plus."""
    root, made = tmp_path_factory.mktemp("pipelines"), dict[str, Path]()

    def saved(name: str) -> Path:
        if name not in made:
            made[name] = FAMILIES[name](root / name)
        return made[name]

    return saved


@pytest.fixture(scope="module")
def small() -> Iterator[None]:
    """Pipelines that take few seconds."""
    with small_pipelines():
        yield
