"""Small runs of reinforcement learning on the tiny flow editor."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import torch

from editscope.training.monitors import MonitorSettings
from editscope.training.reinforcement.loop import Metrics, reinforce
from editscope.training.reinforcement.reward_mix import RewardMix
from editscope.training.reinforcement.settings import ReinforcementSettings
from editscope.training.rewards.base import Reward
from editscope.training.rewards.summed import RewardSum
from support.training.listed_examples import ListedExamples
from support.training.simple_rewards import ByFunction, brightness
from support.training.tiny_flow import TinyFlow, tiny_examples

UNWATCHED = MonitorSettings(identity_rate=None, over_edit_ratio=None, held_out_fall=None)
SMALL: dict[str, Any] = {
    "rounds": 15,
    "prompts": 2,
    "group_size": 8,
    "batch": 8,
    "steps": 6,
    "updates": 1,
    "rate": 3e-3,
    "kl": 0.0,
    "nft_times": 4,
    "nft_kl": 0.0,
}


def mixed(
    rewards: Mapping[str, str | Reward],
    weights: Mapping[str, float] | None = None,
    off: Collection[str] = (),
    **more: Any,
) -> RewardMix:
    return RewardMix(RewardSum(rewards, weights, off), **more)


def small_settings(**options: Any) -> ReinforcementSettings:
    return ReinforcementSettings(**{**SMALL, **options})


def small_run(
    settings: ReinforcementSettings, editor: TinyFlow | None = None, rewards: RewardMix | None = None, **more: Any
) -> tuple[TinyFlow, list[Metrics]]:
    """Two examples, brightness as reward, no monitors; what is not said otherwise."""
    painter = editor or TinyFlow()
    mix = rewards or mixed({"brightness": ByFunction(brightness)})
    options = {"monitors": UNWATCHED, **more}
    shown = options.pop("examples", None) or tiny_examples(2)
    return painter, reinforce(painter, ListedExamples(shown), mix, settings, **options)


def weights_of(network: torch.nn.Module) -> dict[str, torch.Tensor]:
    return {name: weight.detach().clone() for name, weight in network.state_dict().items()}


def same_weights(one: torch.nn.Module, other: torch.nn.Module) -> bool:
    return all(torch.equal(a, b) for a, b in zip(one.state_dict().values(), other.state_dict().values(), strict=True))


def without_times(history: list[Metrics]) -> list[Metrics]:
    """The metrics without those that differ from run to run: seconds."""
    return [{name: value for name, value in row.items() if not name.startswith("seconds/")} for row in history]
