"""Network and loss in three parts, each compiled separately: the blocks share their code, which saves a minute."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from editscope.editors.small.inputs import INPUTS
from editscope.training.small.loss import losses
from editscope.training.small.network import SmallNetwork
from editscope.training.small.reward import expected_miou


class LossStep:
    """The parts of the loss of a batch."""

    def __init__(self, network: SmallNetwork, *, compiled: bool, rewarded: bool = False) -> None:
        self.network, self._rewarded = network, rewarded
        self._read: Callable[..., Any] = network.read
        self._blocks: list[Callable[..., Tensor]] = list(network.blocks)
        self._compare: Callable[..., dict[str, Tensor]] = self._compared
        if compiled:
            self._read = torch.compile(self._read)
            self._blocks = [torch.compile(block) for block in self._blocks]
            self._compare = torch.compile(self._compare)

    def __call__(self, batch: dict[str, Tensor]) -> dict[str, Tensor]:
        """Each part of the loss, a number for every example."""
        x, turn, wanted, fine2, fine4 = self._read(*(batch[name] for name in INPUTS))
        for block in self._blocks:
            x = block(x, turn, wanted)
        return self._compare(x, fine2, fine4, batch)

    def _compared(self, x: Tensor, fine2: Tensor, fine4: Tensor, batch: dict[str, Tensor]) -> dict[str, Tensor]:
        prediction = self.network.decide(x, fine2, fine4, *(batch[name] for name in INPUTS))
        with torch.autocast(x.device.type, enabled=False):
            parts = losses(prediction, batch)
            return {**parts, "reward": expected_miou(prediction, batch)} if self._rewarded else parts
