"""Average of weights over steps (EMA), and weights put in place of others for a while."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import torch

from editscope.training.supervised.settings import EmaSettings


class WeightAverage:
    """``average = d * average + (1 - d) * weights`` after each step, in float32.

    While it warms up, d is at most ``(1 + steps) / (10 + steps)``, so that the first weights do not count for long.
    """

    def __init__(self, settings: EmaSettings, trained: Mapping[str, torch.nn.Parameter]) -> None:
        self._settings, self._trained = settings, trained
        self.steps = 0
        self.values = {name: value.detach().clone().float() for name, value in trained.items()}

    @torch.no_grad()
    def update(self) -> None:
        """Take the weights of a step."""
        self.steps += 1
        decay = self._settings.decay
        if self._settings.warmup:
            decay = min(decay, (1 + self.steps) / (10 + self.steps))
        for name, value in self._trained.items():
            self.values[name].lerp_(value.detach().float(), 1 - decay)

    @contextmanager
    def in_place(self) -> Iterator[None]:
        """The average in place of the weights."""
        with in_place(self._trained, self.values):
            yield


@contextmanager
def in_place(trained: Mapping[str, torch.nn.Parameter], values: Mapping[str, torch.Tensor]) -> Iterator[None]:
    """Other values in the trained weights; after it, the weights are as they were."""
    with torch.no_grad():
        before = {name: value.detach().clone() for name, value in trained.items()}
        for name, value in trained.items():
            value.copy_(values[name].to(value.dtype))
        try:
            yield
        finally:
            for name, value in trained.items():
                value.copy_(before[name])
