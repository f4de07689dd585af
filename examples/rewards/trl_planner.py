"""Rewards for a planner that TRL's GRPOTrainer trains: is the plan that it writes before the edit sound?

    python examples/rewards/trl_planner.py openai:MODEL

A planner is a language or vision-language model: TRL samples its plans (the completions), and the reward ``reason``
judges each beside the source picture and the instruction. The trainer calls ``reason(prompts=…, completions=…,
**columns)``, where columns are those of the data set, and leaves out what is None: a plan that nobody could judge.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import editscope as es
from editscope.training.rewards.trainers import for_trl

Rows = list[dict[str, Any]]


def rows(limit: int = 8) -> Rows:
    """The data set: a prompt in TRL's conversational form, the source picture, and the instruction by itself."""
    suite = es.load_suite("paintbench")
    cases = [suite[case_id] for case_id in suite.select(limit=limit)]
    return [
        {
            "prompt": [
                {"role": "user", "content": f"Plan this edit step by step, in one paragraph. {case.instruction}"}
            ],
            "image": es.to_array(case.images[0]),
            "instruction": case.instruction,
            "id": case.id,
        }
        for case in cases
    ]


def reward(judge: str) -> Callable[..., list[float | None]]:
    """What goes into ``GRPOTrainer(reward_funcs=[…])``. A row has its picture, or the id of its problem."""
    return for_trl(es.reward(f"reason?judge={judge}", suite="paintbench"))


def train(judge: str, model: str, limit: int = 64, **settings: Any) -> None:
    """Train a language model with the real trainer; needs ``pip install trl datasets``.

    It reads the instruction alone, so rows carry no picture; the judge gets that of the problem, by its id. For a
    vision-language model keep the column ``image``.
    """
    from datasets import Dataset
    from trl import GRPOConfig, GRPOTrainer

    data = Dataset.from_list([{"prompt": row["prompt"], "id": row["id"]} for row in rows(limit)])
    options = {"output_dir": "planner", "num_generations": 8, "max_completion_length": 256, **settings}
    GRPOTrainer(model=model, reward_funcs=[reward(judge)], args=GRPOConfig(**options), train_dataset=data).train()


if __name__ == "__main__":
    train(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "Qwen/Qwen2.5-0.5B-Instruct")
