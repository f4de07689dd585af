"""The catalog of a suite of scene edits: laws, their tasks, the effects each task is sure to have, seeds, averages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from importlib import import_module
from typing import TYPE_CHECKING

from editscope.cases import Aggregation, Group

if TYPE_CHECKING:
    from editscope.suites.physics.edit import Task

LEVELS = ("superficial", "intermediate", "explicit", "located")
"""How much an instruction explains: the change, the rule too, every consequence too, and where they are."""
DEFAULT_LEVELS = LEVELS[:3]
PER_TASK = 40
SIZE = 512


@dataclass(frozen=True, slots=True, eq=False)
class PhysicsCatalog:
    """What a suite holds. ``tasks_in`` names the module whose ``TASKS`` draws them; it is imported when needed."""

    name: str
    laws: Mapping[str, Mapping[str, tuple[str, ...]]]
    """Laws, their tasks, and the effects that every problem of a task has."""
    tasks_in: str

    @property
    def tasks(self) -> Mapping[str, str]:
        """The law of every task, in the order of the tables."""
        return {task: law for law, tasks in self.laws.items() for task in tasks}

    def task(self, name: str) -> Task:
        """The function that draws edits of a task."""
        tasks: Mapping[str, Task] = import_module(self.tasks_in).TASKS
        return tasks[name]

    def needed_effects(self, task: str) -> tuple[str, ...]:
        """The effects that every problem of a task has."""
        return self.laws[self.tasks[task]][task]

    def tags_of(self, task: str, level: str, number: int) -> dict[str, str]:
        """Law, task and level of a case, and its problem, which all levels share.

        >>> PhysicsCatalog("haze", {"global_state": {"fog": ("fog",)}}, "").tags_of("fog", "explicit", 7)
        {'law': 'global_state', 'task': 'fog', 'level': 'explicit', 'problem': 'fog 007'}
        """
        return {"law": self.tasks[task], "task": task, "level": level, "problem": f"{task} {number:03d}"}

    @property
    def aggregation(self) -> Aggregation:
        """Means of tasks, then of laws, of all cases and of those of one level; a problem is drawn with its levels."""
        return Aggregation(
            overall=Group("overall", (), ("task", "law")),
            groups=(
                Group("law", ("law",), ("task",)),
                Group("task", ("task",)),
                Group("level", ("level",), ("task", "law")),
            ),
            strata=("task",),
            unit="problem",
            orders={"law": tuple(self.laws), "task": tuple(self.tasks), "level": LEVELS},
            headline="consequences",
        )


def seed_of(namespace: str, task: str, number: int) -> int:
    """The seed of a problem, the same at all levels: the first 12 hex digits of a SHA-256.

    >>> seed_of("optics", "lamp_off", 0)
    230534515440849
    """
    return int(sha256(f"{namespace}|{task}|{number}".encode()).hexdigest()[:12], 16)
