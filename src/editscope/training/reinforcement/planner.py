"""Planner: a language model that turns picture and instruction into a short plan, and learns by GRPO on its tokens."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import torch

from editscope.errors import BadInput
from editscope.training.data.examples import EditExample
from editscope.training.planner.folders import save_planner
from editscope.training.planner.prompts import PlannerPrompt, filled, prompt_tokens
from editscope.training.reinforcement.grpo import clipped_loss
from editscope.training.reinforcement.learners import Learner, LossPart, part_of
from editscope.training.reinforcement.policies import Reference, reference_of
from editscope.training.reinforcement.settings import ReinforcementSettings

PROMPT = (
    "You plan an edit of the picture. The instruction is: {instruction}\n"
    "Write in one or two sentences what changes, where, and what it looks like afterwards. Write only the plan."
)

Encoded: TypeAlias = Mapping[str, torch.Tensor]
"""The input of a model before it writes: ``input_ids`` of one row, and whatever else its processor makes."""


@dataclass(frozen=True, slots=True, eq=False)
class WrittenPlans:
    """Plans of one example: their tokens, which of them were written, and how likely each was."""

    prompt: Encoded
    tokens: torch.Tensor
    written: torch.Tensor
    texts: tuple[str, ...]
    log_probabilities: torch.Tensor


class Planner:
    """A causal language model of transformers with the encoder of its prompt.

    ``encode`` returns the tensors of one example's prompt; ``chat_encoder`` makes one of a tokenizer or processor.
    ``prompt`` is saved with the weights. Special tokens other than the end are never written, and count as impossible:
    a plan with the mark of a picture in it could not be read back by the model.
    """

    def __init__(
        self,
        network: torch.nn.Module,
        tokenizer: Any,
        encode: Callable[[EditExample], Encoded],
        *,
        most_tokens: int = 128,
        temperature: float = 1.0,
        prompt: PlannerPrompt | None = None,
    ) -> None:
        self.network = network
        self._prompt = prompt
        self._tokenizer = tokenizer
        self._encode = encode
        self._most = most_tokens
        self._temperature = temperature
        self._end = tokenizer.eos_token_id
        self._pad = tokenizer.pad_token_id if tokenizer.pad_token_id is not None else self._end
        if self._end is None:
            raise BadInput("the planner's tokenizer has no end-of-text token (eos_token); set one")
        special = {*tokenizer.all_special_ids, *_special_added(tokenizer)}
        self._never = sorted(special - {self._end})

    def save(self, folder: Path) -> None:
        """Write the trained weights (a LoRA or all), the tokenizer, and the prompt."""
        save_planner(self.network, self._tokenizer, self._prompt, folder)

    @torch.no_grad()
    def write(self, example: EditExample, count: int, seed: int) -> WrittenPlans:
        """Plans of an example, drawn from the model as it is (no cut of unlikely tokens)."""
        device = next(self.network.parameters()).device
        prompt = {name: value.to(device) for name, value in self._encode(example).items()}
        devices = [device] if device.type == "cuda" else []
        with torch.random.fork_rng(devices=devices):
            torch.manual_seed(seed)
            tokens = self._generate(prompt, count)[:, prompt["input_ids"].shape[1] :]
        ended = (tokens == self._end).int().cumsum(1)
        written = (ended == 0) | ((ended == 1) & (tokens == self._end))
        texts = [
            self._tokenizer.decode(row[mask], skip_special_tokens=True)
            for row, mask in zip(tokens, written, strict=True)
        ]
        empty = tokens.new_zeros(tokens.shape, dtype=torch.float32)
        plans = WrittenPlans(prompt, tokens, written, tuple(" ".join(str(text).split()) for text in texts), empty)
        return WrittenPlans(prompt, tokens, written, plans.texts, self.log_probabilities(plans))

    def log_probabilities(self, plans: WrittenPlans) -> torch.Tensor:
        """The log-probability of every token, plans × tokens; 0 behind the end of a plan."""
        count, length = plans.tokens.shape
        given = {name: self._extended(name, value, plans) for name, value in plans.prompt.items()}
        given.setdefault("attention_mask", torch.cat([_ones(plans, count), plans.written.long()], dim=1))
        logits = self.network(**given, use_cache=False).logits[:, -length - 1 : -1].float() / self._temperature
        logits[:, :, self._never] = -torch.inf
        tokens = torch.where(plans.written, plans.tokens, torch.full_like(plans.tokens, self._end))
        chosen = torch.log_softmax(logits, dim=-1).gather(2, tokens[:, :, None])[:, :, 0]
        return chosen * plans.written

    def _generate(self, prompt: Encoded, count: int) -> torch.Tensor:
        from transformers import GenerationConfig

        ways = GenerationConfig(
            do_sample=True,
            temperature=self._temperature,
            top_k=0,
            top_p=1.0,
            repetition_penalty=1.0,
            max_new_tokens=self._most,
            num_return_sequences=count,
            suppress_tokens=self._never or None,
            eos_token_id=self._end,
            pad_token_id=self._pad,
        )
        network: Any = self.network
        tokens: torch.Tensor = network.generate(**prompt, generation_config=ways)
        return tokens

    def _extended(self, name: str, value: torch.Tensor, plans: WrittenPlans) -> torch.Tensor:
        """A tensor of the prompt for all plans: repeated, and with the tokens of the plans behind it."""
        count = len(plans.tokens)
        repeated = value.repeat(count, *[1] * (value.ndim - 1))
        if value.shape != plans.prompt["input_ids"].shape:
            return repeated
        filler = torch.full_like(plans.tokens, self._pad)
        behind = {
            "input_ids": torch.where(plans.written, plans.tokens, filler),
            "attention_mask": plans.written.to(value.dtype),
        }
        return torch.cat([repeated, behind.get(name, torch.zeros_like(plans.tokens)).to(value.dtype)], dim=1)


def text_encoder(tokenizer: Any, prompt: str) -> Callable[[EditExample], Encoded]:
    """Encodes an example as text fine-tuning does, so that a planner from there continues with the same prompt."""

    def encode(example: EditExample) -> Encoded:
        tokens = torch.tensor([prompt_tokens(tokenizer, prompt, example.instruction)])
        return {"input_ids": tokens, "attention_mask": torch.ones_like(tokens)}

    return encode


def chat_encoder(processor: Any, prompt: str = PROMPT, *, pictures: bool) -> Callable[[EditExample], Encoded]:
    """Encodes an example as a chat of one turn, with its pictures if the model sees any.

    ``processor`` is a tokenizer or, for pictures, a processor. A tokenizer without a chat template gets the text alone.
    """

    def encode(example: EditExample) -> Encoded:
        text = filled(prompt, example.instruction)
        if getattr(processor, "chat_template", None) is None:
            return {"input_ids": processor(text, return_tensors="pt")["input_ids"]}
        shown = [{"type": "image"} for _ in example.pictures]
        # Templates of language models may drop a content that is not a string, as that of Qwen3 does.
        chat = [{"role": "user", "content": [*shown, {"type": "text", "text": text}] if pictures else text}]
        written = processor.apply_chat_template(chat, add_generation_prompt=True, tokenize=False)
        if not pictures:
            return dict(processor(written, return_tensors="pt", add_special_tokens=False))
        from PIL import Image

        seen = [Image.fromarray(picture) for picture in example.pictures]
        return dict(processor(text=[written], images=[seen], return_tensors="pt"))

    return encode


def joined(template: str, instruction: str, plan: str) -> str:
    """The instruction with its plan, as the painter gets it; without a plan the instruction alone.

    >>> joined("{instruction} Plan: {plan}", "Melt the ice.", "A puddle."), joined("…{plan}", "Melt the ice.", "")
    ('Melt the ice. Plan: A puddle.', 'Melt the ice.')
    """
    return template.format(instruction=instruction, plan=plan) if plan else instruction


class PlannerGrpo(Learner[WrittenPlans]):
    """The planner as a policy whose actions are tokens: clipped ratios, and the KL of DeepSeekMath's GRPO.

    The loss of a plan is the mean over its tokens; the KL to the reference is estimated by ``e^d - d - 1`` with
    ``d = log p_reference - log p``.
    """

    name = "planner"

    def __init__(self, planner: Planner, optimizer: torch.optim.Optimizer, settings: ReinforcementSettings) -> None:
        super().__init__(planner.network, optimizer)
        self._planner = planner
        self._settings = settings
        self._reference: Reference | None = reference_of(planner.network) if settings.planner_kl > 0 else None

    def sampling(self) -> AbstractContextManager[None]:
        """The weights as they are."""
        return nullcontext()

    @property
    def parts(self) -> int:
        """One: all tokens of a batch of plans go through the model at once."""
        return 1

    def losses(self, batch: WrittenPlans, advantages: Sequence[float | None], salt: int) -> Iterator[LossPart]:
        """The loss of a batch of plans."""
        device = batch.tokens.device
        counted = torch.tensor([float(one is not None) for one in advantages], device=device)
        values = torch.tensor([one or 0.0 for one in advantages], device=device)
        pulled = None
        if self._reference is not None:
            with self._reference.in_place():
                pulled = self._planner.log_probabilities(batch)
        likely = self._planner.log_probabilities(batch)
        log_ratio = likely - batch.log_probabilities
        loss = clipped_loss(log_ratio, values[:, None].expand_as(log_ratio), self._settings.planner_clip)
        ratio = log_ratio.detach().exp()
        numbers = {
            "ratio": ratio,
            "clipped": ((ratio - 1).abs() > self._settings.planner_clip).float(),
            "policy_loss": loss.detach(),
        }
        if pulled is not None:
            gap = pulled - likely
            divergence = gap.exp() - gap - 1
            loss = loss + self._settings.planner_kl * divergence
            numbers["kl"] = divergence.detach()
        summed = {name: _per_plan(value, batch.written) for name, value in numbers.items()}
        summed["tokens"] = batch.written.sum(1).float()
        yield part_of(_per_plan(loss, batch.written), summed, counted)


def _per_plan(values: torch.Tensor, written: torch.Tensor) -> torch.Tensor:
    """The mean over the written tokens of each plan."""
    return (values * written).sum(1) / written.sum(1).clamp(min=1)


def _special_added(tokenizer: Any) -> list[int]:
    """The special tokens that were added to a vocabulary, such as marks of pictures."""
    return [number for number, token in tokenizer.added_tokens_decoder.items() if token.special]


def _ones(plans: WrittenPlans, count: int) -> torch.Tensor:
    return torch.ones(count, plans.prompt["input_ids"].shape[1], dtype=torch.long, device=plans.tokens.device)
