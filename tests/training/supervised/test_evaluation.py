"""Evaluation while training: a suite through the normal runner, with the weights of the moment."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import editscope as es
from editscope.training.checkpoints import checkpoints_in, load_checkpoint
from editscope.training.settings import read_experiment
from editscope.training.supervised.evaluation import editor_spec
from editscope.training.supervised.start import train
from support.training.experiments import write_experiment
from support.training.tiny_editors import settings_for

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("small")]

TABLE = '[evaluation]\nsuite = "tinygrafix"\nevery = 2\nlimit = 1\nsteps = 1\nguidance = 1.0\nmax_area = 4096\n'


def test_a_suite_is_run_with_the_weights_of_the_moment(tiny_pipeline: Callable[[str], Path], tmp_path: Path) -> None:
    model = settings_for("kontext", tiny_pipeline("kontext"))
    file = write_experiment(tmp_path / "mine.toml", model, steps=4, more=TABLE)
    told: list[str] = []
    train(read_experiment(file), tmp_path / "out", source=file, say=told.append)
    runs = [es.open_run(tmp_path / f"out/evaluations/step-{step:08d}") for step in (2, 4)]
    specs = [str(run.info["editor"]["spec"]) for run in runs]
    assert "weights-00000002" in specs[0] and "weights-00000004" in specs[1]
    assert all(run.summary["coverage"].get("ok") == 1 for run in runs)
    kept = load_checkpoint(checkpoints_in(tmp_path / "out")[-1][1]).more["loop"]["evaluations"]
    assert kept["4"]["miou"] == pytest.approx(runs[1].summary["overall"]["miou"]["mean"])
    assert any(line.startswith("step 2: ") for line in told)


def test_the_spec_names_the_weights_and_the_sampler(tiny_pipeline: Callable[[str], Path], tmp_path: Path) -> None:
    model = settings_for("kontext", tiny_pipeline("kontext"))
    experiment = read_experiment(write_experiment(tmp_path / "mine.toml", model, more=TABLE))
    spec = editor_spec(experiment, Path("/some where/lora.safetensors"))
    assert spec.endswith("&lora=/some where/lora.safetensors&steps=1&guidance=1.0&max_area=4096")
    assert "lora" not in editor_spec(experiment, None)
