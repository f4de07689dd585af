"""Small made sets in the released layout, and the command line as a user calls it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from drills.counts import FULL
from editscope.images import Pixels, write_png

SMALL_TASKS = ("border", "recolor", "removal", "translation")


def _make_set(root: Path, per_task: int = 3, side: int = 48) -> Path:
    """A pixel set with tiny pictures: a coloured square that the answer recolours."""
    for t, task in enumerate(SMALL_TASKS):
        for number in range(per_task):
            rng = np.random.default_rng(100 * t + number)
            before = np.full((side, side, 3), rng.integers(0, 256, 3), np.uint8)
            top, left = rng.integers(2, side // 2, 2)
            after = before.copy()
            after[top : top + 12, left : left + 16] = rng.integers(0, 256, 3)
            stem = root / task / f"{number:03d}"
            write_png(stem.with_name(f"{stem.name}_input.png"), before)
            write_png(stem.with_name(f"{stem.name}_answer.png"), after)
            fields = {
                "instruction": f"Paint the square number {number}.",
                "task": task,
                "category": "color_change",
                "mode": "default",
                "visual_condition": "baseline",
                "seed": number,
            }
            stem.with_suffix(".json").write_text(json.dumps(fields))
    return root


def _put_outputs(data: Path, outputs: Path, change: Callable[[Pixels], Pixels] = lambda answer: answer) -> Path:
    """Outputs in the released layout for every problem of a set: its answer, changed."""
    from editscope.images import load

    for answer in sorted(data.glob("*/*_answer.png")):
        number = int(answer.name.removesuffix("_answer.png"))
        write_png(outputs / answer.parent.name / f"{number:04d}_output.png", change(load(answer)))
    return outputs


@pytest.fixture
def make_set() -> Callable[..., Path]:
    """How to make a set in the released layout: ``make_set(root, per_task=3, side=48)``."""
    return _make_set


@pytest.fixture
def put_outputs() -> Callable[..., Path]:
    """How to make outputs for a set: ``put_outputs(data, outputs, change)``."""
    return _put_outputs


@pytest.fixture
def small_set(tmp_path: Path) -> Path:
    """Twelve problems of 48 × 48 pixels."""
    return _make_set(tmp_path / "set")


@pytest.fixture
def small_outputs(small_set: Path, tmp_path: Path) -> Path:
    """The right output for each problem of the small set."""
    return _put_outputs(small_set, tmp_path / "outputs")


Called = subprocess.CompletedProcess[str]


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
    from editor_server import quick

    editors: list[Any] = []

    def use(spec: str, **limits: Any) -> Any:
        editors.append(quick(spec, **limits))
        return editors[-1]

    yield use
    for editor in editors:
        editor.close()
