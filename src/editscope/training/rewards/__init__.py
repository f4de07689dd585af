"""Rewards: numbers for edits, from pixels that are known and from judges."""

from editscope.training.rewards.base import Reward, RewardValue, Rollout
from editscope.training.rewards.function import RewardFunction, reward_function
from editscope.training.rewards.registry import load_reward, reward_names
from editscope.training.rewards.summed import RewardSum

__all__ = [
    "Reward",
    "RewardFunction",
    "RewardSum",
    "RewardValue",
    "Rollout",
    "load_reward",
    "reward_function",
    "reward_names",
]
