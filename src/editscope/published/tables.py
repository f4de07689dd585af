"""Published numbers laid out as a paper lays them out: rows of a table against models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from editscope.published.records import Result

PROTOCOL = ("metric", "setting", "judge", "level", "language")
"""The fields that tell two numbers of the same model and the same group apart."""


@dataclass(frozen=True, slots=True)
class MatrixColumn:
    """One column: a model, and what tells the column from others of that model."""

    model: str
    details: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """One row: what it averages, what tells it from rows of the same name, and a number or None for each column."""

    by: str
    group: str
    details: tuple[str, ...]
    cells: tuple[Result | None, ...]


@dataclass(frozen=True, slots=True)
class Matrix:
    """Rows against columns, both in the order in which the paper has them."""

    columns: tuple[MatrixColumn, ...]
    rows: tuple[MatrixRow, ...]


def matrix(results: Sequence[Result]) -> Matrix:
    """Lay numbers out as groups against models; what else differs among them goes to the rows.

    With a single model it goes to the columns. A number that several tables repeat is taken from the first
    that also gives its half-width.

    >>> from editscope.published import results
    >>> table = matrix(results("paintbench", table=2))
    >>> [(row.group, row.details, row.cells[0].value) for row in table.rows[:2]]
    [('baseline', ('miou',), 21.9), ('horizontal', ('miou_delta',), -2.7)]
    >>> [column.details for column in matrix(results("paintbench", table=15, model="NB-2")).columns]
    [('miou',), ('miou_lo',), ('miou_hi',)]
    """
    differing = [field for field in PROTOCOL if len({getattr(row, field) for row in results}) > 1]
    alone = len({row.model for row in results}) == 1
    columns: dict[MatrixColumn, None] = {}
    cells: dict[tuple[str, str, tuple[str, ...]], dict[MatrixColumn, Result]] = {}
    for row in results:
        details = tuple(str(getattr(row, field)) for field in differing)
        column = MatrixColumn(row.model, details if alone else ())
        columns[column] = None
        known = cells.setdefault((row.by, row.group, () if alone else details), {})
        if column not in known or (known[column].half_width is None and row.half_width is not None):
            known[column] = row
    return Matrix(
        tuple(columns),
        tuple(MatrixRow(*key, tuple(known.get(column) for column in columns)) for key, known in cells.items()),
    )
