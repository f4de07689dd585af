"""mIoU as the reward of verl-omni: the file that ``reward.custom_reward_function.path`` names.

verl-omni calls ``compute_score`` with keywords, one picture at a time: ``data_source``, ``solution_image`` (3 × height
× width from 0 to 1), ``ground_truth`` and ``extra_info``. The last one is a column of its data, here with ``id`` and
``suite`` of a problem; ``source_img``, ``target_img`` and ``instruction`` are taken, too.

    reward.custom_reward_function.path=examples/rewards/verl_omni_reward.py
    reward.custom_reward_function.name=compute_score

With EDITSCOPE_REWARD set to the address of ``editscope serve-reward``, rewards come from there, and no worker of the
trainer needs the suite.
"""

from __future__ import annotations

import os

import editscope as es
from editscope.training.rewards.trainers import for_verl_omni

ADDRESS = os.environ.get("EDITSCOPE_REWARD", "")
REWARD = f"{ADDRESS}?by_id=true" if ADDRESS else "miou"

FUNCTION = es.reward(REWARD, suite="paintbench", missing="raise")
compute_score = for_verl_omni(FUNCTION)
