"""Settings of a planner in training: the table ``[planner]``."""

from __future__ import annotations

from dataclasses import dataclass

from editscope.errors import BadInput
from editscope.training.models.settings import Precision, check_device

PROMPT = (
    "An instruction for an image edit may leave the result to knowledge of the world. Rewrite it so that it says what "
    "will be visible: texture, shape, color, gloss, firmness, fragments, deformation, surface."
)


@dataclass(frozen=True, slots=True)
class PlannerSettings:
    """Table ``[planner]``: a causal language model by folder or repository, and what it is told.

    ``most_tokens`` is the length of prompt and answer together; longer pairs are refused.
    """

    model: str
    revision: str | None = None
    precision: Precision = "bf16"
    device: str = "auto"
    prompt: str = PROMPT
    most_tokens: int = 1024

    def check(self, where: str) -> None:
        """Raise BadInput for values that cannot be used."""
        check_device(self.device, where)
        if self.most_tokens < 8:
            raise BadInput(f"{where} most_tokens: {self.most_tokens} is fewer than 8")
