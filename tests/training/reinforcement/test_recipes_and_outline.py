"""Recipes of reinforcement learning, and what `--dry-run` says of them before anything is loaded or paid."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import save_file

from editscope.cli.app import main
from editscope.training.data.settings import data_settings
from editscope.training.data.sources import open_source
from editscope.training.reinforcement.outline import outline_reinforcement
from editscope.training.settings import read_experiment
from support.training.experiments import write_reinforcement

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("small")]

RECIPES = ("worldedit-grpo", "paintbench-grpo", "paintbench-nft")
TINY = {
    '"black-forest-labs/FLUX.1-Kontext-dev"': '"{pipeline}"',
    '"Qwen/Qwen-Image-Edit-2511"': '"{pipeline}"',
    'canvas=512x512&conditions=baseline,nonstandard,striped,n_med"': 'canvas=128x128&tasks=border&conditions=baseline"',
    '"set:worldedit"': '"stream:paintbench?canvas=128x128&tasks=border&conditions=baseline"',
    "levels = { implicit = 1 }": "",
    '["512x512"]': '["128x128"]',
    '["832x1248", "1248x832"]': '["128x128"]',
    "height = 512": "height = 128",
    "width = 512": "width = 128",
    'preset = "flow-grpo-kontext"': 'preset = "flow-grpo-kontext"\nheight = 128\nwidth = 128',
}


def called(*words: Any) -> int:
    """The command line in this process; gives the exit code."""
    with pytest.raises(SystemExit) as ended:
        main([str(word) for word in words])
    return int(ended.value.code or 0)


def tiny_recipe(recipe: str, folder: Path, pipeline: Path) -> Path:
    """A recipe as `train new` writes it, with a tiny pipeline and small pictures."""
    file = folder / f"{recipe}.toml"
    assert called("train", "new", file, "--recipe", recipe) == 0
    text = file.read_text()
    for old, new in TINY.items():
        text = text.replace(old, new.format(pipeline=pipeline))
    file.write_text(text)
    planner = folder / "trained/worldedit-planner/weights"
    planner.mkdir(parents=True)
    (planner / "config.json").write_text('{"model_type": "llama"}')
    save_file({"weight": torch.zeros(1)}, planner / "model.safetensors")
    return file


@pytest.mark.parametrize("recipe", RECIPES)
def test_every_recipe_is_outlined(
    recipe: str, tiny_pipeline: Callable[[str], Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tiny_recipe(recipe, tmp_path, tiny_pipeline("kontext"))
    capsys.readouterr()
    assert called("train", "run", file, "--dry-run", "--out", tmp_path / "out") == 0
    said = " ".join(capsys.readouterr().out.split())
    group = 21 if recipe == "paintbench-grpo" else 24
    assert f"edits sampled {300 * 48 * group:,}: 48 prompts × {group} edits a round" in said
    assert "memory in all, about" in said and "memory of the CPU" in said
    if recipe == "worldedit-grpo":
        assert "judge openai:gpt-5-mini: about 345,600 calls" in said, "reason; fidelity is the same"
        assert "about 691,200 calls" in said, "causal asks for the cause and for its similarity"
        assert "judges in all, about $" in said
    else:
        assert "none is asked" in said
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("recipe", RECIPES)
def test_every_value_says_where_it_comes_from_and_monitors_are_on(recipe: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    assert called("train", "new", file, "--recipe", recipe) == 0
    experiment = read_experiment(file)
    assert experiment.extra["monitors"]["identity_rate"]
    watched = bool(experiment.extra["monitors"].get("held_out_fall"))
    assert watched == (experiment.evaluation is not None), "there is a held-out score to watch"
    free = {"name", "steps", "source", "off", "suite", "preset", "normalize_rewards", "levels", "sizes"}
    for line in file.read_text().splitlines():
        name = line.split("=")[0].strip()
        if "=" in line and not line.startswith("#") and name not in free:
            assert "not in the paper:" in line, line
    assert "ablation" in file.read_text()
    for part in data_settings(experiment.data).parts:
        if part.kind == "stream":
            open_source(part).check(answers=True)


def test_calls_of_the_network_are_counted(tiny_pipeline: Callable[[str], Path], tmp_path: Path) -> None:
    file = write_reinforcement(tmp_path / "experiment.toml", tiny_pipeline("kontext"))
    plan = outline_reinforcement(read_experiment(file), file.name)
    assert (plan.edits, plan.updates) == (12, 4)
    assert plan.sampling_calls == 12 * 3, "three steps"
    assert plan.training_calls == 12 * 2 * 2, "two stochastic steps, each with its reference"
    assert plan.judges == () and plan.size == (64, 64)


def test_what_would_stop_a_run_stops_its_outline(tiny_pipeline: Any, tmp_path: Path, capsys: Any) -> None:
    file = write_reinforcement(tmp_path / "experiment.toml", tiny_pipeline("kontext"))
    file.write_text(file.read_text().replace("prompts = 2", "prompts = 2\nheight = 128\nwidth = 128"))
    assert called("train", "run", file, "--dry-run") == 2
    assert "sampling at another resolution than training" in " ".join(capsys.readouterr().err.split())
