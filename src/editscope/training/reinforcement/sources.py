"""Where a run gets its examples and keeps its checkpoints: what it needs of both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from editscope.errors import BadInput
from editscope.training.data.examples import EditExample


class ExampleSource(Protocol):
    """Examples whose place can be saved, such as those of an ExampleLoader. StopIteration at their end."""

    def take(self, count: int) -> Sequence[EditExample]:
        """The next examples."""

    def state(self) -> dict[str, Any]:
        """The place that it has come to."""

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Go on from a place."""


class Checkpoints(Protocol):
    """Where states of a run are saved."""

    def save(self, step: int, state: Mapping[str, Any]) -> None:
        """Save a state whole or not at all."""

    def latest(self) -> Mapping[str, Any] | None:
        """The last state that was saved whole; None where there is none."""


class ListedExamples:
    """A list of examples, again and again, each time in another order."""

    def __init__(self, examples: Sequence[EditExample], seed: int = 0) -> None:
        if not examples:
            raise BadInput("there is no example to learn from")
        self._examples = list(examples)
        self._seed = seed
        self._taken = 0

    def take(self, count: int) -> list[EditExample]:
        """The next examples."""
        taken = [self._at(self._taken + number) for number in range(count)]
        self._taken += count
        return taken

    def state(self) -> dict[str, Any]:
        """How many were taken."""
        return {"taken": self._taken}

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Go on behind those that were taken."""
        self._taken = int(state["taken"])

    def _at(self, number: int) -> EditExample:
        from random import Random

        epoch, place = divmod(number, len(self._examples))
        order = list(range(len(self._examples)))
        Random(f"{self._seed}|{epoch}").shuffle(order)
        return self._examples[order[place]]
