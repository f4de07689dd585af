"""The tasks, one group of them in each file."""

from __future__ import annotations

from collections.abc import Mapping

from editscope.suites.mechanics.tasks import falling, levers, springs, tanks
from editscope.suites.physics.edit import Task

TASKS: Mapping[str, Task] = {**falling.TASKS, **levers.TASKS, **springs.TASKS, **tanks.TASKS}
"""The function of each task: a scene and an edit of it from random choices."""
