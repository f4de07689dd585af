"""Edits of fixed cases, as a training would sample them."""

from __future__ import annotations

import numpy as np

from editscope.training.data.examples import EditExample
from editscope.training.rewards.base import Rollout


def rollouts(shade: int, count: int = 2, size: int = 32) -> list[Rollout]:
    """Edits of cases whose pictures have one color."""
    made = []
    for number in range(count):
        source = np.full((size, size, 3), 40 * number, np.uint8)
        answer = np.full((size, size, 3), 255, np.uint8)
        example = EditExample(f"border/{number}", "paintbench", (source,), "Paint it white.", answer)
        made.append(Rollout(example, np.full((size, size, 3), shade, np.uint8)))
    return made
