"""Means of means: which rows make which leaf of a table, and sums over them that no order of adding can change."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from editscope.errors import EditscopeError

Floats: TypeAlias = "NDArray[np.float64]"
Ints: TypeAlias = "NDArray[np.intp]"

MOST_PRODUCTS = 1 << 17
"""Multiplications of one matrix product: for more, OpenBLAS starts threads. On a busy machine they wait for each other
many times as long as the product takes."""


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """Which cases make which leaf, and which nodes make which node above, up to the rows of a table.

    ``leaf[i]`` is the leaf of case ``i``, or -1 when the case takes no part; ``parents[k][j]`` is the node of
    level ``k + 1`` that node ``j`` of level ``k`` belongs to. Nodes of a level are numbered 0, 1, 2 … without
    gaps, and those of the last level are the rows.
    """

    leaf: Ints
    parents: tuple[Ints, ...] = ()

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of nodes of each level, leaves first."""
        levels = (self.leaf, *self.parents)
        return tuple(int(level.max(initial=-1)) + 1 for level in levels)

    @property
    def row_of(self) -> Ints:
        """The table row of each case, -1 for a case that takes no part."""
        node = self.leaf
        for parents in self.parents:
            node = np.append(parents, -1)[node]  # -1, a case that takes no part, stays -1
        return node


def weights(hierarchy: Hierarchy, present: NDArray[np.bool_]) -> Floats:
    """What each case counts for in its row: row mean = Σ weight · value over the cases that are present.

    The weight of a case is 1 / (cases of its leaf) · 1 / (leaves of the node above) · …, counting only what
    has a value.

    >>> two_tasks = Hierarchy(leaf=np.array([0, 0, 1]), parents=(np.array([0, 0]),))
    >>> weights(two_tasks, np.array([True, True, True])).tolist()
    [0.25, 0.25, 0.5]
    >>> weights(two_tasks, np.array([True, False, True])).tolist()
    [0.5, 0.0, 0.5]
    """
    used = present & (hierarchy.leaf >= 0)
    weight = used.astype(np.float64)
    node = np.where(used, hierarchy.leaf, 0)
    count = np.bincount(node[used], minlength=max(hierarchy.sizes[0], 1))
    weight[used] /= count[node[used]]
    for parents, size in zip(hierarchy.parents, hierarchy.sizes[1:], strict=True):
        has = count > 0
        count = np.bincount(parents[has[: len(parents)]], minlength=max(size, 1))
        node = np.where(used, parents[node] if len(parents) else 0, 0)
        weight[used] /= count[node[used]]
    return weight


class Atom(NamedTuple):
    """Rows of one stratum that no hierarchy tells apart: a slice of the new order, and the units of its rows."""

    stratum: str
    start: int
    stop: int
    units: slice | Ints


@dataclass(frozen=True, eq=False)
class Layout:
    """An order of the rows in which every stratum, and within it every atom, is one slice.

    ``units`` says how many units each stratum has: what is drawn, or flipped, is a unit with all its rows.
    ``most`` is the largest number of rows that a draw of as many units as there are can hold.
    """

    order: Ints
    atoms: tuple[Atom, ...]
    units: Mapping[str, int]
    most: int

    @property
    def firsts(self) -> Ints:
        """The first row of each atom, in the order that the rows came in."""
        return self.order[np.array([atom.start for atom in self.atoms], dtype=np.intp)]

    def weighted_sums(
        self, columns: Floats, drawn: Callable[[str], Iterator[Floats]], draws: int, block: int
    ) -> Iterator[Floats]:
        """For each block of draws, the weighted sum of every column over every atom: atoms × columns × draws.

        Each block takes the place of the one before it in memory.

        ``drawn(stratum)`` gives draws × units of that stratum, how much each unit counts, in parts that add up to
        ``block`` draws. Only one such part is in memory at a time.
        """
        streams = {stratum: drawn(stratum) for stratum in self.units}
        places: dict[str, list[int]] = {stratum: [] for stratum in self.units}
        for place, atom in enumerate(self.atoms):
            places[atom.stratum].append(place)
        whole = np.empty((len(self.atoms), columns.shape[1], min(block, draws)))
        for start in range(0, draws, block):
            sums = whole[:, :, : draws - start]
            for stratum, stream in streams.items():
                done = 0
                while done < sums.shape[2]:
                    part = next(stream)
                    for place in places[stratum]:
                        atom = self.atoms[place]
                        rows, weight = columns[atom.start : atom.stop], part[:, atom.units]
                        sums[place, :, done : done + len(part)] = _product(rows, weight)
                    done += len(part)
            yield sums


def _product(rows: Floats, weight: Floats) -> Floats:
    """The sum of every column over some rows, as often as each draw has them: columns × draws.

    It is computed in parts, which does not change a bit: all sums are exact.
    """
    step = max(1, MOST_PRODUCTS // max(1, rows.shape[1] * len(weight)))
    sums: Floats = rows[:step].T @ weight[:, :step].T
    for start in range(step, len(rows), step):
        sums += rows[start : start + step].T @ weight[:, start : start + step].T
    return sums


def layout(strata: Sequence[str], hierarchies: Sequence[Hierarchy], units: Sequence[Hashable] | None = None) -> Layout:
    """Lay rows out by stratum, then by their place in the hierarchies; rows of one unit stay one unit.

    Units of a stratum are numbered as they first appear in the new order; without ``units`` each row is one.
    """
    names = sorted(set(strata))
    rank = {name: i for i, name in enumerate(names)}
    keys = [np.array([rank[s] for s in strata], dtype=np.intp), *(h.leaf for h in hierarchies)]
    order = np.lexsort(keys[::-1]).astype(np.intp)
    sorted_keys = np.stack([key[order] for key in keys])
    n = len(strata)
    cuts = np.flatnonzero((sorted_keys[:, 1:] != sorted_keys[:, :-1]).any(axis=0)) + 1
    bounds = [0, *cuts.tolist(), n] if n else []
    place, number, most = _units(strata, order, units)
    atoms = tuple(
        Atom(names[int(sorted_keys[0, start])], start, stop, _run(place[start:stop]))
        for start, stop in pairwise(bounds)
    )
    return Layout(order, atoms, {name: number[name] for name in names}, most)


def _units(strata: Sequence[str], order: Ints, units: Sequence[Hashable] | None) -> tuple[Ints, dict[str, int], int]:
    """The number of each row's unit within its stratum, the units of each stratum, and the most rows of a draw."""
    seen: dict[Hashable, tuple[str, int]] = {}
    number: dict[str, int] = {}
    rows: dict[Hashable, int] = {}
    place = np.empty(len(order), dtype=np.intp)
    for i, row in enumerate(order.tolist()):
        unit = row if units is None else units[row]
        stratum = strata[row]
        if unit not in seen:
            seen[unit] = stratum, number.get(stratum, 0)
            number[stratum] = number.get(stratum, 0) + 1
        elif seen[unit][0] != stratum:
            raise EditscopeError(
                f"the rows of {unit!r} lie in two strata, {seen[unit][0]!r} and {stratum!r}, but are drawn together: "
                "name as strata only tags that all rows of a case share"
            )
        place[i] = seen[unit][1]
        rows[unit] = rows.get(unit, 0) + 1
    largest = dict.fromkeys(number, 0)
    for unit, count in rows.items():
        largest[seen[unit][0]] = max(largest[seen[unit][0]], count)
    return place, number, sum(number[stratum] * largest[stratum] for stratum in number)


def _run(places: Ints) -> slice | Ints:
    """A slice where the places follow one another, so that nothing is copied in the usual case."""
    first = int(places[0])
    if np.array_equal(places, np.arange(first, first + len(places))):
        return slice(first, first + len(places))
    return places


@dataclass(frozen=True, eq=False)
class Columns:
    """Values as exact integers, and a column of zeros and ones for each pattern of missing values."""

    columns: Floats
    scales: Floats
    pattern: Ints

    @classmethod
    def of(cls, values: Floats, most: int) -> Columns:
        """Round values to integers of which ``most`` can be added in float64 without rounding, in any order."""
        present = ~np.isnan(values)
        filled = np.where(present, values, 0.0)
        held = [present[:, metric].tobytes() for metric in range(values.shape[1])]
        kinds = sorted(set(held))  # np.unique along the other axis makes a type with a field for each row
        patterns = np.array([np.frombuffer(kind, bool) for kind in kinds]).reshape(len(kinds), len(values)).T
        # Sums of at most `most` values stay below 2**52 in these units, so float64 adds them without rounding.
        largest = np.abs(filled).max(axis=0, initial=0.0) * max(most, 1)
        scales = np.ldexp(1.0, 52 - np.frexp(np.maximum(largest, 1.0))[1])
        columns = np.concatenate([np.rint(filled * scales), patterns.astype(np.float64)], axis=1)
        return cls(columns, scales, np.array([kinds.index(kind) for kind in held], dtype=np.intp))

    def rows(self, sums: Floats, hierarchy: Hierarchy, firsts: Ints) -> Floats:
        """The rows of one hierarchy from the sums over atoms; NaN where a row has no value."""
        metrics = len(self.scales)
        leaves = np.zeros((hierarchy.sizes[0], *sums.shape[1:]))
        for leaf, atom in zip(hierarchy.leaf[firsts], sums, strict=True):
            if leaf >= 0:
                leaves[leaf] += atom
        total, number = leaves[:, :metrics], leaves[:, metrics:]
        if number.shape[1] > 1:  # metrics miss values in different cases, so each needs its own number
            number = number[:, self.pattern]
        total /= self.scales[:, None]
        for parents, size in zip(hierarchy.parents, hierarchy.sizes[1:], strict=True):
            means, has = _ratio(total, number)
            total = np.zeros((size, *means.shape[1:]))
            for child, parent in enumerate(parents):
                total[parent] += means[child]
            number = np.zeros((size, *has.shape[1:]))
            for child, parent in enumerate(parents):
                number[parent] += has[child]
        means, has = _ratio(total, number)
        if not has.all():
            means[~np.broadcast_to(has, means.shape)] = np.nan
        return means


def atom_sums(columns: Floats, atoms: Sequence[Atom]) -> Floats:
    """The sum of every column over every atom, each row counted once: atoms × columns."""
    once = np.array([columns[atom.start : atom.stop].sum(axis=0) for atom in atoms])
    return once.reshape(len(atoms), columns.shape[1])


def _ratio(total: Floats, number: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """Total / number, and where there is one; 0 elsewhere, so that it adds nothing to the sum above.

    Works in the memory of ``total``.
    """
    has = number > 0
    total /= number if has.all() else np.maximum(number, 1.0)
    return total, has
