"""Proof that a stream of training problems has none of a test set: their pictures are compared, and their seeds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice

import numpy as np
import numpy.typing as npt

from editscope.errors import BadInput
from editscope.images import Indexed, Pixels, cover, load
from editscope.suites.base import Suite
from editscope.suites.generated.stream import ProblemStream
from editscope.suites.generated.suite import pixels_of

SIDE = 32
"""Pixels along each side of the grid by which pictures are compared first."""
FEW = 10
"""Of the 1,024 pixels of the grid, how many may differ before a pair is not worth a closer look."""
UNLIKE = 12
"""By how much a channel must differ for a pixel to be unlike: less is a matter of rasterization."""
SAME = 0.005
"""The share of unlike pixels up to which two pictures show one problem: a shape that moves changes more."""
SEEDS = 8
"""How many seeds of a training problem are compared; a ninth attempt is hardly ever needed."""


@dataclass(frozen=True, slots=True)
class KnownProblem:
    """A problem of a test set."""

    suite: Suite
    case_id: str


@dataclass(frozen=True, eq=False)
class KnownProblems:
    """What is compared with: the problems of test sets, the grids of their inputs, and their seeds."""

    problems: Sequence[KnownProblem]
    grids: npt.NDArray[np.uint16]
    seeds: frozenset[int]


@dataclass(frozen=True, slots=True)
class ClosePair:
    """A training problem and a test problem that look alike, and the share of pixels in which their inputs differ."""

    number: int
    case_id: str
    unlike: float


@dataclass
class DisjointReport:
    """What came of a comparison."""

    problems: int = 0
    close: list[ClosePair] = field(default_factory=list)

    @property
    def same(self) -> list[ClosePair]:
        """Training problems whose input is that of a test problem."""
        return [pair for pair in self.close if pair.unlike <= SAME]

    @property
    def nearest(self) -> ClosePair | None:
        """The pair whose pictures differ least."""
        return min(self.close, key=lambda pair: pair.unlike, default=None)

    def add(self, other: DisjointReport) -> None:
        """Count another part of the stream in."""
        self.problems += other.problems
        self.close += other.close


def known_problems(stream: type[ProblemStream], suites: Iterable[Suite]) -> KnownProblems:
    """The problems of test sets of the benchmark of a stream."""
    problems: list[KnownProblem] = []
    grids: list[npt.NDArray[np.uint16]] = []
    seeds: set[int] = set()
    for suite in suites:
        if suite.name != stream.name:
            raise BadInput(f"problems of {suite.name} cannot be compared with the stream of {stream.name}")
        for case_id in suite.ids:
            case = suite.case(case_id)
            problems.append(KnownProblem(suite, case_id))
            grids.append(grid_of(load(case.images[0])))
            seeds |= {case.details["seed"]} - {None}
    return KnownProblems(problems, np.array(grids), frozenset(seeds))


def compare_problems(stream: ProblemStream, known: KnownProblems, numbers: Iterable[int]) -> DisjointReport:
    """Make the problems at these numbers and compare the input of each with that of every test problem.

    Inputs of one problem agree in all pixels, so also in those of a grid. Pairs that agree in most of the
    grid are compared pixel by pixel.
    """
    report = DisjointReport()
    for number in numbers:
        before = stream.make(stream.place(number)).input
        report.problems += 1
        for place in _near(known.grids, grid_of(before)):
            tested = known.problems[place]
            picture = load(tested.suite.case(tested.case_id).images[0])
            report.close.append(ClosePair(number, tested.case_id, unlike(pixels_of(before), picture)))
    return report


def shared_seeds(stream: ProblemStream, known: KnownProblems, numbers: Iterable[int]) -> list[int]:
    """The numbers of training problems that would be drawn from a seed of a test problem."""
    return [n for n in numbers if not known.seeds.isdisjoint(islice(stream.seeds(stream.place(n)), SEEDS))]


def grid_of(picture: Indexed | Pixels) -> npt.NDArray[np.uint16]:
    """The colors of a picture at the points of a grid, five bits a channel, whatever its size.

    >>> grid_of(np.full((64, 32, 3), 255, np.uint8))[:2].tolist()
    [32767, 32767]
    """
    plane = picture.plane if isinstance(picture, Indexed) else picture
    rows, columns = ((2 * np.arange(SIDE) + 1) * side // (2 * SIDE) for side in plane.shape[:2])
    points = plane[rows[:, None], columns].reshape(SIDE * SIDE, -1)
    colors = picture.palette[points[:, 0]] if isinstance(picture, Indexed) else points
    coded: npt.NDArray[np.uint16] = (colors.astype(np.uint16) >> 3) @ np.array([1024, 32, 1], np.uint16)
    return coded


def _near(grids: npt.NDArray[np.uint16], grid: npt.NDArray[np.uint16]) -> npt.NDArray[np.intp]:
    """The places of grids that differ from one in few points; every 16th point rules out most of them."""
    maybe = np.flatnonzero(np.count_nonzero(grids[:, ::16] != grid[::16], axis=1) <= FEW)
    near: npt.NDArray[np.intp] = maybe[np.count_nonzero(grids[maybe] != grid, axis=1) <= FEW]
    return near


def unlike(first: Pixels, second: Pixels) -> float:
    """The share of pixels in which two pictures differ, the first brought to the size of the second.

    >>> black, gray = np.zeros((4, 4, 3), np.uint8), np.zeros((4, 4, 3), np.uint8)
    >>> gray[0] = 128
    >>> unlike(black, gray)
    0.25
    """
    height, width = second.shape[:2]
    apart = np.abs(cover(first, width, height).astype(np.int16) - second).max(axis=2) > UNLIKE
    return float(apart.mean())
