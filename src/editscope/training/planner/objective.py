"""Text fine-tuning of a planner: the likelihood of a paraphrase after its implicit instruction."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from editscope.errors import BadInput
from editscope.training.planner.prompts import prompt_tokens
from editscope.training.planner.settings import PlannerSettings
from editscope.training.supervised.objective import Objective

IGNORED = -100


@dataclass(frozen=True, slots=True)
class PlannedEdit:
    """A pair to learn: an implicit instruction, and what it means."""

    id: str
    instruction: str
    plan: str


class PlannerObjective(Objective):
    """The mean over the tokens of the plan of ``-log p(token)``; tokens of the prompt do not count."""

    unit = "pairs"

    def __init__(self, network: Any, tokenizer: Any, settings: PlannerSettings, *, bf16: bool = False) -> None:
        self.network, self._tokenizer, self._settings, self._bf16 = network, tokenizer, settings, bf16
        if tokenizer.pad_token_id is None:
            tokenizer.pad_token = tokenizer.eos_token
        self.blocks = tuple(getattr(network, "_no_split_modules", None) or ())

    def losses(self, examples: Sequence[PlannedEdit], generators: Sequence[torch.Generator]) -> torch.Tensor:
        """One loss for each pair."""
        tokens, labels, mask = self._tokens(examples)
        device = next(self.network.parameters()).device
        with torch.autocast(device.type, torch.bfloat16, enabled=self._bf16):
            logits = self.network(input_ids=tokens.to(device), attention_mask=mask.to(device)).logits
        wanted = labels[:, 1:].to(device)
        apart = torch.nn.functional.cross_entropy(
            logits[:, :-1].float().transpose(1, 2), wanted, ignore_index=IGNORED, reduction="none"
        )
        counted = (wanted != IGNORED).sum(dim=1)
        return apart.sum(dim=1) / counted

    def prompt_tokens(self, instruction: str) -> list[int]:
        """The tokens before the plan."""
        return prompt_tokens(self._tokenizer, self._settings.prompt, instruction)

    @torch.no_grad()
    def plan(self, instruction: str, most: int = 256) -> str:
        """What the model writes for an instruction, always the likeliest token."""
        before = self.prompt_tokens(instruction)
        device = next(self.network.parameters()).device
        given = torch.tensor([before], device=device)
        made = self.network.generate(
            input_ids=given,
            attention_mask=torch.ones_like(given),
            max_new_tokens=most,
            do_sample=False,
            eos_token_id=self._tokenizer.eos_token_id,
            pad_token_id=self._tokenizer.pad_token_id,
        )
        return str(self._tokenizer.decode(made[0, len(before) :], skip_special_tokens=True)).strip()

    def _tokens(self, examples: Sequence[PlannedEdit]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        rows = [_pair_tokens(example, self._tokenizer, self._settings) for example in examples]
        longest = max(len(before) + len(after) for before, after in rows)
        shape = len(rows), longest
        tokens = torch.full(shape, int(self._tokenizer.pad_token_id))
        labels, mask = torch.full(shape, IGNORED), torch.zeros(shape, dtype=torch.long)
        for number, (before, after) in enumerate(rows):
            length = len(before) + len(after)
            tokens[number, :length] = torch.tensor([*before, *after])
            labels[number, len(before) : length] = torch.tensor(after)
            mask[number, :length] = 1
        return tokens, labels, mask


def longest_pair(pairs: Iterable[PlannedEdit], tokenizer: Any, settings: PlannerSettings) -> int:
    """The tokens of the longest pair with its prompt; BadInput if it has more than ``most_tokens``."""
    return max(sum(map(len, _pair_tokens(pair, tokenizer, settings))) for pair in pairs)


def _pair_tokens(pair: PlannedEdit, tokenizer: Any, settings: PlannerSettings) -> tuple[list[int], list[int]]:
    """The tokens before a plan, and those of the plan; BadInput if there are too many."""
    before = prompt_tokens(tokenizer, settings.prompt, pair.instruction)
    after = [*tokenizer(pair.plan, add_special_tokens=False)["input_ids"], tokenizer.eos_token_id]
    if len(before) + len(after) > settings.most_tokens:
        raise BadInput(
            f"{pair.id} has {len(before) + len(after)} tokens with its plan, more than [planner] "
            f"most_tokens = {settings.most_tokens}; raise it, or leave the pair out"
        )
    return before, after
