"""Examples from a list, without a loader."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from editscope.training.data.examples import EditExample


class ListedExamples:
    """A list of examples, again and again, each time in another order; or ``most`` examples in all."""

    def __init__(self, examples: Sequence[EditExample], seed: int = 0, most: int | None = None) -> None:
        self._examples = list(examples)
        self._seed = seed
        self._most = most
        self._taken = 0

    def take(self, count: int) -> list[EditExample]:
        taken = []
        for _ in range(count):
            if self._taken == self._most:
                raise StopIteration
            taken.append(self._at(self._taken))
            self._taken += 1
        return taken

    def state(self) -> dict[str, Any]:
        return {"taken": self._taken}

    def load_state(self, state: Mapping[str, Any]) -> None:
        self._taken = int(state["taken"])

    def _at(self, number: int) -> EditExample:
        epoch, place = divmod(number, len(self._examples))
        order = list(range(len(self._examples)))
        Random(f"{self._seed}|{epoch}").shuffle(order)
        return self._examples[order[place]]
