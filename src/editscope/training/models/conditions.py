"""Conditions of several edits as one, and moved between devices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from editscope.errors import BadInput
from editscope.training.models.base import Condition


def together(conditions: Sequence[Condition]) -> Condition:
    """One condition for all edits; texts of different lengths are filled up with zeros.

    >>> short, long = ({"text": torch.ones(1, length, 2)} for length in (3, 5))
    >>> together([short, long])["text"].shape
    torch.Size([2, 5, 2])
    """
    return {name: _joined(name, [one[name] for one in conditions]) for name in conditions[0]}


def moved(condition: Condition, *args: Any) -> Condition:
    """The condition on another device, or in another precision."""
    return {name: value.to(*args) for name, value in condition.items()}


def _joined(name: str, values: Sequence[torch.Tensor]) -> torch.Tensor:
    longest = max(value.shape[1] if value.ndim > 1 else 0 for value in values)
    if len({value.shape[2:] for value in values}) > 1 or (
        name == "pictures" and len({value.shape[1] for value in values}) > 1
    ):
        raise BadInput(
            "edits of one batch have input pictures of different sizes or numbers; put them into batches apart"
        )
    return torch.cat([_filled(value, longest) for value in values])


def _filled(value: torch.Tensor, length: int) -> torch.Tensor:
    if value.ndim < 2 or value.shape[1] == length:
        return value
    more = value.new_zeros(value.shape[0], length - value.shape[1], *value.shape[2:])
    return torch.cat([value, more], dim=1)
