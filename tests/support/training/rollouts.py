"""Small examples and rollouts for tests of rewards."""

from __future__ import annotations

from typing import Any

import numpy as np

from editscope.cases import Case
from editscope.images import ImageLike, Pixels
from editscope.training.data.examples import EditExample
from editscope.training.rewards.base import Rollout

INSTRUCTION = "Let the pear lie in the sun for one month."
SOURCE = np.random.default_rng(5).integers(0, 200, (24, 32, 3), dtype=np.uint8)
ANSWER = SOURCE.copy()
ANSWER[4:12, 6:20] = (250, 240, 10)


def an_example(number: int = 0, **changed: Any) -> EditExample:
    """An example whose answer has a yellow box."""
    given: dict[str, Any] = {
        "id": f"e{number}",
        "part": "made",
        "pictures": (SOURCE,),
        "instruction": INSTRUCTION,
        "answer": ANSWER,
    }
    return EditExample(**{**given, **changed})


def a_rollout(picture: Pixels = ANSWER, plan: str = "Apples rot: it turns brown.", **changed: Any) -> Rollout:
    """A rollout of such an example."""
    return Rollout(an_example(**changed), picture, plan)


def shades(count: int) -> list[Rollout]:
    """Rollouts with pictures that all differ."""
    return [a_rollout(np.full_like(SOURCE, 5 * number), plan=f"Plan {number}.") for number in range(count)]


def answer_of(case: Case) -> ImageLike:
    """The answer of a case that has one."""
    assert case.answer is not None
    return case.answer


def rollouts(shade: int, count: int = 2, size: int = 32) -> list[Rollout]:
    """Edits of cases whose pictures have one color."""
    made = []
    for number in range(count):
        source = np.full((size, size, 3), 40 * number, np.uint8)
        answer = np.full((size, size, 3), 255, np.uint8)
        example = EditExample(f"border/{number}", "paintbench", (source,), "Paint it white.", answer)
        made.append(Rollout(example, np.full((size, size, 3), shade, np.uint8)))
    return made
