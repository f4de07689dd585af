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
    """Table ``[planner]``: a causal language model by folder or repository, and its prompt.

    ``{instruction}`` in ``prompt`` stands for the instruction; without it, the instruction follows after an empty line.
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
        check_text(self.model, f"{where} model", "the folder or repository of a language model")
        check_text(self.prompt, f"{where} prompt", "the text before the instruction")
        check_device(self.device, where)
        if self.most_tokens < 8:
            raise BadInput(f"{where} most_tokens: must be at least 8, not {self.most_tokens}")


def check_text(value: str, where: str, meaning: str) -> None:
    """Raise BadInput for a blank string."""
    if not value.strip():
        raise BadInput(f"{where}: {value!r} is blank; write {meaning}")
