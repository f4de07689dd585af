"""Settings of a training loop, and what is called beside its steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from editscope.training.supervised.settings import (
    CheckpointSettings,
    EmaSettings,
    OptimizerSettings,
    ScheduleSettings,
    TrainingSettings,
)

if TYPE_CHECKING:
    from editscope.training.supervised.loop import TrainingLoop


@dataclass(frozen=True, slots=True)
class LoopSettings:
    """The settings of a loop.

    ``decides`` are those that a checkpoint must have, by dotted name; ``shown`` are those that the log shows, if there
    are more.
    """

    training: TrainingSettings
    optimizer: OptimizerSettings = field(default_factory=OptimizerSettings)
    schedule: ScheduleSettings = field(default_factory=ScheduleSettings)
    ema: EmaSettings | None = None
    checkpoints: CheckpointSettings = field(default_factory=CheckpointSettings)
    decides: Mapping[str, Any] = field(default_factory=dict)
    shown: Mapping[str, Any] = field(default_factory=dict)


Hook = Callable[["TrainingLoop"], None]
"""Called by every process; may raise Stopped, in all of them."""


@dataclass(frozen=True, slots=True)
class Hooks:
    """What is called beside the steps.

    ``at_start`` before the first step of a new training, not of a resumed one; ``after_step`` after each step, before
    its checkpoint is saved; ``at_end`` after the last step and its hooks, also if the data end early.
    """

    at_start: Sequence[Hook] = ()
    after_step: Sequence[Hook] = ()
    at_end: Sequence[Hook] = ()
