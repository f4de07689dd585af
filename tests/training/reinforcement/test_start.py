"""Reinforcement learning from the file of an experiment: problems without end, mean IoU, a LoRA that comes out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from editscope.errors import BadInput
from editscope.training.checkpoints import checkpoints_in
from editscope.training.reinforcement.planner_start import load_planner
from editscope.training.reinforcement.start import reinforce_experiment
from editscope.training.settings import read_experiment
from support.training.experiments import write_reinforcement
from support.training.logged import read_log
from support.training.small_runs import small_settings
from support.training.tiny_flow import tiny_examples
from support.training.tiny_planner import tiny_planner, tiny_seeing_planner

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("small")]


def experiment_file(place: Path, pipeline: Path, rounds: int = 2, more: str = "") -> Path:
    place.mkdir(exist_ok=True)
    return write_reinforcement(place / "experiment.toml", pipeline, rounds, more)


def test_an_experiment_runs_and_resumes(tiny_pipeline: Callable[[str], Path], tmp_path: Path) -> None:
    pipeline = tiny_pipeline("kontext")
    whole = experiment_file(tmp_path / "whole", pipeline)
    weights = reinforce_experiment(read_experiment(whole), tmp_path / "run", source=whole)
    assert weights.name == "pytorch_lora_weights.safetensors"
    assert [step for step, _ in checkpoints_in(tmp_path / "run")] == [1, 2]
    first = experiment_file(tmp_path / "first", pipeline, rounds=1)
    reinforce_experiment(read_experiment(first), tmp_path / "parts", source=first)
    with pytest.raises(BadInput, match="add --resume to continue"):
        reinforce_experiment(read_experiment(whole), tmp_path / "parts", source=whole)
    again = reinforce_experiment(read_experiment(whole), tmp_path / "parts", source=whole, resume=True)
    assert again.read_bytes() == weights.read_bytes()
    rewards = [[line["reward/miou"] for line in read_log(tmp_path / name)] for name in ("run", "parts")]
    assert rewards[0] == rewards[1]
    assert len(rewards[0]) == 2


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("group_size = 3", "group_size = 1", r"^experiment.toml, \[reinforcement\] group_size: 1 gives no advantage"),
        ('miou = "miou?jobs=1"', 'miou = "mioo"', r"^experiment.toml, \[rewards\]: .*mioo"),
        ("outside = 0.5", "else = 0.5", r"^experiment.toml, \[rewards\]: there is no reward to weigh 'else'"),
        ("identity_rate = 0.95", "identity = 0.95", r"there is no option 'identity' of experiment.toml, \[monitors\]"),
    ],
)
def test_bad_tables_are_told_before_anything_is_loaded(tmp_path: Path, old: str, new: str, sentence: str) -> None:
    file = experiment_file(tmp_path, tmp_path / "nothing")
    file.write_text(file.read_text().replace(old, new))
    with pytest.raises(BadInput, match=sentence):
        reinforce_experiment(read_experiment(file), tmp_path / "run", source=file)


def test_planners_are_loaded_by_what_they_are(tmp_path: Path) -> None:
    settings = small_settings(planner_tokens=4)
    tiny_seeing_planner(tmp_path / "sees")
    seeing = load_planner(tmp_path / "sees", settings)
    assert "pixel_values" in seeing.write(tiny_examples(1)[0], 2, seed=1).prompt
    reading = tiny_planner(tmp_path / "reads")
    reading.network.save_pretrained(tmp_path / "reads")  # type: ignore[operator]
    plans = load_planner(tmp_path / "reads", settings).write(tiny_examples(1)[0], 2, seed=1)
    assert plans.tokens.shape[1] <= 4
    assert torch.isfinite(plans.log_probabilities).all()
