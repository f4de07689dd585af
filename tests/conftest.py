"""Small made sets in the released layout, and the command line as a user calls it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from drills.counts import FULL
from support.command_line import Called
from support.small_sets import make_small_set, put_small_outputs


@pytest.fixture
def make_set() -> Callable[..., Path]:
    """How to make a set in the released layout: ``make_set(root, per_task=3, side=48)``."""
    return make_small_set


@pytest.fixture
def put_outputs() -> Callable[..., Path]:
    """How to make outputs for a set: ``put_outputs(data, outputs, change)``."""
    return put_small_outputs


@pytest.fixture
def small_set(tmp_path: Path) -> Path:
    """Twelve problems of 48 × 48 pixels."""
    return make_small_set(tmp_path / "set")


@pytest.fixture
def small_outputs(small_set: Path, tmp_path: Path) -> Path:
    """The right output for each problem of the small set."""
    return put_small_outputs(small_set, tmp_path / "outputs")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Whoever calls the command line in a process of its own is slow; ``drill(only=True)`` is for ``make drills``."""
    for item in items:
        if "editscope" in getattr(item, "fixturenames", ()):
            item.add_marker("slow")
    if FULL:
        return
    left_out = [item for item in items if any(mark.kwargs.get("only") for mark in item.iter_markers("drill"))]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


@pytest.fixture
def editscope(tmp_path: Path) -> Callable[..., Called]:
    """Call the command line in its own process, in an empty folder."""
    here = tmp_path / "here"
    here.mkdir()

    def call(*arguments: str | Path, env: dict[str, str] | None = None) -> Called:
        command = [sys.executable, "-m", "editscope", *map(str, arguments)]
        return subprocess.run(command, cwd=here, env=env, capture_output=True, text=True, timeout=600)

    return call


@pytest.fixture
def used() -> Iterator[Callable[..., Any]]:
    """Hosted editors by spec and limits, with short pauses between attempts, closed when the test is done."""
    from support.servers.editor_server import quick

    editors: list[Any] = []

    def use(spec: str, **limits: Any) -> Any:
        editors.append(quick(spec, **limits))
        return editors[-1]

    yield use
    for editor in editors:
        editor.close()
