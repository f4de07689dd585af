"""Prompts of planners: text fine-tuning saves its prompt, and reinforcement learning starts with it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from editscope.documents import Malformed, read_json
from editscope.errors import BadInput
from editscope.files import DOCUMENT, read_file
from editscope.runfolder.files import write_whole

FILE = "planner_prompt.json"
PLACE = "{instruction}"


@dataclass(frozen=True, slots=True)
class PlannerPrompt:
    """The prompt of a planner.

    ``{instruction}`` in ``text`` stands for the instruction; without it, the instruction follows after an empty line.
    ``text_only`` says that the planner learned from texts, with ``prompt_tokens`` and without pictures.
    """

    text: str
    text_only: bool = False


def filled(prompt: str, instruction: str) -> str:
    """A prompt with its instruction.

    >>> filled("Plan this: {instruction}", "melt it"), filled("Plan an edit.", "melt it")
    ('Plan this: melt it', 'Plan an edit.\\n\\nmelt it')
    """
    return prompt.replace(PLACE, instruction) if PLACE in prompt else f"{prompt}\n\n{instruction}"


def prompt_tokens(tokenizer: Any, prompt: str, instruction: str) -> list[int]:
    """The tokens before a plan: a turn of a chat if the tokenizer has a template, otherwise plain text."""
    text = filled(prompt, instruction)
    if tokenizer.chat_template:
        text = tokenizer.apply_chat_template(
            [{"role": "user", "content": text}], add_generation_prompt=True, tokenize=False
        )
    else:
        text = f"{text}\n\n"
    return list(tokenizer(text, add_special_tokens=False)["input_ids"])


def save_prompt(folder: Path, prompt: PlannerPrompt) -> None:
    """Save the prompt beside trained weights, whole or not at all."""
    document = {"prompt": prompt.text, "text_only": prompt.text_only}
    write_whole(folder / FILE, (json.dumps(document, ensure_ascii=False, indent=2) + "\n").encode())


def read_prompt(folder: Path, where: str) -> PlannerPrompt | None:
    """The prompt beside weights; None if there is none, BadInput if it cannot be read."""
    path = folder / FILE
    if not path.is_file():
        return None
    try:
        document = read_json(read_file(path, DOCUMENT))
        text, text_only = (
            (document.get(name) for name in ("prompt", "text_only")) if isinstance(document, dict) else ("", None)
        )
        if not isinstance(text, str) or not text.strip() or not isinstance(text_only, bool):
            raise Malformed("it has no prompt")
    except (OSError, Malformed) as error:
        raise BadInput(
            f"{where} model: {path} cannot be read ({error}); remove it and write the prompt as [planner] prompt"
        ) from error
    return PlannerPrompt(text, text_only)
