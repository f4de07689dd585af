"""The plain reports: Markdown for a README or an issue, CSV for another program."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from editscope.report.model import Model, Row, Sheet, Table
from editscope.report.words import count, interval, metric_name, plain, suite_name, value
from editscope.stats.summary import DIAGNOSTIC

COLUMNS = ("run", "editor", "suite", "fingerprint", "by", "key", "metric", "mean", "lo", "hi", "n")


def as_csv(model: Model) -> Iterator[str]:
    """One line per run, row of a table and metric; the header names the columns."""
    yield _line(COLUMNS)
    for view in model.runs:
        info = view.run.info
        known = (view.run.path.name, view.name, info["suite"]["name"], info["suite"]["fingerprint"])
        overall = [{"by": "overall", "key": "", "metric": m, **c} for m, c in view.summary["overall"].items()]
        for row in (*overall, *view.summary["groups"]):
            yield _line((*known, *("" if row[name] is None else row[name] for name in COLUMNS[4:])))


def _line(values: tuple[object, ...]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow([_harmless(value) for value in values])
    return text.getvalue()


def _harmless(value: object) -> object:
    """Text that a spreadsheet will not run as a formula."""
    return f"'{value}" if isinstance(value, str) and value[:1] in tuple("=+-@\t\r") else value


def as_markdown(model: Model) -> Iterator[str]:
    """Headline and tables of the headline metric, one column per run."""
    yield f"# {_text(model.title)}\n"
    for sheet in model.sheets:
        yield from _overview(sheet)
        for table in sheet.tables():
            yield from _table(sheet, table)


def _overview(sheet: Sheet) -> Iterator[str]:
    number = max(len(view.records) for view in sheet.runs)
    yield f"\n## {_text(suite_name(sheet.suite))}\n\n"
    yield f"{count(number, 'case')}, set `{sheet.fingerprint}`. 95 % intervals.\n\n"
    yield _row(["Run", *(metric_name(m) for m in sheet.metrics), "Coverage"])
    yield _row(["---", *("---:" for _ in sheet.metrics), "---"])
    for view in sheet.runs:
        overall = view.summary["overall"]
        coverage = ", ".join(f"{n:,} {s}" for s, n in (view.summary.get("coverage") or {}).items())
        figures = [_figure(overall.get(m), m) for m in sheet.metrics]
        yield _row([_text(view.name), *figures, coverage or count(len(view.records), "case")])


def _table(sheet: Sheet, table: Table) -> Iterator[str]:
    metric = sheet.headline
    title = " → ".join(plain(kind) for kind in table.kinds)
    if table.kinds[0] == DIAGNOSTIC:
        title = "Diagnostic, outside every average"
    yield f"\n### {_text(title)} ({metric_name(metric)})\n\n"
    yield _row([_text(plain(table.kinds[0])), *(_text(view.name) for view in sheet.runs)])
    yield _row(["---", *("---:" for _ in sheet.runs)])
    for row, depth in _walk(table.rows, 0):
        label = "&nbsp;" * 4 * depth + _text(plain(row.label))
        yield _row(
            [
                f"**{label}**" if row.children and not depth else label,
                *(_figure(c.get(metric), metric) for c in row.cells),
            ]
        )


def _walk(rows: tuple[Row, ...], depth: int) -> Iterator[tuple[Row, int]]:
    for row in rows:
        yield row, depth
        yield from _walk(row.children, depth + 1)


def _figure(cell: dict[str, object] | None, metric: str) -> str:
    if cell is None or cell["mean"] is None:
        return "–"
    return f"{value(float(str(cell['mean'])), metric)} ({interval(cell, metric)})"


def _row(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |\n"


def _text(text: str) -> str:
    """Text that Markdown shows as it is."""
    return " ".join(text.translate({ord(char): f"&#{ord(char)};" for char in "\\`*_[]<>|#&"}).split())
