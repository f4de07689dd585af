"""Problems without end, for training: number n of a stream is always the same problem."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from typing import ClassVar

from editscope.cases import Case, Instruction
from editscope.suites.generated.seeded_random import SeededRandom
from editscope.suites.generated.suite import GeneratedProblem, pixels_of


def training_namespace(seed: int) -> str:
    """The namespace of a stream. It has spaces in it, which no set may have: ``valid_namespace`` refuses them.

    >>> training_namespace(7)
    'training stream 7'
    """
    return f"training stream {seed}"


def held_out_namespace(seed: int) -> str:
    """The namespace of problems that a training looks at and never trains on: no stream and no set has it.

    >>> held_out_namespace(7)
    'held-out stream 7'
    """
    return f"held-out stream {seed}"


@dataclass(frozen=True, slots=True)
class StreamPlace:
    """What is made at a number of a stream: a problem of the cell, with so many of that cell before it."""

    cell: tuple[str, ...]
    turn: int


class ProblemStream(ABC):
    """Problems by number. Each round has one problem of every cell, in an order of its own.

    A class of this kind is the ``stream`` of a benchmark's record. It is called with a namespace and the options of
    the benchmark that decide what is drawn.
    """

    name: ClassVar[str]
    """The benchmark whose problems they are."""
    compiled_in: ClassVar[tuple[str, ...]] = ()
    """Modules with compiled functions, as of a suite."""
    cells: Sequence[tuple[str, ...]]

    def __init__(self, namespace: str) -> None:
        self.namespace = namespace

    def place(self, number: int) -> StreamPlace:
        """What stands at a number, without making it."""
        turn, position = divmod(number, len(self.cells))
        return StreamPlace(self.cells[_order(self.namespace, turn, len(self.cells))[position]], turn)

    @abstractmethod
    def make(self, place: StreamPlace) -> GeneratedProblem:
        """The problem of a place."""

    @abstractmethod
    def size(self, place: StreamPlace) -> tuple[int, int]:
        """Width and height of the pictures of a place."""

    @abstractmethod
    def tags(self, place: StreamPlace) -> Mapping[str, str]:
        """The tags of a problem, as in a set."""

    @abstractmethod
    def seeds(self, place: StreamPlace) -> Iterator[int]:
        """The seeds that a problem may be drawn from, the likeliest first."""

    def check(self) -> None:  # noqa: B027 - most generators make a problem of every seed
        """Raise BadInput where problems of some cell cannot be made with these options."""

    def case(self, number: int) -> Case:
        """The problem at a number, as a case."""
        place = self.place(number)
        problem = self.make(place)
        before = pixels_of(problem.input)
        return Case(
            id=f"{self.namespace}/{number}",
            suite=self.name,
            images=(before,),
            instructions=(Instruction(problem.sidecar["instruction"]),),
            tags={**self.tags(place), "split": "train"},
            answer=pixels_of(problem.answer),
            details=problem.sidecar,
        )


@lru_cache(maxsize=64)
def _order(namespace: str, turn: int, cells: int) -> tuple[int, ...]:
    seed = int(sha256(f"{namespace}|order|{turn}".encode()).hexdigest()[:12], 16)
    return tuple(SeededRandom(seed).shuffled(range(cells)))
