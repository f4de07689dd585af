"""The time left of a long task, told once it means something, and how fast the task goes."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

LEAST_STEPS = 8
LEAST_S = 3.0
WINDOW_S = 60.0
STEADY = 2.0
GRAIN_S = 0.05


class TimeLeft:
    """How fast the steps of a task follow one another.

    The clock starts with the first step, so what comes before it (starting processes, compiling, loading a model) does
    not count. The time left is told after ``LEAST_STEPS`` steps and ``LEAST_S`` seconds, and while the earlier and the
    later half of the last ``WINDOW_S`` seconds differ by less than a factor of ``STEADY``.

    >>> seconds = iter(range(100))
    >>> task = TimeLeft(clock=lambda: next(seconds))
    >>> for done in range(1, 8):
    ...     task.step(done, 40)
    >>> task.left_s() is None
    True
    >>> for done in range(8, 11):
    ...     task.step(done, 40)
    >>> task.left_s()
    30.0
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._first: tuple[float, int] | None = None
        self._marks: deque[tuple[float, int]] = deque()
        self._total = 0

    def step(self, done: int, total: int) -> None:
        """Note that so many steps are done by now, of so many."""
        mark = (self._clock(), done)
        self._total = total
        self._first = self._first or mark
        if len(self._marks) > 1 and mark[0] - self._marks[-2][0] < GRAIN_S:
            self._marks.pop()
        self._marks.append(mark)
        while len(self._marks) > LEAST_STEPS + 1 and self._marks[0][0] < mark[0] - WINDOW_S:
            self._marks.popleft()

    def rate(self) -> float | None:
        """Steps per second since the first one; None before the second."""
        if self._first is None or self._marks[-1][0] <= self._first[0]:
            return None
        return (self._marks[-1][1] - self._first[1]) / (self._marks[-1][0] - self._first[0])

    def left_s(self) -> float | None:
        """Seconds until the last step, at the recent pace; None as long as nobody can tell."""
        if not self._marks:
            return None
        (began, before), (now, done) = self._marks[0], self._marks[-1]
        if done - before < LEAST_STEPS or now - began < LEAST_S or done >= self._total:
            return None
        middle = next(mark for mark in self._marks if mark[0] >= (began + now) / 2)
        if not began < middle[0] < now:
            return None
        early, late = (middle[1] - before) / (middle[0] - began), (done - middle[1]) / (now - middle[0])
        if not early < STEADY * late < STEADY * STEADY * early:
            return None
        return (self._total - done) * (now - began) / (done - before)


def left_in_words(seconds: float) -> str:
    """The time left, as exactly as it is worth.

    >>> left_in_words(7.4), left_in_words(95), left_in_words(4000)
    ('7 s left', '2 min left', '1 h 7 min left')
    """
    if seconds < 59.5:
        return f"{seconds:.0f} s left"
    minutes = round(seconds / 60)
    return f"{minutes} min left" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min left"
