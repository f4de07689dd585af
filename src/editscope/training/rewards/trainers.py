"""Rewards in the signatures of other people's trainers: TRL, flow_grpo and DDPO, verl-omni."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from editscope.errors import BadInput
from editscope.images import split_batch
from editscope.training.rewards.base import RewardValue
from editscope.training.rewards.function import RewardFunction, scores_of

NAMES: Mapping[str, tuple[str, ...]] = {
    "sources": ("sources", "source", "source_img", "input_image", "images", "image"),
    "answers": ("answers", "answer", "target_img", "target"),
    "instructions": ("instructions", "instruction"),
    "plans": ("plans", "plan"),
    "ids": ("ids", "id", "case_id"),
    "suites": ("suites", "suite"),
    "variants": ("variants", "variant", "level"),
    "cases": ("cases", "case"),
}
"""What columns and metadata may be called, best first."""


def for_trl(function: RewardFunction) -> Callable[..., list[float | None]]:
    """A reward function for ``GRPOTrainer(reward_funcs=[…])`` and trainers with its signature.

    The trainer calls it with ``prompts``, ``completions`` and the columns of its data set. Completions that are texts
    or messages are plans, for rewards of a planner; what a painter made of them may be in a column ``outputs``. Others
    are the pictures themselves. A column ``instruction`` is the instruction; without one it is the prompt. What could
    not be scored is None, which TRL leaves out.
    """

    def reward(prompts: Sequence[Any], completions: Any = None, **columns: Any) -> list[float | None]:
        given = _named(columns)
        outputs = columns.get("outputs")
        if completions is None:
            completions = columns.get("images") if outputs is None else outputs
            given = {name: values for name, values in given.items() if values is not completions}
        if completions is None:
            raise BadInput("the trainer gave neither completions nor images")
        given.setdefault("instructions", [_text(prompt) for prompt in prompts])
        if _are_texts(completions):
            given["plans"] = [_text(completion) for completion in completions]
            outputs = _shown(given, len(completions)) if outputs is None else outputs
        else:
            outputs = completions
        return [value.value for value in function.values(outputs, **given)]

    reward.__name__ = function.__name__
    return reward


def for_flow_grpo(function: RewardFunction) -> Callable[..., tuple[dict[str, list[float]], dict[str, Any]]]:
    """A reward function for flow_grpo, instead of its ``multi_score``; TRL's DDPO calls it the same way.

    It is called with ``images`` (N × 3 × height × width from 0 to 1, or a list), ``prompts`` and ``metadata``, a
    mapping for each image: ``id`` and ``suite`` of a problem, or ``source`` and ``answer``. ``ref_images`` are the
    sources where metadata has none. It gives the scores of each reward by name, their weighted sum as "avg", and
    statuses and reasons.
    """

    def reward(
        images: Any,
        prompts: Sequence[str],
        metadata: Sequence[Mapping[str, Any]] | None = None,
        *more: Any,
        **named: Any,
    ) -> tuple[dict[str, list[float]], dict[str, Any]]:
        references = more[0] if more else named.get("ref_images")
        count = len(split_batch(images, "images", None)[0])
        rows = [{}] * count if metadata is None else list(metadata)
        if len(rows) != count:
            raise BadInput(f"the trainer gave {len(rows)} entries of metadata for {count} images")
        columns = {name: [row.get(name) for row in rows] for row in rows for name in row}
        given = _named(columns)
        given.setdefault("instructions", [_text(prompt) for prompt in prompts])
        if references is not None and not {"sources", "ids", "cases"} & given.keys():
            given["sources"] = list(references)
        parts = function.parts(images, **given)
        totals = function.sum.total(parts)
        return scores_of(parts, function), {
            "status": [value.status for value in totals],
            "reason": [value.reason for value in totals],
        }

    reward.__name__ = function.__name__
    return reward


def for_verl_omni(function: RewardFunction) -> Callable[..., dict[str, Any]]:
    """A ``compute_score`` for verl-omni: one picture at a time, called by keywords.

    ``solution_image`` is the output (3 × height × width from 0 to 1), ``extra_info`` holds ``source_img``,
    ``target_img`` and ``instruction``, or ``id`` and ``suite``; ``ground_truth`` is the instruction where
    ``extra_info`` has none.
    """

    def compute_score(
        data_source: str = "", solution_image: Any = None, ground_truth: Any = None, extra_info: Any = None, **_: Any
    ) -> dict[str, Any]:
        given = _named({name: [value] for name, value in dict(extra_info or {}).items()})
        given.setdefault("instructions", [ground_truth if isinstance(ground_truth, str) else ""])
        picture = solution_image[0] if getattr(solution_image, "ndim", 3) == 4 else solution_image
        parts = function.parts([picture], **given)
        (value,) = function.sum.total(parts)
        numbers = {name: _plain(values[0]) for name, values in parts.items()}
        return {"score": function.number(value), "status": value.status, "reason": value.reason, **numbers}

    return compute_score


def _named(columns: Mapping[str, Any]) -> dict[str, Any]:
    """The columns that a reward knows, by its own names for them; those without any entry are left out."""
    given: dict[str, Any] = {}
    for name, others in NAMES.items():
        for other in others:
            values = columns.get(other)
            if values is not None and any(value is not None for value in values):
                given[name] = values
                break
    return given


def _shown(given: Mapping[str, Any], count: int) -> list[Any]:
    """A picture for each plan where no painter made one: the first source, which rewards of plans do not look at."""
    import numpy as np

    sources = given.get("sources")
    if sources is None:
        return [np.zeros((1, 1, 3), np.uint8)] * count
    return [source[0] if isinstance(source, list | tuple) else source for source in sources]


def _are_texts(completions: Any) -> bool:
    return isinstance(completions, list | tuple) and all(
        isinstance(one, str) or (isinstance(one, list) and all(isinstance(part, Mapping) for part in one))
        for one in completions
    )


def _text(given: Any) -> str:
    """The words of a text, or of the last message of a conversation."""
    if isinstance(given, str):
        return given
    if isinstance(given, list | tuple) and given and isinstance(given[-1], Mapping):
        content = given[-1].get("content", "")
        if isinstance(content, str):
            return content
        return "\n".join(str(part["text"]) for part in content if isinstance(part, Mapping) and "text" in part)
    return "" if given is None else str(given)


def _plain(value: RewardValue) -> float | None:
    return value.value
