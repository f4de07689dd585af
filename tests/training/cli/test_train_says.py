"""What `editscope train` says before it does what takes long, and what it refuses before anything is loaded."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from editscope.cli.app import main
from editscope.training.recipes.writing import write_recipe
from editscope.training.supervised.start import seed_generators
from support.training.experiments import write_experiment, write_reinforcement
from support.training.tiny_editors import settings_for

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("small")]
EVALUATION = '[evaluation]\nsuite = "paintbench?tasks=border&conditions=baseline"\nevery = 2\nlimit = 2\nsteps = 1\n'


def called(capsys: Any, *words: Any) -> tuple[int, str, str]:
    """The exit code of a command, and what it said on both streams."""
    with pytest.raises(SystemExit) as ended:
        main([str(word) for word in words])
    said = capsys.readouterr()
    return int(ended.value.code or 0), said.out, " ".join(said.err.split())


def supervised(file: Path, pipeline: Path, more: str = "") -> Path:
    """The file of a supervised run."""
    return write_experiment(file, settings_for("kontext", pipeline), more=more)


def test_a_line_stands_before_all_that_takes_long(tiny_pipeline: Any, tmp_path: Path, capsys: Any) -> None:
    looks = "[tracking]\nsamples_every = 2\nsamples = 1\nsample_steps = 2\n"
    file = supervised(tmp_path / "mine.toml", tiny_pipeline("kontext"), looks + EVALUATION)
    code, said, _ = called(capsys, "train", "run", file, "--out", tmp_path / "out")
    wanted = (
        f"reading {file} …",
        "loading ",
        "fixed cases: ",
        "editing 1 fixed case before the first step …",
        "step 1 of 2: loss ",
        "editing 1 fixed case after step 2 …",
        "evaluating step 2 on paintbench?tasks=border&conditions=baseline: 2 cases …",
        "step 2: mIoU",
    )
    places = [said.find(line) for line in wanted]
    assert code == 0 and -1 not in places and places == sorted(places), said
    code, said, _ = called(capsys, "train", "run", file, "--out", tmp_path / "out", "--resume")
    assert code == 0 and "before the first step" not in said


@pytest.mark.parametrize("write", [supervised, write_reinforcement], ids=["supervised", "reinforcement"])
@pytest.mark.parametrize(
    ("tracker", "sentence"),
    [
        ("wandb:mine", "mine.toml, [tracking] trackers: wandb:mine needs your key"),
        ("trackio:mine", "mine.toml, [tracking] trackers: trackio:mine needs trackio: pip install trackio"),
    ],
)
def test_a_tracker_that_cannot_be_used_is_refused_before_weights_are_loaded(
    write: Any, tracker: str, sentence: str, tiny_pipeline: Any, tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    for variable in ("WANDB_API_KEY", "WANDB_MODE"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr("editscope.trackers.targets.installed", lambda library: library != "trackio")
    file = tmp_path / "mine.toml"
    write(file, tiny_pipeline("kontext"), more=f'[tracking]\nsamples_every = 0\ntrackers = ["{tracker}"]\n')
    for more in (("--dry-run",), ()):
        code, said, error = called(capsys, "train", "run", file, "--out", tmp_path / "out", *more)
        assert code == 2 and sentence in error and "loading" not in said
    assert not (tmp_path / "out").exists()


def test_a_warm_up_over_all_steps_is_told(tiny_pipeline: Any, tmp_path: Path, capsys: Any) -> None:
    file = supervised(tmp_path / "mine.toml", tiny_pipeline("kontext"), "[schedule]\nwarmup = 2\n")
    for more in (("--dry-run",), ()):
        code, said, _ = called(capsys, "train", "run", file, "--out", tmp_path / "out", *more)
        assert code == 0 and "[schedule] warmup: 2 of 2 steps, so the rate rises until" in " ".join(said.split())


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_a_dry_run_for_another_machine_passes_and_says_so(tiny_pipeline: Any, tmp_path: Path, capsys: Any) -> None:
    file = supervised(tmp_path / "mine.toml", tiny_pipeline("kontext"))
    file.write_text(file.read_text().replace('device = "cpu"', 'device = "cuda"'))
    code, said, _ = called(capsys, "train", "run", file, "--out", tmp_path / "out", "--dry-run")
    assert code == 0 and "cuda: not on this machine" in said


@pytest.mark.parametrize("name", ["../../x", "a/b", "..", ""])
def test_a_name_that_leads_out_of_the_folder_of_runs_is_refused(
    name: str, tiny_pipeline: Any, tmp_path: Path, capsys: Any
) -> None:
    file = supervised(tmp_path / "mine.toml", tiny_pipeline("kontext"))
    file.write_text(f'name = "{name}"\n' + file.read_text())
    code, _, error = called(capsys, "train", "run", file, "--dry-run")
    assert code == 2 and f"mine.toml, name: {name!r} is not a valid folder name" in error


@pytest.mark.parametrize(
    ("recipe", "sentence"),
    [("paintbench-grpo", "look at it; then"), ("pica-kontext", "set [[data.parts]] and look at the rest; then")],
)
def test_a_recipe_that_sets_its_data_does_not_ask_for_them(recipe: str, sentence: str, tmp_path: Path) -> None:
    (said,) = write_recipe(tmp_path / "mine.toml", recipe)
    assert said.startswith(f"{tmp_path / 'mine.toml'}: {sentence} ")


def test_targets_that_no_module_has_are_told_with_their_file(tiny_pipeline: Any, tmp_path: Path, capsys: Any) -> None:
    file = supervised(tmp_path / "mine.toml", tiny_pipeline("kontext"))
    file.write_text(file.read_text().replace('"attention"', '"to_qq"'))
    for more in (("--dry-run",), ()):
        code, _, error = called(capsys, "train", "run", file, "--out", tmp_path / "out", *more)
        assert code == 2 and "mine.toml, [lora] targets: there is no linear module 'to_qq'" in error


def test_all_generators_begin_with_the_seed() -> None:
    drawn = []
    for _ in range(2):
        seed_generators(2**63 - 1)
        drawn.append((random.random(), float(np.random.random()), float(torch.rand(1))))
    assert drawn[0] == drawn[1]
