"""A training that begins with the LoRA of another one: the same network, layers that fit, and sentences where not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from editscope.cli.app import main
from editscope.errors import BadInput
from editscope.training.models.loading import load_trained_editor
from editscope.training.models.lora import add_lora, lora_weights, save_lora
from editscope.training.models.lora_start import load_start, start_file
from editscope.training.models.settings import LoraSettings
from editscope.training.reinforcement.policies import reference_of
from editscope.training.reinforcement.start import reinforce_experiment
from editscope.training.settings import read_experiment
from editscope.training.supervised.start import EXPERIMENT, train
from editscope.training.weights import WeightCopy
from support.training.experiments import write_experiment, write_reinforcement
from support.training.tiny_editors import settings_for

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("small")]


@pytest.fixture(scope="module")
def trained(tiny_pipeline: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a training of a LoRA of rank 4."""
    place = tmp_path_factory.mktemp("trained")
    file = write_experiment(place / "mine.toml", settings_for("kontext", tiny_pipeline("kontext")))
    train(read_experiment(file), place / "run", source=file)
    return place / "run"


@pytest.mark.parametrize("name", ["", "weights", "weights/pytorch_lora_weights.safetensors"])
def test_a_training_begins_with_the_weights_of_another(
    trained: Path, name: str, tiny_pipeline: Callable[[str], Path]
) -> None:
    lora = LoraSettings(rank=4, start=str(trained / name))
    editor = load_trained_editor(
        settings_for("kontext", tiny_pipeline("kontext")), lora, start=start_file(lora, Path("elsewhere"))
    )
    weights = lora_weights(editor.network)
    assert any(bool(value.any()) for key, value in weights.items() if "lora_B" in key)
    assert isinstance(reference_of(editor.network), WeightCopy)


def test_another_alpha_begins_with_the_same_network(tmp_path: Path) -> None:
    from diffusers import FluxKontextPipeline, FluxTransformer2DModel

    def network(alpha: float) -> tuple[Any, LoraSettings]:
        torch.manual_seed(0)
        made = FluxTransformer2DModel(
            in_channels=4,
            num_layers=1,
            num_single_layers=0,
            attention_head_dim=8,
            num_attention_heads=1,
            joint_attention_dim=8,
            pooled_projection_dim=8,
            axes_dims_rope=(2, 2, 4),
        )
        settings = LoraSettings(rank=2, alpha=alpha)
        add_lora(made, settings)
        return made, settings

    def added(made: Any) -> Any:
        return made.transformer_blocks[0].attn.to_q.get_delta_weight("default")

    first, _ = network(2.0)
    for name, value in first.named_parameters():
        if "lora_B" in name:
            torch.nn.init.normal_(value)
    file = save_lora(FluxKontextPipeline, first, tmp_path, lora_weights(first))
    for alpha in (2.0, 4.0):
        second, settings = network(alpha)
        load_start(file, second, settings)
        assert torch.allclose(added(second), added(first)) and added(first).any()


def test_rewards_go_on_from_a_painter(
    trained: Path, tiny_pipeline: Callable[[str], Path], tmp_path: Path, capsys: Any
) -> None:
    file = write_reinforcement(tmp_path / "mine.toml", tiny_pipeline("kontext"), rounds=1)
    file.write_text(file.read_text().replace("rank = 2", f'rank = 4\nstart = "{trained}"'))
    with pytest.raises(SystemExit):
        main(["train", "run", str(file), "--out", str(tmp_path / "run"), "--dry-run"])
    assert "copies of trained weights" in capsys.readouterr().out
    assert reinforce_experiment(read_experiment(file), tmp_path / "run", source=file).is_file()


def test_the_copy_of_an_experiment_names_its_start_in_full(
    trained: Path, tiny_pipeline: Callable[[str], Path], tmp_path: Path
) -> None:
    (tmp_path / "painter").symlink_to(trained)
    file = write_experiment(tmp_path / "mine.toml", settings_for("kontext", tiny_pipeline("kontext")))
    file.write_text(file.read_text().replace("rank = 4", 'rank = 4\nstart = "painter"'))
    train(read_experiment(file), tmp_path / "run", source=file)
    copied = read_experiment(tmp_path / "run" / EXPERIMENT).lora
    assert copied is not None and copied.start == str(tmp_path / "painter/weights/pytorch_lora_weights.safetensors")


@pytest.mark.parametrize(
    ("lora", "sentence"),
    [
        ('rank = 8\nstart = "HERE"', "has rank 4, and [lora] rank is 8; write rank = 4"),
        ('rank = 4\ntargets = "to_q"\nstart = "HERE"', "0 weights missing"),
        ('rank = 4\ntargets = "all-linear"\nstart = "HERE"', "set the targets and the pipeline"),
        ('rank = 4\nstart = "nowhere"', "nowhere does not exist; give the file or folder of a trained LoRA"),
        ('rank = 4\nstart = "HERE/checkpoints"', "give the folder of a finished training"),
        ('rank = 4\nstart = "HERE/experiment.toml"', "experiment.toml cannot be read"),
        ('rank = 4\nstart = ""', "start: is empty"),
    ],
)
def test_a_start_that_does_not_fit_is_refused(
    lora: str, sentence: str, trained: Path, tiny_pipeline: Callable[[str], Path], tmp_path: Path, capsys: Any
) -> None:
    file = write_experiment(tmp_path / "mine.toml", settings_for("kontext", tiny_pipeline("kontext")))
    text = file.read_text().replace('rank = 4\ntargets = "attention"', lora.replace("HERE", str(trained)))
    file.write_text(text)
    for more in (["--dry-run"], []):
        with pytest.raises(SystemExit) as ended:
            main(["train", "run", str(file), "--out", str(tmp_path / "out"), *more])
        said = " ".join(capsys.readouterr().err.split())
        assert ended.value.code == 2 and "[lora]" in said and sentence in said


def test_checkpoints_of_earlier_versions_go_on(tiny_pipeline: Callable[[str], Path], tmp_path: Path) -> None:
    file = write_experiment(tmp_path / "mine.toml", settings_for("kontext", tiny_pipeline("kontext")))
    assert "lora.start" not in read_experiment(file).decides
    with pytest.raises(BadInput, match="nowhere"):
        start_file(LoraSettings(start="nowhere"), tmp_path)
