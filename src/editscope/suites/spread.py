"""The choice of a part of a suite: few cases that touch every row of its tables."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from editscope.cases import Aggregation

T = TypeVar("T")
Cell: TypeAlias = "tuple[Hashable, ...]"
"""The values of a case in all groupings; cases of one cell stand in the same rows of all tables."""

NEW_ROW = 1_000.0
"""What touching a row for the first time counts: more than all shares of a case together."""
NEW_CELL = 1e-3
"""What a combination of rows counts that no case has yet, beside the share of one row."""
WORK = 60_000_000
"""How many cells may be weighed one by one; in a suite of very many cells the choices after that are simpler."""
SMALL = 4_000
"""What one choice costs apart from the cells, in cells."""


def spread_over(
    ids: Sequence[str], tags: Callable[[str], Mapping[str, str]], aggregation: Aggregation, limit: int
) -> tuple[str, ...]:
    """``limit`` of the cases, in the order of ``ids``, spread over all rows of the suite's tables.

    Cases are chosen one after the other. Each is one that touches the most rows that no case has touched so far; of
    those, one from the rows that are furthest behind their share of the overall mean. So the mean of a part means the
    same as that of the whole suite. The choice has no seed and depends on ids and tags alone, and a higher limit only
    adds cases.

    >>> from editscope.cases import Group
    >>> plan = Aggregation(Group("overall", ()), (Group("law", ("law",)), Group("size", ("size",))), strata=())
    >>> known = {f"{law}{i}": {"law": law, "size": "ab"[i % 2]} for law in ("light", "heat") for i in range(100)}
    >>> spread_over(list(known), known.__getitem__, plan, 2)
    ('light0', 'heat1')
    """
    groupings = _groupings(aggregation)
    members: dict[Cell, list[str]] = {}
    for case_id in ids:
        own = tags(case_id)
        members.setdefault(tuple(_value(own, by) for by in groupings), []).append(case_id)
    over = [groupings.index((tag,)) for tag in aggregation.overall.over]
    sizes = np.array([len(cases) for cases in members.values()])
    weights = sizes * _case_weights([tuple(cell[place] for place in over) for cell in members], sizes.tolist())
    queues = [_halving(cases) for cases in members.values()]
    chosen: list[str] = []
    for cell in _chosen_cells(list(members), sizes, weights):
        chosen.append(next(queues[cell]))
        if len(chosen) == limit:
            break
    taken = set(chosen)
    return tuple(case_id for case_id in ids if case_id in taken)


def evenly_spaced(ids: Sequence[str], limit: int) -> tuple[str, ...]:
    """Every so many-th case: how version 0.1 chose, which the runs that it began keep.

    >>> evenly_spaced("abcdefgh", 3)
    ('a', 'c', 'f')
    """
    return tuple(ids[i * len(ids) // limit] for i in range(limit))


def _groupings(aggregation: Aggregation) -> list[tuple[str, ...]]:
    """The tags of every table's rows, and those that the overall mean averages over."""
    tables = (group.by for group in aggregation.groups if group.by)
    return list(dict.fromkeys([*tables, *((tag,) for tag in aggregation.overall.over)]))


def _value(tags: Mapping[str, str], by: tuple[str, ...]) -> Hashable:
    """What a case has in a grouping; None where it lacks a tag and stands in no row."""
    if len(by) == 1:
        return tags.get(by[0])
    values = tuple(tags.get(tag) for tag in by)
    return None if None in values else values


def _case_weights(leaves: Sequence[Cell], sizes: Sequence[int]) -> NDArray[np.float64]:
    """What one case of each cell weighs in the overall mean of the suite, a mean of means from fine to coarse.

    >>> _case_weights([("a",), ("b",)], [3, 1]).round(3).tolist(), _case_weights([(), ()], [3, 1]).tolist()
    ([0.167, 0.5], [0.25, 0.25])
    """
    number: dict[Cell, int] = {}
    for leaf, size in zip(leaves, sizes, strict=True):
        number[leaf] = number.get(leaf, 0) + size
    weight = [1.0 / number[leaf] for leaf in leaves]
    nodes = list(leaves)
    for _ in range(len(nodes[0])):
        number = {}
        for node in dict.fromkeys(nodes):
            number[node[1:]] = number.get(node[1:], 0) + 1
        nodes = [node[1:] for node in nodes]
        weight = [share / number[node] for share, node in zip(weight, nodes, strict=True)]
    return np.array(weight)


class _Rows:
    """The rows of one grouping: which cells each holds, and what one more case in it is worth."""

    def __init__(self, values: Sequence[Hashable], weights: NDArray[np.float64]) -> None:
        number: dict[Hashable, int] = {}
        self.of = np.array([number.setdefault(value, len(number)) for value in values], dtype=np.intp)
        self._cells = np.argsort(self.of, kind="stable")
        self._starts = np.searchsorted(self.of[self._cells], np.arange(len(number) + 1))
        self._counts = np.zeros(len(number))
        self._shares = np.bincount(self.of, weights)
        self.worth = NEW_ROW + self._shares / 0.5
        if None in number:  # cases without the tag are in no row
            self._shares[number[None]] = 0.0
            self.worth[number[None]] = 0.0

    def add(self, row: int) -> NDArray[np.intp]:
        """Count one more case in a row; the cells that are worth less now."""
        self._counts[row] += 1
        self.worth[row] = self._shares[row] / (self._counts[row] + 0.5)
        return self._cells[self._starts[row] : self._starts[row + 1]]


def _chosen_cells(cells: Sequence[Cell], sizes: NDArray[np.intp], weights: NDArray[np.float64]) -> Iterator[int]:
    """The cell of each choice, until every case is chosen.

    One more case in a row is worth share / (cases + ½), by which Sainte-Laguë gives seats to parties.
    """
    groupings = [_Rows(values, weights) for values in zip(*cells, strict=True) if len(set(values)) > 1]
    taken = np.zeros(len(cells), dtype=np.intp)

    def worth(places: NDArray[np.intp]) -> NDArray[np.float64]:
        total = NEW_CELL / (taken[places] + 0.5)
        for rows in groupings:
            total += rows.worth[rows.of[places]]
        return np.where(taken[places] < sizes[places], total, -1.0)

    worths = worth(np.arange(len(cells)))
    for _ in range(min(int(sizes.sum()), WORK // (len(cells) + SMALL))):
        cell = int(worths.argmax())
        yield cell
        taken[cell] += 1
        worths[cell] = worth(np.array([cell]))[0]
        for rows in groupings:
            changed = rows.add(int(rows.of[cell]))
            worths[changed] = worth(changed)
    yield from _by_weight(cells, taken, sizes, weights)


def _by_weight(
    cells: Sequence[Cell], taken: NDArray[np.intp], sizes: NDArray[np.intp], weights: NDArray[np.float64]
) -> Iterator[int]:
    """The cells of the cases that are left: as often as they weigh, and cells of equal weight far apart."""
    apart = [0] * len(cells)
    for rank, cell in enumerate(_halving(sorted(range(len(cells)), key=lambda place: str(cells[place])))):
        apart[cell] = rank
    left = [
        ((case + 0.5) / weights[cell], apart[cell], cell)
        for cell in range(len(cells))
        for case in range(int(taken[cell]), int(sizes[cell]))
    ]
    return (cell for _, _, cell in sorted(left))


def _halving(members: Sequence[T]) -> Iterator[T]:
    """The members in an order whose beginning is spread over all of them: the first, the middle, the quarters …

    >>> "".join(_halving("abcdefgh"))
    'aecgbfdh'
    """
    bits = (len(members) - 1).bit_length()
    for place in range(1 << bits):
        mirrored = int(f"{place:0{bits}b}"[::-1], 2) if bits else 0
        if mirrored < len(members):
            yield members[mirrored]
