"""A set of cases with what every run made of each, as columns: what galleries filter, sort and search."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from editscope.runfolder.repeats import case_name
from editscope.runfolder.run_names import run_names
from editscope.studio.catalog.records import CaseList, RunCard, ScoreColumns, ShownMetric
from editscope.wording import failure_order

Places = npt.NDArray[np.int64]
Values = npt.NDArray[np.float64]

ABSENT = -1


@dataclass(frozen=True, eq=False)
class RunColumn:
    """What a run made of the cases of its set: places of modes and statuses (-1 where it has no such case), metrics."""

    card: RunCard
    name: str
    place: int
    modes: Places
    statuses: Places
    metrics: Mapping[str, Values]
    edited: Places

    def value(self, metric: str, place: int) -> float | None:
        """The metric of a case; None where there is none."""
        values = self.metrics.get(metric)
        return None if values is None or np.isnan(values[place]) else float(values[place])


@dataclass(frozen=True, eq=False)
class CaseSet:
    """Cases that several runs share, each once, in the order of the suite."""

    id: str
    runs: tuple[RunColumn, ...]
    ids: list[str]
    variants: list[str]
    texts: list[str]
    tags: Mapping[str, list[str | None]]
    modes: tuple[str, ...]
    statuses: tuple[str, ...]

    @classmethod
    def of(
        cls,
        set_id: str,
        cards: Sequence[RunCard],
        columns: Mapping[str, tuple[str, ScoreColumns]],
        case_list: Callable[[str], CaseList],
    ) -> CaseSet:
        """The set of some runs; ``columns`` has the name of each one's list of cases, and its scores."""
        lists = {name: case_list(name) for name in dict.fromkeys(name for name, _ in columns.values())}
        keys: dict[tuple[str, str, str], int] = {}
        texts: list[str] = []
        tags: dict[str, list[str | None]] = {}
        at: dict[str, Places] = {}
        for name, cases in lists.items():
            new = []
            places = []
            for row, key in enumerate(zip(cases.ids, cases.variants, cases.prints, strict=True)):
                if key not in keys:
                    keys[key] = len(keys)
                    new.append(row)
                places.append(keys[key])
            at[name] = np.array(places, np.int64)
            before = len(texts)
            texts += [cases.texts[row] for row in new]
            for tag, values in cases.tags.items():
                column = tags.setdefault(tag, [])
                column += [None] * (before - len(column))
                column += [values[row] for row in new]
        for column in tags.values():
            column += [None] * (len(keys) - len(column))
        modes = tuple(failure_order({mode for _, scores in columns.values() for mode in scores.modes}))
        found = {status for _, scores in columns.values() for status in scores.statuses}
        statuses = ("ok", *sorted(found - {"ok"}))
        shown = [card for card in cards if card.id in columns]
        names = run_names([card.editor for card in shown], [card.id.rpartition("/")[2] for card in shown])
        runs = [
            _column(card, name, place, at[columns[card.id][0]], columns[card.id][1], len(keys), modes, statuses)
            for place, (card, name) in enumerate(zip(shown, names, strict=True))
        ]
        return cls(
            set_id, tuple(runs), [key[0] for key in keys], [key[1] for key in keys], texts, tags, modes, statuses
        )

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def first(self) -> RunCard:
        """The card of the first run, for what all of them share."""
        return self.runs[0].card

    @cached_property
    def ranked(self) -> tuple[RunColumn, ...]:
        """The runs, the best first by the headline; those without a mean last."""
        return tuple(sorted(self.runs, key=lambda run: -_mean(run.card)))

    @cached_property
    def metrics(self) -> tuple[ShownMetric, ...]:
        """Every metric of its runs, the headline first."""
        return tuple({metric.key: metric for run in reversed(self.runs) for metric in run.card.metrics}.values())

    def metric(self, key: str) -> ShownMetric | None:
        """A metric by its key."""
        return next((metric for metric in self.metrics if metric.key == key), None)

    @cached_property
    def searched(self) -> list[str]:
        """What a search looks at: id and instruction of every case."""
        return [f"{name}\n{text}".casefold() for name, text in zip(self.names, self.texts, strict=True)]

    @cached_property
    def names(self) -> list[str]:
        """Each case as people call it: its id, and the variant where there are several."""
        return [case_name(case, variant) for case, variant in zip(self.ids, self.variants, strict=True)]

    @cached_property
    def place_of(self) -> Mapping[tuple[str, str], int]:
        """Where each case and variant is; of several with other pixels the first."""
        keys = zip(self.ids, self.variants, strict=True)
        return {key: place for place, key in reversed(list(enumerate(keys)))}

    @cached_property
    def tag_values(self) -> Mapping[str, list[tuple[str, int]]]:
        """The values of each tag with the number of their cases, in the order of the tables."""
        counted: dict[str, list[tuple[str, int]]] = {}
        orders = self.first.orders
        for tag, column in self.tags.items():
            numbers: dict[str, int] = dict.fromkeys(orders.get(tag, ()), 0)
            for value in column:
                if value:
                    numbers[value] = numbers.get(value, 0) + 1
            known = [(value, number) for value, number in numbers.items() if number]
            if known:
                counted[tag] = known
        return counted

    @cached_property
    def tag_places(self) -> Mapping[str, tuple[Mapping[str, int], Places]]:
        """For each tag its values by number, and the number of every case; -1 where it has none."""
        found = {}
        for tag, column in self.tags.items():
            numbers: dict[str, int] = {}
            codes = [ABSENT if not value else numbers.setdefault(value, len(numbers)) for value in column]
            found[tag] = (numbers, np.array(codes, np.int64))
        return found

    def run(self, run_id: str) -> RunColumn | None:
        """A run by its id."""
        return next((run for run in self.runs if run.card.id == run_id), None)


def _column(
    card: RunCard, name: str, place: int, at: Places, scores: ScoreColumns, n: int, modes: Sequence[str],
    statuses: Sequence[str],
) -> RunColumn:  # fmt: skip
    def spread(values: Sequence[str], known: Sequence[str]) -> Places:
        numbers = {value: number for number, value in enumerate(known)}
        column = np.full(n, ABSENT, np.int64)
        column[at] = [numbers[value] for value in values]
        return column

    metrics = {}
    for metric, values in scores.metrics.items():
        column = np.full(n, np.nan)
        column[at] = np.array(values, np.float64)
        metrics[metric] = column
    edited = np.zeros(n, np.int64)
    edited[at] = scores.edited
    states = spread(scores.modes, modes), spread(scores.statuses, statuses)
    return RunColumn(card, name, place, *states, metrics, edited)


def _mean(card: RunCard) -> float:
    mean = card.cell(card.headline).get("mean")
    return float("-inf") if mean is None else float(mean)
