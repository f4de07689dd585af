"""Contents of the benchmark: laws, their tasks, the effects each task is sure to have, levels, seeds, averages."""

from __future__ import annotations

from hashlib import sha256

from editscope.cases import Aggregation, Group

LAWS: dict[str, dict[str, tuple[str, ...]]] = {
    "light_source": {
        "lamp_off": ("object", "light"),
        "lamp_on": ("object", "light"),
        "recolor_lamp": ("object", "light"),
        "dim_lamp": ("light",),
        "move_lamp": ("object", "light"),
    },
    "light_propagation": {
        "remove_object": ("object", "shadow"),
        "add_object": ("object", "shadow"),
        "move_object": ("object", "uncovered", "shadow"),
        "move_sun": ("shadow", "shading"),
    },
    "reflection": {
        "remove_mirrored": ("object", "mirror image"),
        "recolor_mirrored": ("object", "mirror image"),
        "move_mirrored": ("object", "uncovered", "mirror image"),
        "matte_to_mirror": ("object",),
        "mirror_to_matte": ("object",),
    },
    "refraction": {
        "remove_glass": ("object",),
        "add_glass": ("object",),
        "recolor_behind_glass": ("object", "refraction"),
    },
    "global_state": {
        "fog": ("fog",),
        "flood": ("water",),
        "time_of_day": ("shadow", "shading"),
    },
    "local_state": {
        "wet_tile": ("wet patch",),
        "light_candle": ("object", "light"),
    },
}
"""Laws, their tasks, and the effects that every problem of a task has."""
TASKS: dict[str, str] = {task: law for law, tasks in LAWS.items() for task in tasks}
LEVELS = ("superficial", "intermediate", "explicit", "located")
DEFAULT_LEVELS = LEVELS[:3]
PER_TASK = 40
SIZE = 512


def seed_of(namespace: str, task: str, number: int) -> int:
    """The seed of a problem, the same at all levels: the first 12 hex digits of a SHA-256.

    >>> seed_of("optics", "lamp_off", 0)
    230534515440849
    """
    return int(sha256(f"{namespace}|{task}|{number}".encode()).hexdigest()[:12], 16)


def needed_effects(task: str) -> tuple[str, ...]:
    """The effects that every problem of a task has."""
    return LAWS[TASKS[task]][task]


def tags_of(task: str, level: str) -> dict[str, str]:
    """Law, task, level and effects of a problem.

    >>> tags_of("fog", "explicit")
    {'law': 'global_state', 'task': 'fog', 'level': 'explicit', 'effects': 'fog'}
    """
    return {"law": TASKS[task], "task": task, "level": level, "effects": "+".join(needed_effects(task))}


AGGREGATION = Aggregation(
    overall=Group("overall", (), ("task", "law")),
    groups=(
        Group("law", ("law",), ("task",)),
        Group("task", ("task",)),
        Group("level", ("level",), ("task",)),
    ),
    strata=("task", "level"),
    orders={"law": tuple(LAWS), "task": tuple(TASKS), "level": LEVELS},
)
