"""Result of a training step: its numbers for the log, and as a line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from editscope.training.supervised.operations import speed_in_words


@dataclass(frozen=True, slots=True)
class StepResult:
    """The results of a step."""

    step: int
    loss: float
    gradient: float
    rate: float
    examples: int
    seconds: float
    operations: Mapping[str, float] = field(default_factory=dict)
    """Utilization of the devices, or operations per second, by their names in the log."""
    unit: str = "pictures"
    """What the examples are, in the plural."""

    @property
    def metrics(self) -> Mapping[str, float]:
        """The numbers of the step for the log."""
        return {
            "loss": self.loss,
            "gradient_norm": self.gradient,
            "rate": self.rate,
            f"{self.unit}_per_s": self.examples / max(self.seconds, 1e-9),
            **self.operations,
        }

    def in_words(self, steps: int) -> str:
        """The line that is printed after a step."""
        speed = self.examples / self.seconds if self.seconds else 0.0
        return (
            f"step {self.step} of {steps}: loss {self.loss:.4f}, gradient {self.gradient:.3g}, "
            f"rate {self.rate:.3g}, {speed:.2f} {self.unit}/s{speed_in_words(self.metrics)}"
        )
