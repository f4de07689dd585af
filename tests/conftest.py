"""Small made sets in the released layout, and the command line as a user calls it."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from hashlib import blake2b
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from drills.counts import FULL, SAMPLED
from editscope.editors.gpus import gpu_count
from support.command_line import Called
from support.small_sets import make_small_set, put_small_outputs

if TYPE_CHECKING:
    from playwright.sync_api import Browser

os.environ.setdefault("EDITSCOPE_JOBS", "1")  # two tests run at a time: a worker process more would only cost its start
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # a process that imports NumPy starts threads, which wait for work


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


MARKED_BY_FIXTURE = {"editscope": "slow", "browser": "browser", "cluster": "ray"}
"""A test that uses one of these fixtures starts processes, Chromium or a Ray cluster, and has the mark that says so."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Add the marks that follow from fixtures; leave out what is for ``make drills`` or for a GPU that is not here."""
    for item in items:
        for fixture, mark in MARKED_BY_FIXTURE.items():
            if fixture in getattr(item, "fixturenames", ()):
                item.add_marker(mark)
        if item.get_closest_marker("gpu") and not gpu_count():
            item.add_marker(pytest.mark.skip(reason="needs a GPU"))
    # Tests of a cluster wait much and compute little: first, and so one after the other, beside those that compute.
    items.sort(key=lambda item: item.get_closest_marker("ray") is None)
    beyond = beyond_the_sample(items)
    if FULL:
        for item in beyond:
            item.add_marker("drill")
        return
    left_out = [item for item in items if any(mark.kwargs.get("only") for mark in item.iter_markers("drill"))]
    left_out += beyond
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


def beyond_the_sample(items: list[pytest.Item]) -> list[pytest.Item]:
    """The sets of parameters of each slow test that ``make test`` leaves to ``make drills``; always the same ones.

    It runs a quarter of them, and two at least.
    """
    if not SAMPLED:
        return []
    by_test: dict[str, list[pytest.Item]] = {}
    for item in items:
        if hasattr(item, "callspec") and item.get_closest_marker("slow") and not item.get_closest_marker("drill"):
            by_test.setdefault(item.nodeid.partition("[")[0], []).append(item)
    return [item for sets in by_test.values() for item in sorted(sets, key=_place)[max(2, ceil(len(sets) / 4)) :]]


def _place(item: pytest.Item) -> bytes:
    """Where a set of parameters stands in a fixed order that has nothing to do with how alike they are."""
    return blake2b(item.nodeid.encode(), digest_size=8).digest()


def pytest_collection_finish() -> None:
    """Leave what collecting has made, and every imported module, out of the garbage collector: a look takes 0.4 s."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def editscope(tmp_path: Path) -> Callable[..., Called]:
    """Call the command line in its own process, in an empty folder."""
    here = tmp_path / "here"
    here.mkdir()

    def call(*arguments: str | Path, env: dict[str, str] | None = None) -> Called:
        command = [sys.executable, "-m", "editscope", *map(str, arguments)]
        return subprocess.run(command, cwd=here, env=env, capture_output=True, text=True, timeout=600)

    return call


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A real Chromium; tests that need it are skipped where there is none."""
    from support.reports.report_browser import CHROMIUM, chromium

    if not CHROMIUM.exists():
        pytest.skip(f"needs {CHROMIUM}")
    with chromium() as found:
        yield found


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
