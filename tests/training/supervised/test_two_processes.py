"""Two processes on the CPU: with equal weights or with shards, they train as one does."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file

from editscope.errors import BadInput
from editscope.training.checkpoints import checkpoints_in, load_checkpoint
from editscope.training.log.metrics_file import read_training
from editscope.training.supervised.parallel import check_deepspeed
from editscope.training.supervised.settings import TrainingSettings
from support.training.experiments import write_experiment
from support.training.several_processes import trained_by
from support.training.tiny_editors import settings_for

CONFIG = '{"zero_optimization": {"stage": 2}, "train_batch_size": "auto", "gradient_clipping": 1.0}'


@pytest.mark.slow
@pytest.mark.parametrize("parallel", [pytest.param("ddp", marks=pytest.mark.drill(only=True)), "fsdp"])
def test_two_processes_train_as_one_does(parallel: str, tiny_pipeline: Callable[[str], Path], tmp_path: Path) -> None:
    model = settings_for("kontext", tiny_pipeline("kontext"))
    looks = "[tracking]\ntrackers = []\nsamples_every = 1\nsamples = 1\nsample_steps = 1\n"
    file = write_experiment(tmp_path / "mine.toml", model, steps=4, more=f"[ema]\ndecay = 0.9\n{looks}")
    file.write_text(
        file.read_text()
        .replace("[training]", f'[training]\nparallel = "{parallel}"')
        .replace("global_batch = 2", "global_batch = 4")
    )
    alone = write_experiment(tmp_path / "alone.toml", model, steps=4, more="[ema]\ndecay = 0.9\n")
    alone.write_text(alone.read_text().replace("global_batch = 2", "global_batch = 4"))
    both = trained_by(2, file, tmp_path / "both")
    assert both.returncode == 0, both.stderr
    one = trained_by(1, alone, tmp_path / "one")
    assert one.returncode == 0, one.stderr
    assert list(read_training(tmp_path / "both").samples) == [0, 1, 2, 3, 4]
    made, wanted = (load_checkpoint(checkpoints_in(tmp_path / name)[-1][1]) for name in ("both", "one"))
    assert made.loader == wanted.loader
    assert made.average is not None and wanted.average is not None
    for ours, theirs in ((made.weights, wanted.weights), (made.average, wanted.average)):
        assert ours.keys() == theirs.keys()
        assert max(float((ours[name] - theirs[name]).abs().max()) for name in ours) < 5e-4
    moved = [torch.equal(value, torch.zeros_like(value)) for name, value in made.weights.items() if "lora_B" in name]
    assert not any(moved)
    (tmp_path / "both/checkpoints/step-00000004").rename(tmp_path / "last")
    again = trained_by(2, file, tmp_path / "both", "--resume")
    assert again.returncode == 0 and "resuming after step 2 of 4" in again.stdout, again.stderr
    resumed = load_checkpoint(checkpoints_in(tmp_path / "both")[-1][1])
    assert all(torch.equal(value, resumed.weights[name]) for name, value in made.weights.items())


@pytest.mark.slow
@pytest.mark.parametrize("parallel", [pytest.param("ddp", marks=pytest.mark.drill(only=True)), "fsdp"])
def test_a_network_of_two_processes_is_written_whole(
    parallel: str, tiny_pipeline: Callable[[str], Path], tmp_path: Path
) -> None:
    model = settings_for("kontext", tiny_pipeline("kontext"))
    file = write_experiment(tmp_path / "mine.toml", model, lora=False, steps=2, more="[ema]\ndecay = 0.9\n")
    file.write_text(
        file.read_text()
        .replace("[training]", f'[training]\nparallel = "{parallel}"')
        .replace("global_batch = 2", "global_batch = 4")
    )
    both = trained_by(2, file, tmp_path / "both")
    assert both.returncode == 0, both.stderr
    average = load_checkpoint(checkpoints_in(tmp_path / "both")[-1][1]).average
    place = tmp_path / "both/weights/transformer"
    written = load_file(place / "diffusion_pytorch_model.safetensors")
    assert average is not None and all(torch.equal(written[name], value) for name, value in average.items())
    assert json.loads((place / "config.json").read_text())["_class_name"] == "FluxTransformer2DModel"


def test_a_deepspeed_configuration_is_read_and_compared(tmp_path: Path) -> None:
    file = tmp_path / "zero.json"
    file.write_text(CONFIG)
    training = TrainingSettings(1, 2, 4, parallel="deepspeed", deepspeed="zero.json")
    assert check_deepspeed(file, training, 1.0)["zero_optimization"]["stage"] == 2
    file.write_text(CONFIG.replace('"auto"', "8"))
    with pytest.raises(BadInput, match=r"train_batch_size: 8 differs from the experiment, which has 4"):
        check_deepspeed(file, training, 1.0)
    file.write_text("{}")
    with pytest.raises(BadInput, match='has no "zero_optimization"'):
        check_deepspeed(file, training, 1.0)


def test_deepspeed_is_refused_by_name(tiny_pipeline: Any, tmp_path: Path) -> None:
    from editscope.training.supervised.parallel import Processes

    with pytest.raises(BadInput, match="its configuration is checked, but running it is not supported"):
        Processes("deepspeed")
