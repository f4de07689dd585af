"""The budget of a watch: one for all checkpoints, and nobody is asked twice."""

from __future__ import annotations

from pathlib import Path

import pytest

import editscope as es
from editscope.cli import main
from editscope.errors import Stopped
from editscope.runs.budget import spent_in_folder
from editscope.watch.watch import CheckpointWatcher, Watch
from support.small_sets import make_small_set

pytestmark = pytest.mark.slow

MODULE = """
import editscope as es

class Paid(es.Editor):
    def __init__(self, weights):
        self.name = "paid"
    def estimate(self, edits, images=1):
        return 0.1 * edits
    def edit(self, case):
        return es.cases.Edit(case.case_id, image=case.arrays[0], cost_usd=0.1)
"""
EDITOR = "python:paid_watch_editor:Paid?weights={checkpoint}"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a set of twelve cases, a paid editor and two checkpoints."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    make_small_set(tmp_path / "set")
    (tmp_path / "paid_watch_editor.py").write_text(MODULE)
    (tmp_path / "checkpoints").mkdir()
    for step in (1, 2):
        (tmp_path / "checkpoints" / f"step-{step}.txt").write_text("weights")
    return tmp_path


def watch(folder: Path, budget: float) -> list[str]:
    suite = es.load_suite("paintbench", root=folder / "set")
    watched = Watch(
        folder / "checkpoints",
        folder / "out",
        EDITOR,
        suite,
        patterns=("step-*.txt",),
        settle_s=0.0,
        jobs=1,
        budget=budget,
    )
    return [result.status for result in CheckpointWatcher(watched, lambda text: None).run(1.0, once=True)]


def test_all_checkpoints_together_spend_one_budget(folder: Path) -> None:
    with pytest.raises(Stopped, match="--budget"):
        watch(folder, 2.0)
    runs = [path.parent for path in (folder / "out").glob("*/run.json")]
    assert len(runs) == 2
    assert sum(map(spent_in_folder, runs)) == pytest.approx(2.0)
    with pytest.raises(Stopped, match="--budget"):
        watch(folder, 1.5)  # less than is spent
    assert watch(folder, 2.4) == ["done"]
    assert sum(map(spent_in_folder, runs)) == pytest.approx(2.4)


def test_without_a_terminal_a_watch_needs_a_yes(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    command = [
        "watch",
        "checkpoints",
        "--suite",
        "paintbench",
        "--data",
        "set",
        "-e",
        EDITOR,
        "--once",
        "--settle",
        "0",
    ]
    command += ["--pattern", "step-*.txt", "--jobs", "1", "--limit", "2", "--out", "out"]
    for more, code in (([], 2), (["--yes"], 0)):
        with pytest.raises(SystemExit) as ended:
            main([*command, *more])
        assert (ended.value.code or 0) == code
    said = capfd.readouterr()
    assert "this would spend about $0.20, and there is no terminal to ask" in said.err
