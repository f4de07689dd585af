"""Training of the small editor: stages that resume bit for bit, and what the command says."""

from __future__ import annotations

import json
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

from editscope.editors import load_editor
from editscope.training.checkpoints import STATE, checkpoints_in, load_checkpoint
from editscope.training.log.metrics_file import read_training
from editscope.training.log.training_log import locked_folder
from editscope.training.page.page import write_training_page
from editscope.training.reinforcement.run_folder import FolderCheckpoints
from editscope.training.small.export import read_average
from editscope.training.small.held_out import held_out_in
from editscope.training.small.settings import read_recipe
from editscope.training.small.stage import SmallStage, next_stage
from editscope.training.supervised.loop import Diverged
from editscope.wording import trained_note
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

    lines: list[str] = []

    def interrupt(line: str) -> None:
        lines.append(line)
        if line.startswith("step 2:"):
            os.kill(os.getpid(), signal.SIGINT)

    stopped = SmallStage(read, tmp_path / "parts", say=interrupt, go_on="run `it again`")
    with pytest.raises(Exception, match=r"stopped after step [23], with a checkpoint; to continue, run `it again`"):
        stopped.run()
    assert [event.sentence for event in read_training(tmp_path / "parts").events if event.kind == "stopped"] == [
        f"stopped after step {stopped.learner.step}, with a checkpoint; to continue, run `it again`"
    ]
    resumed = SmallStage(read, tmp_path / "parts")
    resumed.resume()
    assert resumed.learner.step == stopped.learner.step and resumed.learner.part == 2 * resumed.learner.step
    resumed.run()

    whole_weights, parts_weights = weights_in(tmp_path / "whole"), weights_in(tmp_path / "parts")
    assert whole_weights.keys() == parts_weights.keys()
    assert all(torch.equal(whole_weights[name], parts_weights[name]) for name in whole_weights)
    losses = [dict(read_training(tmp_path / name).curve("loss")) for name in ("whole", "parts")]
    assert losses[0] == losses[1] and list(losses[0]) == [1, 2, 3, 4]
    assert read_average(tmp_path / "parts").settings.width == 16

    following = SmallStage(read, tmp_path / "parts")
    following.resume()  # the stage has ended: the next one begins
    assert following.first == 4 and following.spent == 0 and not following.ended


def test_the_command_trains_a_stage_and_the_next_one(capsys: Any, tmp_path: Path) -> None:
    file, out = recipe(tmp_path, steps=1), tmp_path / "out"
    code, output, _ = called(capsys, "train", "small", file, "--out", out, "--dry-run")
    assert code == 0 and not out.exists() and "held out" in output and "striped" in output
    assert called(capsys, "train", "small", file, "--out", out)[0] == 0
    assert [step for step, _ in checkpoints_in(out)] == [1] and (out / "small.toml").is_file()
    code, _, error = called(capsys, "train", "small", file, "--out", out)
    assert code == 2 and "--resume" in error
    code, output, _ = called(capsys, "train", "small", "--out", out, "--resume")
    assert code == 0 and "continuing from step 1" in output and [step for step, _ in checkpoints_in(out)] == [1, 2]
    wide = tmp_path / "wide.toml"
    wide.write_text(file.read_text().replace("width = 16", "width = 32"))
    code, _, error = called(capsys, "train", "small", wide, "--out", out, "--resume")
    assert code == 2 and "network.width was 16, now 32" in " ".join(error.split())

    torch.save(load_checkpoint(checkpoints_in(out)[-1][1]).average, tmp_path / "average.pt")
    start = ("--start", tmp_path / "average.pt")
    assert called(capsys, "train", "small", file, "--out", tmp_path / "more", *start)[0] == 0
    code, _, error = called(capsys, "train", "small", "--out", tmp_path / "other", *start)
    assert code == 2 and "does not have the weights of this network" in " ".join(error.split())


def test_a_second_training_in_a_folder_leaves_the_recipe_of_the_first(capsys: Any, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with locked_folder(out):  # a training that has not saved a checkpoint yet
        (out / "small.toml").write_text("the recipe of the first")
        code, _, error = called(capsys, "train", "small", recipe(tmp_path, steps=1), "--out", out)
        assert code == 2 and "is being written by another process" in " ".join(error.split())
        assert (out / "small.toml").read_text() == "the recipe of the first"


def test_a_training_starts_with_what_export_reads(capsys: Any, tmp_path: Path) -> None:
    file, first = recipe(tmp_path, steps=1), tmp_path / "first"
    assert called(capsys, "train", "small", file, "--out", first)[0] == 0
    checkpoint = checkpoints_in(first)[-1][1]
    for number, start in enumerate((first, checkpoint)):
        stage = SmallStage(read_recipe(file), tmp_path / f"more-{number}")
        stage.learner.start_from(start)
        average = load_checkpoint(checkpoint).average
        assert average is not None
        for weights in (stage.learner.weights(), stage.learner.average):
            assert all(torch.equal(weights[name], value) for name, value in average.items())
        assert stage.learner.step == 0
    assert called(capsys, "train", "small", file, "--out", tmp_path / "third", "--start", first)[0] == 0

    wide = tmp_path / "wide.toml"
    wide.write_text(file.read_text().replace("width = 16", "width = 32"))
    saved = {"network": load_checkpoint(checkpoint).weights, "average": load_checkpoint(checkpoint).average}
    torch.save(saved, tmp_path / "no-step.pt")
    for recipe_file, start, reason in (
        (wide, first, "other sizes than the recipe: width is 16, not 32"),
        (file, tmp_path / "no-step.pt", "does not have the weights of this network"),
        (file, tmp_path, "is not a training of the small editor"),
        (file, tmp_path / "none.pt", "is not there"),
    ):
        dry = called(capsys, "train", "small", recipe_file, "--out", tmp_path / "fourth", "--start", start, "--dry-run")
        assert dry[0] == 2 and reason in dry[2]
        code, _, error = called(capsys, "train", "small", recipe_file, "--out", tmp_path / "fourth", "--start", start)
        assert code == 2 and reason in " ".join(error.split()) and not (tmp_path / "fourth").exists()


def test_a_checkpoint_does_not_record_the_words_of_the_vocabulary_as_a_setting(tmp_path: Path) -> None:
    """Checkpoints of earlier versions do not, and must be resumed."""
    read = read_recipe(recipe(tmp_path))
    assert sorted(name for name in read.decides if name.startswith("network.")) == [
        f"network.{name}" for name in ("fine", "heads", "layers", "registers", "width")
    ]


def test_each_stage_of_a_recipe_follows_the_one_before(capsys: Any, tmp_path: Path) -> None:
    file, out = recipe(tmp_path, steps=1), tmp_path / "out"
    file.write_text(f'{file.read_text()}\n[[stages]]\n\n[[stages]]\nrate = 1e-4\nreward = "miou"\nlessons = 0.5\n')
    code, output, _ = called(capsys, "train", "small", file, "--out", out)
    assert (
        code == 0 and "stage 1 of 2 finished at step 1" in output and "the next stage: `editscope train small" in output
    )
    code, output, _ = called(capsys, "train", "small", "--out", out, "--resume", "--dry-run")
    assert code == 0 and "2 of 2" in output and "mIoU as a reward" in output
    code, output, _ = called(capsys, "train", "small", "--out", out, "--resume")
    assert code == 0 and "stage 2 of 2, continuing from step 1" in output and "the next stage" not in output
    code, output, _ = called(capsys, "train", "small", "--out", out, "--resume", "--dry-run")
    assert code == 0 and "2 of 2, repeated: all 2 stages are done" in output and "or 1 step, whichever" in output
    curves = read_training(out)
    assert [step for step, _ in curves.curve("reward")] == [2] and dict(curves.curve("rate"))[2] <= 1e-4
    assert next_stage(out) == 3  # beyond the recipe the last stage is repeated
    assert read_recipe(file).stage.reward == "" and replace(read_recipe(file), number=3).stage.reward == "miou"


def test_a_loss_that_is_not_a_number_is_told_in_the_log_and_on_the_page(tmp_path: Path) -> None:
    stage = SmallStage(read_recipe(recipe(tmp_path)), tmp_path / "out")
    with torch.no_grad():
        next(stage.learner.network.parameters()).fill_(float("nan"))
    with pytest.raises(Diverged) as diverged:
        stage.run()
    (event,) = read_training(tmp_path / "out").events
    assert (event.kind, event.sentence) == ("stopped", str(diverged.value)) and "is not a number" in event.sentence
    assert "is not a number" in write_training_page(tmp_path / "out").read_text()


@pytest.mark.parametrize(("part", "first"), [(1, 4), (2, 2), (4, 1), (8, 1)])
def test_a_stage_with_parts_of_another_size_repeats_no_problem(part: int, first: int, tmp_path: Path) -> None:
    read = read_recipe(recipe(tmp_path, steps=2))
    SmallStage(read, tmp_path / "out").run()  # two steps of two problems, in parts of one
    following = SmallStage(replace(read, stages=(replace(read.stage, batch=8, part=part),)), tmp_path / "out")
    following.resume()
    assert following.learner.part == first


def test_a_checkpoint_without_the_size_of_its_parts_is_resumed(tmp_path: Path) -> None:
    """Earlier versions did not save it."""
    read = read_recipe(recipe(tmp_path, steps=2))
    SmallStage(read, tmp_path / "out").run()
    state = checkpoints_in(tmp_path / "out")[-1][1] / STATE
    saved = json.loads(state.read_text())
    del saved["loader"]["size"]
    state.write_text(json.dumps(saved))
    following = SmallStage(read, tmp_path / "out")
    following.resume()
    assert following.learner.part == 4


def test_a_training_of_another_kind_is_not_resumed(capsys: Any, tmp_path: Path) -> None:
    FolderCheckpoints(tmp_path / "out").save(1, {"settings": {}, "examples": {}, "monitors": {}, "scored": -1})
    for more in ((), ("--dry-run",)):
        code, _, error = called(
            capsys, "train", "small", recipe(tmp_path), "--out", tmp_path / "out", "--resume", *more
        )
        assert code == 2 and "is not a training of the small editor; give the folder of" in " ".join(error.split())


@pytest.mark.parametrize(
    ("entry", "sentence"),
    [
        ("batch = 3\npart = 2", "batch: 3 must be a multiple of part, 2"),
        ('without = ["stripes"]', "did you mean"),
        ("shares = { recolour = 2.0 }", "did you mean"),
        ("shares = { recolor = -1 }", "recolor is -1"),
        ("rates = 3", "rate"),
        ("workers = 1.5", "workers: 1.5 is not a whole number"),
        ("fall = 2.0", "fall must be 0 to 1"),
        ('reward = "psnr"', "is not a reward"),
        ("lessons = 0.5", "needs a stage with a reward"),
        ("[[stages]]\nrate = 0", "[[stages]] 1 seconds and rate"),
        ("[[stages]]\nrates = 1", "rate"),
        ("without = [3]", "without: [3] is not a list of names"),
        ('without = "striped"', "write one, such as"),
        ("shares = 3", "shares: 3 is not a table"),
        ('device = "gpux"', "gpux"),
        ("seed = -1", "seed: -1 must be a whole number from 0 to 2^63"),
        (f"seed = {2**63}", "seed: 9223372036854775808 must be a whole number from 0 to 2^63"),
        ("[network]\nwords = 3", "words: the vocabulary decides it; leave it out"),
        ("[network]\nwidth = 100", "width: 100 must be a multiple of 4 times the heads, 24"),
    ],
)
def test_a_wrong_recipe_is_told_in_a_sentence(entry: str, sentence: str, capsys: Any, tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(f"[stage]\n{entry}\n")
    code, _, error = called(capsys, "train", "small", file, "--out", tmp_path / "out", "--dry-run")
    assert code == 2 and sentence in " ".join(error.split()) and "mine.toml" in error.replace("\n", "")


def test_a_device_that_is_not_there_is_refused(capsys: Any, tmp_path: Path) -> None:
    file = recipe(tmp_path)
    missing = "mps" if not torch.backends.mps.is_available() else "cuda"
    file.write_text(file.read_text().replace('"cpu"', f'"{missing}"'))
    for more in ((), ("--dry-run",)):
        code, _, error = called(capsys, "train", "small", file, "--out", tmp_path / "out", *more)
        assert code == 2 and f"PyTorch finds no {missing} here" in " ".join(error.split())


def test_no_seconds_are_refused_and_a_huge_network_is_counted_without_memory(capsys: Any, tmp_path: Path) -> None:
    file = recipe(tmp_path)
    code, _, error = called(capsys, "train", "small", file, "--out", tmp_path / "out", "--seconds", "0")
    assert code == 2 and "--seconds 0: must be above 0" in " ".join(error.split())
    file.write_text(file.read_text().replace("width = 16", "width = 8184"))
    code, output, _ = called(capsys, "train", "small", file, "--out", tmp_path / "out", "--dry-run")
    assert code == 0 and re.search(r"parameters +\d{1,3}(,\d{3}){3,}", output)


def test_the_recipe_that_ships_is_written_and_read(capsys: Any, tmp_path: Path) -> None:
    code, output, _ = called(capsys, "train", "new", tmp_path / "mine.toml", "--recipe", "small")
    assert code == 0 and "train small" in output
    assert read_recipe(tmp_path / "mine.toml") == read_recipe(recipe_that_ships())


def recipe_that_ships() -> Path:
    from importlib.resources import files

    return Path(str(files("editscope.training.recipes").joinpath("small.toml")))


def training_of(folder: Path, out: Path) -> subprocess.Popen[str]:
    """A process that trains with one worker until it is stopped."""
    command = ["editscope", "train", "small", str(recipe(folder, 100_000, 1)), "--out", str(out)]
    return subprocess.Popen(
        [sys.executable, "-m", *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=folder,
        start_new_session=True,
    )


def wait_for_first_step(process: subprocess.Popen[str], out: Path) -> None:
    """Wait until a training has taken a step, or ended."""
    until = time.monotonic() + 300
    while read_training(out).last_step < 1 and process.poll() is None and time.monotonic() < until:
        time.sleep(0.1)


def test_a_worker_that_dies_costs_no_step(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with training_of(tmp_path, out) as process:
        wait_for_first_step(process, out)
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        commands = {child: Path(f"/proc/{child}/cmdline").read_bytes() for child in children}
        os.kill(next(int(child) for child in children if b"resource_tracker" not in commands[child]), signal.SIGKILL)
        output = " ".join(process.communicate(timeout=300)[0].split())
    assert process.returncode == 3 and "Traceback" not in output, output
    assert "a process that makes problems ended, perhaps because memory was short" in output
    event = read_training(out).events[-1]
    assert event.kind == "stopped" and "with fewer [stage] workers" in event.sentence
    if checkpoints_in(out):  # none if the process ended in the first steps, while one was being taken
        assert "to continue, run `editscope train small --out" in output


def test_what_an_earlier_stage_saw_is_not_held_out(capsys: Any, tmp_path: Path) -> None:
    file, out = recipe(tmp_path, steps=1), tmp_path / "out"
    assert called(capsys, "train", "small", file, "--out", out)[0] == 0
    assert held_out_in(out) == ("striped",)
    assert called(capsys, "train", "small-export", out, "--out", tmp_path / "held.weights")[0] == 0
    editor = load_editor(f"small:{tmp_path / 'held.weights'}")
    info = {"suite": {"name": "paintbench"}, "editor": {"trained_on": editor.trained_on}}
    assert trained_note(info) == "trained on this distribution without striped"
    later = tmp_path / "later.toml"
    later.write_text(file.read_text().replace('["striped"]', '["striped", "legend"]'))
    said = "legend: held out of this stage, but an earlier one may have seen it"
    for more in (["--dry-run"], []):
        for start in (("--out", out, "--resume"), ("--out", tmp_path / f"new{len(more)}", "--start", out)):
            code, output, _ = called(capsys, "train", "small", later, *start, *more)
            assert code == 0 and said in " ".join(output.split())
    assert held_out_in(out) == held_out_in(tmp_path / "new0") == ("striped",)
    seen = tmp_path / "seen.toml"
    seen.write_text(file.read_text().replace('["striped"]', "[]"))
    assert called(capsys, "train", "small", seen, "--out", out, "--resume")[0] == 0
    assert called(capsys, "train", "small", later, "--out", out, "--resume")[0] == 0
    assert held_out_in(out) == ()


def test_ctrl_c_saves_and_says_how_to_go_on(tmp_path: Path) -> None:
    """A real process with workers of its own, to all of which the terminal sends the signal."""
    out = tmp_path / "out"
    with training_of(tmp_path, out) as process:
        wait_for_first_step(process, out)
        os.killpg(process.pid, signal.SIGINT)
        output = " ".join(process.communicate(timeout=300)[0].split())
    assert process.returncode == 3, output
    assert "with a checkpoint; to continue, run `editscope train small --out" in output and "Traceback" not in output
    assert len(checkpoints_in(out)) == 1
