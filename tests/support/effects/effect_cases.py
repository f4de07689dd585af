"""A suite of small pictures with known effects: an object, its shadow, its mirror image, and fog."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

import editscope as es
from editscope.cases import Aggregation, Effect, Group, Instruction
from editscope.images import Pixels
from editscope.scoring import srgb_bytes
from editscope.suites.base import short_hash

SPEC = "python:support.effects.effect_cases:load"
SIDE = 64
LEVELS = ("superficial", "intermediate", "explicit")
TASKS = {"remove_object": "light_propagation", "recolor_mirrored": "reflection", "fog": "global_state"}


class Scenes(es.Suite):
    """Cases of three tasks; fog has no direct effect."""

    name = "scenes"
    aggregation = Aggregation(
        Group("overall", (), ("task",)),
        (Group("law", ("law",), ("task",)), Group("task", ("task",)), Group("level", ("level",), ("task",))),
        strata=("task",),
        headline="consequences",
    )

    def __init__(self, per_task: int = 6) -> None:
        self.options: Mapping[str, Any] = {"per_task": per_task}
        self._ids = tuple(f"{task}/{number:03d}" for task in TASKS for number in range(per_task))

    @property
    def ids(self) -> tuple[str, ...]:
        """By task and number."""
        return self._ids

    def tags(self, case_id: str) -> Mapping[str, str]:
        """Law, task and level."""
        task, number = case_id.split("/")
        return {"law": TASKS[task], "task": task, "level": LEVELS[int(number) % len(LEVELS)]}

    def case(self, case_id: str) -> es.Case:
        """One case, drawn."""
        task, number = case_id.split("/")
        before, answer, effects = _drawn(task, np.random.default_rng(int(number)))
        ignored = np.zeros((SIDE, SIDE), np.bool_)
        ignored[-4:] = task == "remove_object"
        words = (Instruction(f"Do it: {task}."),)
        return es.Case(
            case_id, self.name, (before,), words, self.tags(case_id), answer, effects=effects, ignored=ignored
        )

    @property
    def fingerprint(self) -> str:
        """The options decide everything."""
        return short_hash(*self.options.items())


def load(per_task: int = 6) -> Scenes:
    """The suite."""
    return Scenes(int(per_task))


def _drawn(task: str, rng: np.random.Generator) -> tuple[Pixels, Pixels, tuple[Effect, ...]]:
    rows, columns = np.mgrid[0:SIDE, 0:SIDE]
    ground = np.where(((rows // 8 + columns // 8) % 2)[..., None] == 1, (0.5, 0.45, 0.4), (0.3, 0.32, 0.35))
    thing, shadow, mirrored = (np.zeros((SIDE, SIDE), np.bool_) for _ in range(3))
    top, left = (int(place) for place in rng.integers(6, 14, size=2))
    thing[top : top + 14, left : left + 14] = True
    shadow[top + 16 : top + 30, left + 8 : left + 26] = True
    mirrored[top : top + 14, 44:58] = True
    color = rng.uniform(0.2, 0.9, size=3)
    bare = ground.copy()
    full = np.where(shadow[..., None], 0.4 * ground, ground)
    full[thing], full[mirrored] = color, 0.6 * color
    if task == "fog":
        fog = np.zeros((SIDE, SIDE), np.bool_)
        fog[: SIDE // 2] = True
        foggy = np.where(fog[..., None], 0.5 * full + 0.45, full)
        return srgb_bytes(full), srgb_bytes(foggy), (Effect("fog", fog),)
    if task == "remove_object":
        effects = (Effect("object", thing, direct=True), Effect("shadow", shadow), Effect("mirror_image", mirrored))
        return srgb_bytes(full), srgb_bytes(bare), effects
    recolored = full.copy()
    recolored[thing], recolored[mirrored] = 1 - color, 0.6 * (1 - color)
    both = (Effect("object", thing, direct=True), Effect("mirror_image", mirrored))
    return srgb_bytes(full), srgb_bytes(recolored), both
