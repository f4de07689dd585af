"""Training of the small editor: stages that resume bit for bit, and what the command says."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from editscope.training.checkpoints import checkpoints_in, load_checkpoint
from editscope.training.log.metrics_file import read_training
from editscope.training.small.export import read_average
from editscope.training.small.settings import read_recipe
from editscope.training.small.stage import SmallStage, next_stage
from support.command_line import called

pytestmark = pytest.mark.slow
TINY = """
[network]
width = 16
layers = 1
heads = 2
registers = 5
fine = 8

[stage]
seconds = 100000
steps = {steps}
batch = 2
part = 1
workers = {workers}
warmup = 2
fall = 0.5
device = "cpu"
log_every = 1
without = ["striped"]
shares = {{ recolor = 3.0 }}
"""


def recipe(folder: Path, steps: int = 4, workers: int = 0) -> Path:
    file = folder / "tiny.toml"
    file.write_text(TINY.format(steps=steps, workers=workers))
    return file


def weights_in(folder: Path) -> dict[str, torch.Tensor]:
    state = load_checkpoint(checkpoints_in(folder)[-1][1])
    assert state.average is not None
    average = {f"average.{name}": value for name, value in state.average.items()}
    return {**state.weights, **average}


def test_a_stage_that_was_stopped_and_resumed_ends_as_if_it_had_not_been(tmp_path: Path) -> None:
    read = read_recipe(recipe(tmp_path))
    whole = SmallStage(read, tmp_path / "whole")
    whole.run()
    assert whole.ended and whole.learner.step == 4

    said: list[str] = []

    def interrupt(line: str) -> None:
        said.append(line)
        if line.startswith("step 2:"):
            os.kill(os.getpid(), signal.SIGINT)

    stopped = SmallStage(read, tmp_path / "parts", say=interrupt, go_on="run `it again`")
    with pytest.raises(Exception, match=r"stopped after step [23], with a checkpoint; to go on, run `it again`"):
        stopped.run()
    resumed = SmallStage(read, tmp_path / "parts")
    resumed.resume()
    assert resumed.learner.step == stopped.learner.step and resumed.learner.part == 2 * resumed.learner.step
    resumed.run()

    one, other = weights_in(tmp_path / "whole"), weights_in(tmp_path / "parts")
    assert one.keys() == other.keys() and all(torch.equal(one[name], other[name]) for name in one)
    losses = [dict(read_training(tmp_path / name).curve("loss")) for name in ("whole", "parts")]
    assert losses[0] == losses[1] and list(losses[0]) == [1, 2, 3, 4]
    assert read_average(tmp_path / "parts").settings.width == 16

    following = SmallStage(read, tmp_path / "parts")
    following.resume()  # the stage has ended: the next one begins
    assert following.first == 4 and following.spent == 0 and not following.ended


def test_the_command_trains_a_stage_and_the_next_one(capsys: Any, tmp_path: Path) -> None:
    file, out = recipe(tmp_path, steps=1), tmp_path / "out"
    code, said, _ = called(capsys, "train", "small", file, "--out", out, "--dry-run")
    assert code == 0 and not out.exists() and "held out" in said and "striped" in said
    assert called(capsys, "train", "small", file, "--out", out)[0] == 0
    assert [step for step, _ in checkpoints_in(out)] == [1] and (out / "small.toml").is_file()
    code, _, said = called(capsys, "train", "small", file, "--out", out)
    assert code == 2 and "--resume" in said
    code, said, _ = called(capsys, "train", "small", "--out", out, "--resume")
    assert code == 0 and "going on from step 1" in said and [step for step, _ in checkpoints_in(out)] == [1, 2]
    wide = tmp_path / "wide.toml"
    wide.write_text(file.read_text().replace("width = 16", "width = 32"))
    code, _, said = called(capsys, "train", "small", wide, "--out", out, "--resume")
    assert code == 2 and "network.width was 16, now 32" in " ".join(said.split())

    torch.save(load_checkpoint(checkpoints_in(out)[-1][1]).average, tmp_path / "average.pt")
    start = ("--start", tmp_path / "average.pt")
    assert called(capsys, "train", "small", file, "--out", tmp_path / "more", *start)[0] == 0
    code, _, said = called(capsys, "train", "small", "--out", tmp_path / "other", *start)
    assert code == 2 and "has no weights of this network" in " ".join(said.split())


def test_each_stage_of_a_recipe_follows_the_one_before(capsys: Any, tmp_path: Path) -> None:
    file, out = recipe(tmp_path, steps=1), tmp_path / "out"
    file.write_text(f'{file.read_text()}\n[[stages]]\n\n[[stages]]\nrate = 1e-4\nreward = "miou"\nlessons = 0.5\n')
    code, said, _ = called(capsys, "train", "small", file, "--out", out)
    assert code == 0 and "stage 1 of 2 is over at step 1" in said and "the next stage: `editscope train small" in said
    code, said, _ = called(capsys, "train", "small", "--out", out, "--resume", "--dry-run")
    assert code == 0 and "2 of 2" in said and "mIoU as a reward" in said
    code, said, _ = called(capsys, "train", "small", "--out", out, "--resume")
    assert code == 0 and "stage 2 of 2, going on from step 1" in said and "the next stage" not in said
    code, said, _ = called(capsys, "train", "small", "--out", out, "--resume", "--dry-run")
    assert code == 0 and "2 of 2 once more: all 2 stages are done" in said and "or 1 step, whichever" in said
    curves = read_training(out)
    assert [step for step, _ in curves.curve("reward")] == [2] and dict(curves.curve("rate"))[2] <= 1e-4
    assert next_stage(out) == 3  # beyond the recipe the last stage is repeated
    assert read_recipe(file).stage.reward == "" and replace(read_recipe(file), number=3).stage.reward == "miou"


@pytest.mark.parametrize(
    ("entry", "sentence"),
    [
        ("batch = 3\npart = 2", "batch: 3 is no multiple of part, 2"),
        ('without = ["stripes"]', "did you mean"),
        ("shares = { recolour = 2.0 }", "did you mean"),
        ("shares = { recolor = -1 }", "recolor is -1"),
        ("rates = 3", "rate"),
        ("workers = 1.5", "workers: 1.5 is not a whole number"),
        ("fall = 2.0", "fall is 0 to 1"),
        ('reward = "psnr"', "is no reward"),
        ("lessons = 0.5", "for a stage that has a reward"),
        ("[[stages]]\nrate = 0", "[[stages]] 1 seconds and rate"),
        ("[[stages]]\nrates = 1", "rate"),
        ("without = [3]", "without: [3] is no list of names"),
        ('without = "striped"', "write one, such as"),
        ("shares = 3", "shares: 3 is no table"),
        ('device = "gpux"', "gpux"),
        ("seed = -1", "seed: -1 is no whole number of 0 or more"),
        (f"seed = {2**63}", "is larger than 2^63"),
    ],
)
def test_a_wrong_recipe_is_told_in_a_sentence(entry: str, sentence: str, capsys: Any, tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(f"[stage]\n{entry}\n")
    code, _, said = called(capsys, "train", "small", file, "--out", tmp_path / "out", "--dry-run")
    assert code == 2 and sentence in " ".join(said.split()) and "mine.toml" in said.replace("\n", "")


def test_a_device_that_is_not_there_is_refused(capsys: Any, tmp_path: Path) -> None:
    file = recipe(tmp_path)
    missing = "mps" if not torch.backends.mps.is_available() else "cuda"
    file.write_text(file.read_text().replace('"cpu"', f'"{missing}"'))
    for more in ((), ("--dry-run",)):
        code, _, said = called(capsys, "train", "small", file, "--out", tmp_path / "out", *more)
        assert code == 2 and f"PyTorch finds no {missing} here" in " ".join(said.split())


def test_no_seconds_are_refused_and_a_huge_network_is_counted_without_memory(capsys: Any, tmp_path: Path) -> None:
    file = recipe(tmp_path)
    code, _, said = called(capsys, "train", "small", file, "--out", tmp_path / "out", "--seconds", "0")
    assert code == 2 and "--seconds 0: write a number above 0" in " ".join(said.split())
    file.write_text(file.read_text().replace("width = 16", "width = 400000"))
    code, said, _ = called(capsys, "train", "small", file, "--out", tmp_path / "out", "--dry-run")
    assert code == 0 and re.search(r"parameters +\d{1,3}(,\d{3}){3,}", said)


def test_the_recipe_that_ships_is_written_and_read(capsys: Any, tmp_path: Path) -> None:
    code, said, _ = called(capsys, "train", "new", tmp_path / "mine.toml", "--recipe", "small")
    assert code == 0 and "train small" in said
    assert read_recipe(tmp_path / "mine.toml") == read_recipe(recipe_that_ships())


def recipe_that_ships() -> Path:
    from importlib.resources import files

    return Path(str(files("editscope.training.recipes").joinpath("small.toml")))


def test_ctrl_c_saves_and_says_how_to_go_on(tmp_path: Path) -> None:
    """A real process with workers of its own, to all of which the terminal sends the signal."""
    out = tmp_path / "out"
    command = [
        sys.executable,
        "-m",
        "editscope",
        "train",
        "small",
        str(recipe(tmp_path, 100_000, 1)),
        "--out",
        str(out),
    ]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=tmp_path, start_new_session=True
    ) as process:
        until = time.monotonic() + 300
        while read_training(out).last_step < 1 and process.poll() is None and time.monotonic() < until:
            time.sleep(0.1)
        os.killpg(process.pid, signal.SIGINT)
        said = " ".join(process.communicate(timeout=300)[0].split())
    assert process.returncode == 3, said
    assert "with a checkpoint; to go on, run `editscope train small --out" in said and "Traceback" not in said
    assert len(checkpoints_in(out)) == 1
