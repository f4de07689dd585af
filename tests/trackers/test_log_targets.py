"""Targets of --log: what is wrong with one is told before anything is spent."""

from __future__ import annotations

from pathlib import Path

import pytest

import editscope as es
from editscope.errors import BadInput
from editscope.trackers import targets
from editscope.trackers.targets import LogTarget, installed, read_targets


@pytest.fixture(autouse=True)
def all_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(targets, "installed", lambda name: True)
    for variable in ("WANDB_API_KEY", "WANDB_MODE"):
        monkeypatch.delenv(variable, raising=False)


def test_a_target_is_a_tracker_and_a_place(tmp_path: Path) -> None:
    both = read_targets([f"tensorboard:{tmp_path}/logs", "trackio:mine"])
    assert both == (LogTarget("tensorboard", f"{tmp_path}/logs"), LogTarget("trackio", "mine"))
    assert read_targets("trackio:mine") == (LogTarget("trackio", "mine"),)
    assert read_targets(None) == ()


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        ("tensorbord:logs", "did you mean 'tensorboard'"),
        ("logs", "there is no tracker for --log 'logs'"),
        ("wandb:", "names no PROJECT; write --log wandb:PROJECT"),
        (["trackio:a", "trackio:a"], "is given twice"),
        (["tensorboard:logs", "tensorboard:./logs"], "is given twice"),
        ("wandb:mine", "needs your key in the environment variable WANDB_API_KEY"),
    ],
)
def test_a_target_that_cannot_be_used_is_refused(texts: str | list[str], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        read_targets(texts)


def test_a_file_is_no_folder_for_tensorboard(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInput, match="file is a file; name a folder"):
        read_targets(f"tensorboard:{tmp_path / 'file' / 'logs'}")


def test_weights_and_biases_needs_no_key_offline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WANDB_MODE", "offline")
    assert read_targets("wandb:mine") == (LogTarget("wandb", "mine"),)


def test_a_missing_library_is_named_with_its_command_before_the_run_starts(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(targets, "installed", lambda name: False)
    for target, command in (("tensorboard:x", r"editscope\[train\]"), ("trackio:x", "pip install trackio")):
        with pytest.raises(BadInput, match=f"needs {target.partition(':')[0]}: .*{command}"):
            es.run("paintbench", "ref:oracle", out=tmp_path / "run", limit=1, log=target)
    assert not (tmp_path / "run").exists()


def test_a_folder_of_logs_is_no_library(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "tensorboard_logs").mkdir()
    monkeypatch.syspath_prepend(str(tmp_path))
    assert not installed("tensorboard_logs") and installed("json")
