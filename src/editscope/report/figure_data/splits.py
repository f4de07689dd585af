"""Rows of the main table divided by another tag: single and multi-image inputs, levels, languages, run by run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from editscope.report.figure_data.metric_means import known_cell
from editscope.report.model import VARIANT_TAGS, Cell, RunView, Sheet
from editscope.suites.registry import known_benchmark
from editscope.wording import plain

LANGUAGES = {"en": "English", "cn": "Chinese"}
MOST_VALUES = 4
"""More bars side by side than this are a table."""


@dataclass(frozen=True, eq=False)
class SplitMeans:
    """The values of a tag, the rows that it divides ("" for the whole set), and ``cells[row][value]`` of each run."""

    tag: str
    by: str
    values: tuple[str, ...]
    rows: tuple[str, ...]
    runs: tuple[tuple[RunView, tuple[tuple[Cell | None, ...], ...]], ...]


def split_means(sheet: Sheet, by: str) -> list[SplitMeans]:
    """The headline in each row of a group by the tag that the paper divides it by, and by levels and languages.

    ``by`` is the finer group of the main table; "" where there is none.
    """
    return [split for tag in _tags(sheet) if (split := _split(sheet, tag, by)) is not None]


def variant_label(value: str) -> str:
    """A part as people say it.

    >>> variant_label("cn"), variant_label("superficial")
    ('Chinese', 'Superficial')
    """
    return LANGUAGES.get(value) or plain(value)


def _tags(sheet: Sheet) -> Iterator[str]:
    record = known_benchmark(sheet.suite)
    own = (record.figures.split,) if record and record.figures.split else ()
    for tag in dict.fromkeys((*own, *VARIANT_TAGS)):
        if 2 <= len(sheet.keys(tag)) <= MOST_VALUES:
            yield tag


def _split(sheet: Sheet, tag: str, by: str) -> SplitMeans | None:
    values = tuple(sheet.keys(tag))
    rows = ("", *(sheet.keys(by) if by and sheet.keys(f"{tag}/{by}") else ()))
    runs = [
        (view, [tuple(_cell(sheet, view, tag, value, by, row) for value in values) for row in rows])
        for view in sheet.runs
    ]
    both = [place for place in range(len(rows)) if any(sum(c is not None for c in of[place]) > 1 for _, of in runs)]
    if not both:
        return None
    chosen = tuple((view, tuple(cells[place] for place in both)) for view, cells in runs)
    return SplitMeans(tag, by, values, tuple(rows[place] for place in both), chosen)


def _cell(sheet: Sheet, view: RunView, tag: str, value: str, by: str, row: str) -> Cell | None:
    cells = view.cells(f"{tag}/{by}", f"{value}/{row}") if row else view.cells(tag, value)
    return known_cell(cells.get(sheet.headline))
