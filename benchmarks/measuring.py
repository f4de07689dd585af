"""What several benchmarks measure alike: processor time, and shares with their intervals."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable

from editscope.stats.diagnosis.reasoning import share


def least_cpu_s(work: Callable[[], object], times: int = 3, *, warm: bool = True) -> float:
    """The least CPU time of some calls, of all threads, in seconds. ``warm`` makes one more call before them."""
    if warm:
        work()
    spent = []
    for _ in range(times):
        start = time.process_time()
        work()
        spent.append(time.process_time() - start)
    return min(spent)


def children_cpu_s() -> float:
    """CPU seconds of all finished child processes, and of theirs."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def share_text(right: int, n: int) -> str:
    """A share with its 95 % interval, such as ``0.90 [0.60, 0.98]``."""
    interval = share(right, n)
    if interval is None:
        return "–"
    return f"{right / n:.2f} [{(interval.lo or 0.0) / 100:.2f}, {(interval.hi or 0.0) / 100:.2f}]"
