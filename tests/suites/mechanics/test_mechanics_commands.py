"""Commands on Mechanics: run, generate and list, and what happens where MuJoCo is not installed."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

Command = Callable[..., CompletedProcess[str]]


@pytest.fixture
def without_mujoco(tmp_path: Path) -> dict[str, str]:
    """An environment in which MuJoCo cannot be imported, in worker processes either."""
    return with_mujoco(tmp_path / "hidden", """raise ModuleNotFoundError("No module named 'mujoco'", name="mujoco")""")


def with_mujoco(folder: Path, code: str) -> dict[str, str]:
    """An environment in which this code stands where MuJoCo is imported from."""
    folder.mkdir()
    (folder / "mujoco.py").write_text(code)
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])}


def test_a_run_of_the_oracle_has_everything(editscope: Command) -> None:
    done = editscope("run", "mechanics", "--editor", "ref:oracle", "--limit", "8", "--size", "96", "--out", "run")
    assert done.returncode == 0, done.stderr
    assert "consequences 100.0" in done.stdout
    assert "direct 100.0" in done.stdout


def test_a_set_is_written_with_the_version_of_the_simulator(editscope: Command, tmp_path: Path) -> None:
    import mujoco

    arguments = ("--tasks", "cut_string,move_post", "--per-task", "1", "--size", "96")
    done = editscope("generate", "mechanics", "--out", tmp_path / "set", *arguments)
    assert done.returncode == 0, done.stderr
    described = [json.loads(path.read_text()) for path in sorted((tmp_path / "set").rglob("*.json"))]
    assert any(one.get("environment") == {"mujoco": mujoco.__version__} for one in described)


def test_the_suite_is_listed(editscope: Command) -> None:
    assert "1,320" in editscope("suites", "mechanics").stdout


def test_without_mujoco_a_sentence_names_the_extra_and_nothing_is_left(
    editscope: Command, without_mujoco: dict[str, str], tmp_path: Path
) -> None:
    where = tmp_path / "run"
    for command in (
        ("run", "mechanics", "--editor", "ref:oracle", "--limit", "4", "--size", "96", "--out", where),
        ("generate", "mechanics", "--out", where, "--per-task", "1", "--size", "96"),
    ):
        done = editscope(*command, env=without_mujoco)
        assert done.returncode == 2
        assert "pip install 'editscope[physics]'" in done.stderr
        assert "Traceback" not in done.stderr
        assert not list(where.rglob("*.png"))


def test_a_broken_mujoco_is_told_from_a_missing_one(editscope: Command, tmp_path: Path) -> None:
    broken = with_mujoco(tmp_path / "broken", "raise ImportError('libmujoco.so: cannot open shared object file')")
    done = editscope("run", "mechanics", "--editor", "ref:oracle", "--limit", "4", "--size", "96", env=broken)
    assert done.returncode == 2
    assert "installed but cannot be loaded (libmujoco.so: cannot open shared object file)" in done.stderr
    assert "pip install" not in done.stderr and "Traceback" not in done.stderr


def test_closed_forms_need_no_mujoco(editscope: Command, without_mujoco: dict[str, str]) -> None:
    closed = "load_seesaw,load_spring,press_springs,shorten_rope,move_post,put_in_water,take_from_water"
    arguments = ("--tasks", closed, "--per-task", "1", "--size", "96", "--levels", "superficial")
    done = editscope("run", "mechanics", *arguments, "--editor", "ref:oracle", "--out", "run", env=without_mujoco)
    assert done.returncode == 0, done.stderr
    assert "consequences 100.0" in done.stdout
