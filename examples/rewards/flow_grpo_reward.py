"""mIoU as the reward of flow_grpo, in place of its ``multi_score``; trainers in the manner of DDPO call it alike.

flow_grpo calls ``reward_fn(images, prompts, metadata, only_strict=True)`` with images of N × 3 × height × width from 0
to 1, and takes a dictionary of scores by name, of which it trains on "avg". Each line of its metadata is one prompt:

    python examples/rewards/flow_grpo_reward.py > dataset/paintbench/train_metadata.jsonl

In its training script, write ``reward_fn = reward_fn()`` where it calls ``multi_score``.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import editscope as es
from editscope.training.rewards.trainers import for_flow_grpo


def reward_fn() -> Callable[..., tuple[dict[str, list[float]], dict[str, Any]]]:
    """Pixels that are right, and half as much for pixels that stayed as they were; a missing reward ends the run."""
    rewards = es.reward(["miou", "psnr_outside"], weights=[1.0, 0.5], suite="paintbench", missing="raise")
    return for_flow_grpo(rewards)


def metadata(limit: int) -> list[dict[str, Any]]:
    """What names each problem: its id in the suite, and the instruction as the prompt."""
    suite = es.load_suite("paintbench")
    return [{"id": case_id, "prompt": suite[case_id].instruction} for case_id in suite.select(limit=limit)]


if __name__ == "__main__":
    for row in metadata(64):
        print(json.dumps(row))
