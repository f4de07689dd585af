"""Optimizers and the learning rate over steps."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import torch

from editscope.editors.diffusion.quiet import quiet
from editscope.errors import BadInput
from editscope.training.supervised.settings import OptimizerSettings, ScheduleSettings


def make_optimizer(settings: OptimizerSettings, parameters: Iterable[torch.nn.Parameter]) -> torch.optim.Optimizer:
    """AdamW of the kind that the settings name."""
    trained = list(parameters)
    if not trained:
        raise BadInput("nothing is left to train: every weight is frozen; add [lora], or train the whole network")
    ways: dict[str, Any] = {
        "lr": settings.rate,
        "betas": (settings.beta1, settings.beta2),
        "eps": settings.epsilon,
        "weight_decay": settings.weight_decay,
    }
    if settings.kind == "8bit":
        return _eight_bit(trained, ways)
    return torch.optim.AdamW(trained, fused=True if settings.kind == "fused" else None, **ways)


def _eight_bit(trained: list[torch.nn.Parameter], ways: dict[str, Any]) -> torch.optim.Optimizer:
    try:
        with quiet():
            from torchao.optim import AdamW8bit
    except ImportError as error:
        raise BadInput(
            f'[optimizer] kind: "8bit" needs torchao ({error}): pip install "editscope[train]", or write "adamw"'
        ) from error
    made: torch.optim.Optimizer = AdamW8bit(trained, **ways)
    if trained[0].device.type == "cpu":  # compiling its step takes longer than it saves there
        step = made.step

        def eager_step(*args: Any) -> Any:
            with torch.compiler.set_stance("force_eager"):
                return step(*args)

        made.step = eager_step  # type: ignore[method-assign, assignment]
    return made


def rate_at(step: int, steps: int, settings: ScheduleSettings) -> float:
    """The share of the learning rate at a step, counted from 0.

    >>> [rate_at(step, 10, ScheduleSettings(warmup=2)) for step in (0, 1, 2, 9)]
    [0.5, 1.0, 1.0, 1.0]
    >>> [round(rate_at(step, 10, ScheduleSettings("cosine", floor=0.1)), 3) for step in (0, 5, 10)]
    [1.0, 0.55, 0.1]
    """
    if step < settings.warmup:
        return (step + 1) / settings.warmup
    if settings.kind == "constant":
        return 1.0
    done = min(1.0, (step - settings.warmup) / max(1, steps - settings.warmup))
    left = 1 - done if settings.kind == "linear" else (1 + math.cos(math.pi * done)) / 2
    return settings.floor + (1 - settings.floor) * left


def set_rate(group: dict[str, Any], rate: float) -> None:
    """Set the learning rate of a group of parameters."""
    if torch.is_tensor(group["lr"]):  # torchao keeps it in a tensor
        group["lr"].fill_(rate)
    else:
        group["lr"] = rate
