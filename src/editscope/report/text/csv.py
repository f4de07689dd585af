"""CSV of runs, for another program: one tidy row per figure."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from editscope.errors import BadInput
from editscope.report.model import Model, Sheet
from editscope.report.paper_tables import figures_by_group
from editscope.results.accounting import accounting_of, other_than

COLUMNS = (
    "kind",
    "run",
    "editor",
    "suite",
    "fingerprint",
    "by",
    "key",
    "metric",
    "mean",
    "lo",
    "hi",
    "n",
    "missing",
    "worst",
    "best",
    "against",
    "p",
    "p_holm",
    "note",
)


def as_csv(model: Model, *, published: bool = False) -> Iterator[str]:
    """Tidy rows, told apart by ``kind``; the header names the columns.

    ``run``: one row of a table and one metric of a run; where judges gave it, ``missing`` verdicts with the bounds
    ``worst`` and ``best`` that they leave, and ``note`` says who judged. ``accounting``: the same by the other
    accounting, where the two differ. ``difference``: the headline of a later run
    of a set minus that of its first run (``against``), case by case, with paired-bootstrap interval, the p of the
    sign-flip test and the same after Holm's correction. ``published``: a printed figure; its interval is the
    printed half-width, and ``note`` says which set, prompts and judge.
    """
    yield csv_line(COLUMNS)
    for view in model.runs:
        known = {"kind": "run", "run": view.run.path.name, "editor": view.name}
        suite = view.run.info["suite"]
        known |= {"suite": suite["name"], "fingerprint": suite["fingerprint"]}
        if view.run.judged:
            known["note"] = f"judged by {view.run.info['judge']}"
        yield from _run_rows(known, view.summary)
        counts = view.summary.get("accounting") or {}
        if counts.get("differs"):
            other = other_than(accounting_of(view.run.info))
            note = f"{known['note']}; accounting {other}, this run is counted by {counts['used']}"
            yield from _run_rows(known | {"kind": "accounting", "note": note}, counts["other"])
    for sheet in model.sheets:
        yield from _differences(sheet)
        if published:
            yield from _published(sheet)


def _run_rows(known: Mapping[str, Any], summary: Mapping[str, Any]) -> Iterator[str]:
    overall = [{"by": "overall", "key": "", "metric": m, **c} for m, c in summary["overall"].items()]
    for row in (*overall, *summary["groups"]):
        yield _row({**known, **row})


def _differences(sheet: Sheet) -> Iterator[str]:
    from editscope.stats.paired import Paired, compare_rows

    first = sheet.runs[0]
    for view in sheet.runs[1:]:
        known: dict[str, Any] = {"kind": "difference", "run": view.run.path.name, "editor": view.name}
        known |= {"suite": sheet.suite, "fingerprint": sheet.fingerprint, "against": first.name}
        known |= {"metric": sheet.headline}
        try:
            table = compare_rows(first.scores, view.scores, sheet.aggregation, sheet.headline, match=sheet.match)
        except BadInput:
            continue  # runs that share no case
        rows: list[tuple[str, str, Paired]] = [("overall", "", table.overall)]
        rows += [(group.by, group.key, group.paired) for group in table.groups]
        for by, key, pair in rows:
            numbers = {"mean": pair.difference, "lo": pair.lo, "hi": pair.hi, "n": pair.n, "p": pair.p}
            yield _row(known | numbers | {"by": by, "key": key, "p_holm": pair.p_holm})


def _published(sheet: Sheet) -> Iterator[str]:
    columns = figures_by_group(sheet, published=True)
    for column, figures in zip(columns.columns, columns.figures, strict=True):
        if not column.published:
            continue
        known = {"kind": "published", "editor": column.label, "suite": sheet.suite, "note": column.note}
        for (by, key, metric), cell in figures.items():
            numbers: dict[str, Any] = {"by": by, "key": key, "metric": metric, "mean": cell.value}
            if cell.value is not None and cell.half_width is not None:
                # Rounded because the printed figures are: 17.1 - 0.7 is 16.4, not 16.400000000000002.
                numbers |= {"lo": round(cell.value - cell.half_width, 6), "hi": round(cell.value + cell.half_width, 6)}
            yield _row(known | numbers)


def _row(fields: Mapping[str, Any]) -> str:
    return csv_line(["" if fields.get(name) is None else fields[name] for name in COLUMNS])


def csv_line(values: Sequence[object]) -> str:
    """A line of CSV, with texts that no spreadsheet takes for a formula."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow([_harmless(value) for value in values])
    return text.getvalue()


def _harmless(value: object) -> object:
    """Text that a spreadsheet will not run as a formula."""
    return f"'{value}" if isinstance(value, str) and value[:1] in tuple("=+-@\t\r") else value
