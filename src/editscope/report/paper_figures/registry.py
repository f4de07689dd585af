"""Registry of figures, and the context that each is drawn from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

from editscope.report.model import Model, RunView, Sheet
from editscope.report.paper_figures.style import WIDTHS, Figure, RunStyle, legend_rows, run_style, short
from editscope.report.paper_tables import GroupFigures, figures_by_group, main_groups, own_protocol, run_names
from editscope.suites import suite_title
from editscope.wording import plain

Rows: TypeAlias = Mapping[str, Sequence[Any]]


class NothingToDraw(Exception):  # a figure that has no data says why, and the others are drawn
    """Why a figure was left out, in words that end a sentence "left out: …"."""


@dataclass(frozen=True, eq=False)
class FigureContext:
    """Runs over one set, and what was asked for."""

    model: Model
    sheet: Sheet
    with_published: bool = False
    width: str = "double"
    cases: tuple[str, ...] = ()
    pairs: bool = False
    """Whether the runs are taken two by two, before and after; otherwise each is compared with the first."""

    @property
    def published(self) -> bool:
        """Whether published results stand beside the runs: not beside cases that another protocol judged."""
        return self.with_published and (not self.sheet.judged or own_protocol(self.sheet))

    @cached_property
    def group_figures(self) -> GroupFigures:
        """The figures of the runs, and of published models if asked for."""
        return figures_by_group(self.sheet, published=self.published)

    @property
    def inches(self) -> float:
        """The width of the figure."""
        return WIDTHS[self.width]

    @property
    def wide(self) -> bool:
        """Whether the figure has the whole page's width."""
        return self.width == "double"

    @property
    def runs(self) -> tuple[RunView, ...]:
        """The runs of the set."""
        return self.sheet.runs

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The runs' names, short enough for a legend."""
        return tuple(short(name) for name in run_names(self.sheet))

    @cached_property
    def styles(self) -> tuple[RunStyle, ...]:
        """How each run is drawn: by its place in its own set, so that a set always starts with the first color."""
        return tuple(run_style(place) for place in range(len(self.runs)))

    def drawn_as(self, view: RunView) -> tuple[str, RunStyle]:
        """The name and the style of a run of the set."""
        place = self.runs.index(view)
        return self.names[place], self.styles[place]

    @property
    def legend_height(self) -> float:
        """Inches that a legend of the runs takes."""
        return 0.16 * legend_rows(self.names, self.inches)

    def averaged(self, view: RunView, *, by_case: bool = False) -> Rows:
        """The columns of the cases that take part in averages; ``by_case`` with the mean over repeats."""
        exclude = self.sheet.aggregation.exclude
        rows = view.by_case if by_case else view.rows
        if not exclude or any(tag not in rows for tag in exclude):
            return rows
        count = len(rows["case_id"])
        chosen = [i for i in range(count) if any(rows[tag][i] != value for tag, value in exclude.items())]
        return rows if len(chosen) == count else {name: [values[i] for i in chosen] for name, values in rows.items()}

    @cached_property
    def groups(self) -> tuple[str, str]:
        """The coarser and the finer group of the suite's main table by name; "" for one that it does not have."""
        return main_groups(self.sheet)

    def cases_of(self, view: RunView) -> dict[str, dict[str, str]]:
        """The cases of a run that take part in averages: the tags that all edits of a case share, by its id.

        Repeats, levels, languages and paths of a case are edits of it, and so are no cases of their own.
        """
        cases: dict[str, dict[str, str]] = {}
        for record in self.sheet.averaged(view):
            tags = dict(record.tags)
            shared = cases.setdefault(record.case_id, tags)
            cases[record.case_id] = {tag: value for tag, value in shared.items() if tags.get(tag) == value}
        return cases

    @property
    def suite(self) -> str:
        """The suite as its authors write it."""
        return suite_title(self.sheet.suite)


Draw: TypeAlias = Callable[[FigureContext], Figure]


@dataclass(frozen=True)
class Kind:
    """A figure that can be asked for by name."""

    name: str
    caption: str
    draw: Draw
    judged: str = ""
    """The caption where judges gave the scores, if it is another one."""


KINDS: dict[str, Kind] = {}


def figure(name: str, caption: str, judged: str = "") -> Callable[[Draw], Draw]:
    """Register a figure; its caption says what it shows, and is completed with the set and its size."""

    def register(draw: Draw) -> Draw:
        KINDS[name] = Kind(name, caption, draw, judged)
        return draw

    return register


def axis_label(key: str, parent: str = "") -> str:
    """A row of a table as a tick label.

    >>> axis_label("flood_fill"), axis_label("bar_chart_add_bar", "bar_chart")
    ('Flood fill', 'Add bar')
    """
    return short(plain(key.removeprefix(f"{parent}_") if parent else key), 24)
