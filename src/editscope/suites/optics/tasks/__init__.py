"""The tasks, one group of them in each file."""

from __future__ import annotations

from collections.abc import Mapping

from editscope.suites.optics.tasks import glass, lamps, mirrors, objects, states
from editscope.suites.physics.edit import Task

TASKS: Mapping[str, Task] = {**lamps.TASKS, **objects.TASKS, **mirrors.TASKS, **glass.TASKS, **states.TASKS}
"""The function of each task: a scene and an edit of it from random choices."""
