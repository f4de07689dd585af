"""The commands of the factory: a pipeline of one's own from its first build to its funnel as a picture."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from editscope.images import load
from support.command_line import Called


def said(call: Callable[..., Called], *arguments: Any, code: int = 0) -> str:
    """What a command of the factory prints; it must exit with a code."""
    done = call("factory", *arguments)
    assert done.returncode == code, done.stderr
    return done.stdout + done.stderr


def test_a_new_pipeline_builds_waits_for_people_and_draws_its_funnel(
    editscope: Callable[..., Called], tmp_path: Path
) -> None:
    folder = tmp_path / "mine"
    assert "dictionary of 20 words" in said(editscope, "new", folder)
    assert "not a new or empty folder" in said(editscope, "new", folder, code=2)
    assert "20 of 20 records wait for people at step 'look'" in said(editscope, "build", folder, code=3)
    rows = json.loads(said(editscope, "funnel", folder, "--json"))
    assert {row["step"]: (row["in"], row["out"], row["pending"]) for row in rows}["look"] == (20, 0, 20)
    said(editscope, "funnel", folder, "--plot", tmp_path / "funnel.png")
    assert load(tmp_path / "funnel.png").shape[1] > 1000
    assert "is no picture" in said(editscope, "funnel", folder, "--plot", tmp_path / "funnel.gif", code=2)


@pytest.mark.ray
def test_a_build_on_ray_gives_the_same_bytes(editscope: Callable[..., Called], tmp_path: Path) -> None:
    pytest.importorskip("ray")
    blobs = []
    for name, engine in (("here", ()), ("there", ("--engine", "ray", "--ray-address", "local"))):
        said(editscope, "new", tmp_path / name)
        said(editscope, "build", tmp_path / name, *engine, code=3)
        blobs.append(sorted(path.name for path in (tmp_path / name / "build" / "blobs").rglob("*.png")))
    assert len(blobs[0]) >= 40 and blobs[0] == blobs[1]
