"""GRPO and NFT on tiny random pipelines of Kontext and Qwen-Image-Edit, through their LoRA layers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from editscope.training.models.loading import load_flow_editor
from editscope.training.models.lora import add_lora
from editscope.training.models.pipeline_editor import PipelineFlowEditor
from editscope.training.models.settings import LoraSettings
from editscope.training.reinforcement.loop import Metrics, reinforce
from support.training.listed_examples import ListedExamples
from support.training.simple_rewards import ByFunction, FileCheckpoints, brightness
from support.training.small_runs import UNWATCHED, mixed, same_weights, small_settings, without_times
from support.training.tiny_editors import pairs, settings_for

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("small")]

SETTINGS: dict[str, Any] = {"prompts": 1, "steps": 3, "rate": 3e-2, "nft_times": 3, "kl": 1e-4, "nft_kl": 1e-4}


def lora_run(folder: Path, name: str, rounds: int, **more: Any) -> tuple[PipelineFlowEditor, list[Metrics]]:
    editor = load_flow_editor(settings_for(name, folder))
    torch.manual_seed(3)
    add_lora(editor.network, LoraSettings(rank=8, targets="all-linear"))
    settings = small_settings(**{**SETTINGS, "rounds": rounds, "method": more.pop("method")})
    examples = ListedExamples(pairs(1, 32, 32))
    mix = mixed({"brightness": ByFunction(brightness)})
    return editor, reinforce(editor, examples, mix, settings, monitors=UNWATCHED, **more)


@pytest.mark.parametrize("method", ["grpo", "nft"])
@pytest.mark.parametrize("name", ["kontext", "qwen_plus"])
def test_a_known_reward_rises(tiny_pipeline: Callable[[str], Path], name: str, method: str) -> None:
    folder = tiny_pipeline(name)
    editor, history = lora_run(folder, name, 8, method=method)
    rewards = [row["reward/brightness"] for row in history]
    spread = history[0]["reward/spread"]
    assert sum(rewards[-2:]) / 2 > sum(rewards[:2]) / 2 + 2 * spread, "by more than the edits of a group differ"
    if method == "grpo":
        assert all(row["painter/ratio"] == 1.0 for row in history), "one update a round, so every ratio is 1"
    before = load_flow_editor(settings_for(name, folder)).network.state_dict()
    after = {key.replace(".base_layer", ""): value for key, value in editor.network.state_dict().items()}
    assert all(torch.equal(after[key], value) for key, value in before.items()), "only the LoRA layers learn"


def test_the_first_ratio_is_exactly_one_in_bf16_with_checkpointing(tiny_pipeline: Callable[[str], Path]) -> None:
    model = settings_for("kontext", tiny_pipeline("kontext"), precision="bf16", keep="inputs")
    editor = load_flow_editor(model)
    add_lora(editor.network, LoraSettings(rank=4))
    mix = mixed({"brightness": ByFunction(brightness)})
    settings = small_settings(**{**SETTINGS, "rounds": 2, "updates": 1})
    history = reinforce(editor, ListedExamples(pairs(1, 32, 32)), mix, settings, monitors=UNWATCHED)
    assert [row["painter/ratio"] for row in history] == [1.0, 1.0]
    assert [row["painter/clipped"] for row in history] == [0.0, 0.0]
    assert history[1]["painter/kl"] > 0, "the LoRA has moved in the first round"


@pytest.mark.parametrize("method", ["grpo", "nft"])
def test_resuming_is_bit_for_bit(tiny_pipeline: Callable[[str], Path], tmp_path: Path, method: str) -> None:
    folder = tiny_pipeline("kontext")
    whole, history = lora_run(folder, "kontext", 3, method=method)
    places = FileCheckpoints(tmp_path)
    lora_run(folder, "kontext", 2, method=method, checkpoints=places)
    resumed, after = lora_run(folder, "kontext", 3, method=method, checkpoints=places)
    assert without_times(after) == without_times(history)[2:]
    assert same_weights(whole.network, resumed.network)
