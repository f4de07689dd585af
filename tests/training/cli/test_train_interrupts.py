"""A second Ctrl-C ends a training at once, and still says how to go on."""

from __future__ import annotations

import os
import shlex
import signal
from pathlib import Path
from typing import Any

import pytest

from editscope import printing
from editscope.training.checkpoints import checkpoints_in
from support.command_line import called
from support.training.experiments import write_experiment
from support.training.tiny_editors import settings_for

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("small")]
SMALL = """
[network]
width = 16
layers = 1
heads = 2
registers = 5
fine = 8

[stage]
steps = 4
batch = 2
part = 1
workers = 0
device = "cpu"
log_every = 1
save_every = 1
"""


def pressed_twice(monkeypatch: pytest.MonkeyPatch, line: str) -> None:
    """Press Ctrl-C twice when a line is said."""
    say = printing.say

    def interrupted(text: str = "", **more: Any) -> None:
        say(text, **more)
        if text.startswith(line):
            os.kill(os.getpid(), signal.SIGINT)
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(printing, "say", interrupted)


def test_the_small_editor_says_how_to_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    file, out = tmp_path / "tiny.toml", tmp_path / "my runs"
    file.write_text(SMALL)
    command = f"editscope train small --out {shlex.quote(str(out))} --seconds 900 --resume"
    with monkeypatch.context() as patch:
        pressed_twice(patch, "step 2:")
        code, _, error = called(capsys, "train", "small", file, "--out", out, "--seconds", "900")
    assert [step for step, _ in checkpoints_in(out)] == [1]
    assert code == 3
    assert f"the checkpoint of step 1 is kept: to resume from it, run `{command}`" in " ".join(error.split())
    with monkeypatch.context() as patch:
        patch.chdir(tmp_path)
        assert called(capsys, *shlex.split(command)[1:])[0] == 0, "the command works as it is printed"


def test_a_run_says_how_to_start_over(
    tiny_pipeline: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    file = write_experiment(tmp_path / "mine.toml", settings_for("kontext", tiny_pipeline("kontext")), steps=4)
    pressed_twice(monkeypatch, "step 1 of 4")
    code, _, error = called(capsys, "train", "run", file, "--out", tmp_path / "out")
    assert code == 3 and "aborted before the first checkpoint; run the same command" in " ".join(error.split())
