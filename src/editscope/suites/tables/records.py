"""What a paper's table is made of, who is best in it, and how a figure is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from editscope.cases import NOTHING

Kind: TypeAlias = Literal["head", "row", "average", "overall"]
Tags: TypeAlias = "Mapping[str, str]"
Ranks: TypeAlias = "tuple[int | None, ...]"


@dataclass(frozen=True)
class PaperCell:
    """One figure: its value, half the width of its interval where there is one, and the number of cases behind it.

    ``published`` marks a figure that others printed: it is never ranked against ours. ``ranked`` is false where
    larger is not better, as for a difference from a baseline. ``few`` marks a figure of too few cases for an interval.
    """

    value: float | None
    half_width: float | None = None
    n: int | None = None
    published: bool = False
    ranked: bool = True
    signed: bool = False
    few: bool = False


@dataclass(frozen=True)
class Column:
    """The head of a column: a run (``run_index``), published results (``published``), or a group of cases.

    ``note`` says which set, prompts and judge; ``filter`` is what the cases of a group have in common. Neighbors
    with the same ``above`` share a heading over their own. ``edition`` says of which model, judge, level, language
    and setting published results are.
    """

    label: str
    note: str = ""
    run_index: int | None = None
    published: bool = False
    filter: Tags = field(default_factory=lambda: NOTHING)
    above: str = ""
    edition: Tags = field(default_factory=lambda: NOTHING)


@dataclass(frozen=True)
class PaperRow:
    """A row: a heading without figures, a row, an average of the rows near it, or the benchmark's own row.

    In a table whose rows are models, ``run_index``, ``published`` and ``note`` say which.
    """

    kind: Kind
    label: str
    filter: Tags = field(default_factory=lambda: NOTHING)
    cells: tuple[PaperCell | None, ...] = ()
    note: str = ""
    depth: int = 0
    run_index: int | None = None
    published: bool = False


@dataclass(frozen=True)
class PaperTable:
    """A table as a paper prints it.

    ``source`` names the table that it follows ("Table 1 of the PaintBench paper") or is empty; ``spread`` lists
    the kinds of rows whose figures show a ± half-width; with ``models="rows"`` the rows are runs and published
    models and the columns are groups, otherwise the other way round; ``stub`` heads the column of labels.
    """

    name: str
    title: str
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[PaperRow, ...]
    metric: str
    decimals: int = 1
    higher_is_better: bool = True
    source: str = ""
    stub: str = ""
    spread: tuple[Kind, ...] = ("average", "overall")
    models: Literal["columns", "rows"] = "columns"

    def link(self, row: int, column: int) -> tuple[dict[str, str], int | None]:
        """What the cases behind a cell have in common, and which run they are of (None: published)."""
        head, line = self.columns[column], self.rows[row]
        run = line.run_index if self.models == "rows" else head.run_index
        return {**head.filter, **line.filter}, run


def headings(columns: Sequence[Column]) -> list[tuple[str, int]]:
    """The headings over the columns and how many each spans; none where no column has one.

    >>> headings([Column("Acc", above="Reflection"), Column("Con", above="Reflection"), Column("All")])
    [('Reflection', 2), ('', 1)]
    >>> headings([Column("All")])
    []
    """
    spans: list[tuple[str, int]] = []
    for column in columns:
        if spans and spans[-1][0] == column.above:
            spans[-1] = (column.above, spans[-1][1] + 1)
        else:
            spans.append((column.above, 1))
    return spans if any(text for text, _ in spans) else []


def full_label(column: Column) -> str:
    """The head of a column where no heading stands over it.

    >>> full_label(Column("Acc", above="Reflection")), full_label(Column("Acc"))
    ('Reflection: Acc', 'Acc')
    """
    return f"{column.above}: {column.label}" if column.above and column.label else column.above or column.label


def ranks(row: PaperRow, *, decimals: int = 1, higher_is_better: bool = True) -> Ranks:
    """The place of each figure of a row: 1 best, 2 second; figures that look the same share a place.

    Runs are ranked among runs, published figures among published ones. Where there is one figure only, or all
    look the same, nobody is best.

    >>> cells = tuple(PaperCell(v) for v in (12.34, 12.31, 9.0, None, 7.0))
    >>> ranks(PaperRow("row", "Border", {}, cells))
    (1, 1, 2, None, 3)
    >>> ranks(PaperRow("row", "Border", {}, (PaperCell(1.0), PaperCell(2.0, published=True))))
    (None, None)
    """
    return _ranked(row.cells, decimals, higher_is_better)


def table_ranks(table: PaperTable) -> tuple[Ranks, ...]:
    """The places of all figures of a table, row by row: along its rows, or down its columns where rows are models.

    >>> columns = (Column("Color"), Column("Shape"))
    >>> rows = (PaperRow("row", "a", {}, (PaperCell(1.0), PaperCell(2.0))),
    ...         PaperRow("row", "b", {}, (PaperCell(3.0), PaperCell(0.0))))
    >>> table_ranks(PaperTable("t", "T", "", columns, rows, "miou", models="rows"))
    ((2, 1), (1, 2))
    """
    how = (table.decimals, table.higher_is_better)
    if table.models == "columns":
        return tuple(_ranked(row.cells, *how) for row in table.rows)
    lines = [index for index, row in enumerate(table.rows) if row.cells]
    ranks: list[list[int | None]] = [[None] * len(row.cells) for row in table.rows]
    for column in range(len(table.columns)):
        places = _ranked([table.rows[line].cells[column] for line in lines], *how)
        for line, place in zip(lines, places, strict=True):
            ranks[line][column] = place
    return tuple(map(tuple, ranks))


def figure(table: PaperTable, cell: PaperCell | None) -> str:
    """The value of a cell as the table writes it; a dash where there is none.

    >>> table = PaperTable("t", "T", "", (), (), "miou")
    >>> figure(table, PaperCell(12.345)), figure(table, PaperCell(-1.26, signed=True)), figure(table, None)
    ('12.3', '−1.3', '–')
    """
    if cell is None or cell.value is None:
        return "–"
    text = f"{cell.value:{'+' if cell.signed else ''}.{table.decimals}f}"
    if cell.signed and not text.strip("+-0."):
        return text.lstrip("+-")  # no sign before a difference that looks like none
    return text.replace("-", "−")


def half_width(table: PaperTable, row: PaperRow, cell: PaperCell | None) -> str:
    """What stands behind ± in a cell; empty where this kind of row shows none.

    >>> table = PaperTable("t", "T", "", (), (), "miou")
    >>> half_width(table, PaperRow("overall", "All"), PaperCell(17.1, 0.74))
    '0.7'
    """
    if row.kind not in table.spread or cell is None or cell.value is None or cell.half_width is None:
        return ""
    return f"{cell.half_width:.{table.decimals}f}"


def small_n(cell: PaperCell | None) -> str:
    """How many values are behind a figure of too few cases, which stands in place of ±; empty for others.

    >>> small_n(PaperCell(17.1, None, 3, few=True)), small_n(PaperCell(17.1, 0.74, 96))
    ('n = 3', '')
    """
    return f"n = {cell.n:,}" if cell is not None and cell.few and cell.n is not None else ""


def _ranked(cells: Sequence[PaperCell | None], decimals: int, higher_is_better: bool) -> Ranks:
    places: list[int | None] = [None] * len(cells)
    for published in (False, True):
        shown = {
            i: round(cell.value, decimals)
            for i, cell in enumerate(cells)
            if cell is not None and cell.value is not None and cell.published == published
            if cell.ranked and not cell.few
        }
        order = sorted(set(shown.values()), reverse=higher_is_better)
        if len(order) > 1:
            for i, value in shown.items():
                places[i] = order.index(value) + 1
    return tuple(places)
