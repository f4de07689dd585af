"""The record of training: pictures, an instruction, and the picture that should come out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from editscope.cases import NOTHING, Case
from editscope.images import Pixels


@dataclass(frozen=True, slots=True, eq=False)
class EditExample:
    """One edit to learn from.

    ``part`` is the part of the mixture that it comes from, ``level`` the level of its instruction. ``answer`` is None
    where only rewards say what is right; ``case`` is there where a suite's rubric is to judge an edit of it.
    """

    id: str
    part: str
    pictures: tuple[Pixels, ...]
    instruction: str
    answer: Pixels | None = None
    level: str = "default"
    tags: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    case: Case | None = None
