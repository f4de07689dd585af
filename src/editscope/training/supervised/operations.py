"""Operations of training steps: counted from the shapes of batches, and set against the peak of the device."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch

from editscope.training.activations import Kept
from editscope.training.flops import NETWORKS, StepFlops, TokenCounts, network_step, peak_flops, utilization

TERA = 1e12


@dataclass(frozen=True, slots=True)
class StepOperations:
    """Floating-point operations of a step: those it requires, and those the device executes (with recomputation)."""

    model: float = 0.0
    hardware: float = 0.0


class OperationCounter:
    """Counts the operations of batches by ``training/flops.py``; only networks that are listed there are counted."""

    def __init__(self, network: torch.nn.Module, keep: Kept = "inputs") -> None:
        self._network, self._keep = network, keep
        self._known: dict[tuple[TokenCounts, int], StepFlops] = {}
        self._model = self._hardware = 0.0

    @staticmethod
    def can_count(network: torch.nn.Module) -> bool:
        """Whether the operations of a network are known."""
        return type(network).__name__ in NETWORKS

    def add(self, edits: int, tokens: TokenCounts) -> None:
        """Count a batch of ``edits`` edits, forward and backward."""
        key = (tokens, edits)
        if key not in self._known:
            self._known[key] = network_step(
                self._network, tokens, edits=edits, attention_kept=self._keep == "attention"
            )
        self._model += self._known[key].model
        self._hardware += self._known[key].hardware

    def taken(self) -> StepOperations:
        """What was counted since the last call."""
        counted = StepOperations(self._model, self._hardware)
        self._model = self._hardware = 0.0
        return counted


class DevicePeak:
    """The peak of the devices of all processes together, if their maker states one."""

    def __init__(self, device: torch.device, processes: int = 1) -> None:
        self.name = torch.cuda.get_device_name(device) if device.type == "cuda" else device.type.upper()
        peak = peak_flops(self.name)
        self._peak = None if peak is None else peak * processes

    @property
    def known(self) -> bool:
        """Whether the peak is known."""
        return self._peak is not None

    def metrics(self, operations: StepOperations | None, seconds: float) -> Mapping[str, float]:
        """Utilization by the model and by the hardware; operations per second if the peak is unknown.

        >>> peak = DevicePeak(torch.device("cpu"))
        >>> peak.metrics(StepOperations(4e12, 5e12), seconds=2.0)
        {'model_tflops': 2.0, 'hardware_tflops': 2.5}
        """
        if operations is None or not operations.model or seconds <= 0:
            return {}
        each = operations.model, operations.hardware
        names = ("model_tflops", "hardware_tflops") if self._peak is None else ("utilization", "hardware_utilization")
        shares = (utilization(count, seconds, self._peak or TERA) for count in each)
        return dict(zip(names, shares, strict=True))


def speed_in_words(metrics: Mapping[str, Any]) -> str:
    """What a line of a step says about operations.

    >>> speed_in_words({"utilization": 0.388, "hardware_utilization": 0.4512})
    ', 38.8 % of the peak (hardware 45.1 %)'
    >>> speed_in_words({"model_tflops": 2.0, "hardware_tflops": 2.5})
    ', 2 TFLOP/s (hardware 2.5)'
    """
    if "utilization" in metrics:
        model, hardware = (100 * metrics[name] for name in ("utilization", "hardware_utilization"))
        return f", {model:.1f} % of the peak (hardware {hardware:.1f} %)"
    if "model_tflops" in metrics:
        return f", {metrics['model_tflops']:.3g} TFLOP/s (hardware {metrics['hardware_tflops']:.3g})"
    return ""
