"""Problems that tasks return, the register of tasks, and the rejection of an attempt."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from editscope.images import Pixels
from editscope.suites.generated.seeded_random import SeededRandom
from editscope.suites.paintbench.geometry import Affine
from editscope.suites.paintbench.raster import Plane

if TYPE_CHECKING:
    from editscope.suites.paintbench.scene import Scene

MIN_CHANGED = 64
"""An edit must change at least this many pixels, or a person would not see that there was one."""


class Reject(Exception):
    """This attempt makes no valid problem; the message says which rule it broke."""


def require(condition: bool, rule: str) -> None:
    """Turn the attempt down unless the rule holds."""
    if not condition:
        raise Reject(rule)


@dataclass(frozen=True, eq=False)
class Problem:
    """An instruction with the picture before and the one right picture after.

    Pictures are planes of indices into the scene's colors followed by ``extra_colors``, or RGB for the
    answers that have more than 256 colors. ``moved`` is the map of the shape that moves, where one does; it is for
    training and no part of a problem's description.
    """

    instruction: str
    before: Plane
    after: Plane | Pixels
    details: Mapping[str, Any] = field(default_factory=dict)
    extra_colors: tuple[tuple[int, int, int], ...] = ()
    moved: Affine | None = None


Task = Callable[["Scene", SeededRandom, str], Problem]
_TASKS: dict[str, Task] = {}


def task(name: str) -> Callable[[Task], Task]:
    """Register the function that makes the problems of a task: (empty scene, rng, mode) → Problem."""

    def register(function: Task) -> Task:
        _TASKS[name] = function
        return function

    return register


def task_named(name: str) -> Task:
    """The function of a task."""
    from editscope.suites.paintbench import tasks

    tasks.register_all()
    return _TASKS[name]
