"""A suite of any number of tiny cases and an editor of any speed, for the benchmarks of the Ray engine."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import numpy as np

import editscope as es
from editscope.cases import Aggregation, Group, Instruction
from editscope.suites.base import short_hash


class Tiny(es.Suite):
    """Cases of one square on a ground; the answer has it in another color."""

    name = "tiny"
    aggregation = Aggregation(Group("overall", ()), (), ("task",))

    def __init__(self, cases: int, side: int = 64) -> None:
        self.options: Mapping[str, Any] = {"cases": cases, "side": side}
        self._side = side
        self._ids = tuple(f"{number:06d}" for number in range(cases))

    @property
    def ids(self) -> tuple[str, ...]:
        """Numbers, from 0."""
        return self._ids

    def tags(self, case_id: str) -> Mapping[str, str]:
        """All cases are alike."""
        return {"task": "recolor"}

    def case(self, case_id: str) -> es.Case:
        """One case, drawn."""
        rng = np.random.default_rng(int(case_id))
        ground, before, after = rng.integers(0, 256, (3, 3), np.uint8)
        source = np.full((self._side, self._side, 3), ground, np.uint8)
        part = slice(self._side // 4, self._side // 2)
        source[part, part] = before
        answer = source.copy()
        answer[part, part] = after
        return es.Case(case_id, self.name, (source,), (Instruction("Recolor it."),), self.tags(case_id), answer)

    @property
    def fingerprint(self) -> str:
        """The options decide everything."""
        return short_hash(*self.options.items())


class Waits(es.Editor):
    """Gives the picture back after so many seconds of waiting, as one does whose model is elsewhere."""

    def __init__(self, takes: float = 0.0, workers: int = 1) -> None:
        self.takes, self.workers = takes, workers

    def edit(self, case: es.Request) -> Any:
        """The input, later."""
        time.sleep(self.takes)
        return case.arrays[0]
