"""Average of weights over steps (EMA)."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager

import torch

from editscope.training.supervised.settings import EmaSettings
from editscope.training.weights import WeightCopy, copied_in


class WeightAverage(WeightCopy):
    """``average = d * average + (1 - d) * weights`` after each step, in float32.

    While it warms up, d is at most ``(1 + steps) / (10 + steps)``, so that the first weights do not count for long.
    """

    def __init__(self, settings: EmaSettings, trained: Mapping[str, torch.nn.Parameter]) -> None:
        super().__init__(trained, torch.float32)
        self._settings = settings
        self.steps = 0

    def update(self) -> None:
        """Take the weights of a step."""
        self.steps += 1
        decay = self._settings.decay
        if self._settings.warmup:
            decay = min(decay, (1 + self.steps) / (10 + self.steps))
        self.follow(decay)

    def in_place(self) -> AbstractContextManager[None]:
        """The average in place of the weights, which may be in shards."""
        return copied_in(self.trained, self.values)
