"""Markdown of runs, for a README or an issue: the headline of each run, then the papers' tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from editscope.report.judged_runs import coverage_words
from editscope.report.model import Model, Sheet
from editscope.report.paper_tables import paper_tables, run_names
from editscope.results.accounting import accounting_in_words
from editscope.results.failed_edits import every_edit_failed
from editscope.suites import suite_title
from editscope.suites.tables import PaperRow, PaperTable, Ranks, figure, full_label, half_width, small_n, table_ranks
from editscope.wording import count, interval, metric_name, value

SPACE = "&nbsp;" * 4


def as_markdown(model: Model, *, published: bool = False) -> Iterator[str]:
    """The headline of every run, then the papers' tables with the best of each row in bold."""
    yield f"# {markdown_text(model.title)}\n"
    for sheet in model.sheets:
        yield from _overview(sheet)
        for table in paper_tables(sheet, published):
            yield from markdown_table(table)


def _overview(sheet: Sheet) -> Iterator[str]:
    yield f"\n## {markdown_text(suite_title(sheet.suite))}\n\n"
    for name, view in zip(run_names(sheet), sheet.runs, strict=True):
        if sentence := every_edit_failed(view.run):
            yield f"**{markdown_text(f'{name}: {sentence}')}.**\n\n"
    yield f"{sheet.cases_in_words}, set `{sheet.fingerprint}`. 95 % intervals.\n\n"
    yield _cells(["Run", *(metric_name(m) for m in sheet.metrics), "Coverage"])
    yield _cells(["---", *("---:" for _ in sheet.metrics), "---"])
    for name, view in zip(run_names(sheet), sheet.runs, strict=True):
        overall = view.summary["overall"]
        coverage = markdown_text(coverage_words(view.summary))
        figures = [_mean(overall.get(m), m) for m in sheet.metrics]
        part = f" <sub>{markdown_text(view.part)}</sub>" if view.part else ""
        yield _cells([markdown_text(name) + part, *figures, coverage or count(len(view.records), "case")])
    accountings = {
        name: accounting_in_words(view.summary) for name, view in zip(run_names(sheet), sheet.runs, strict=True)
    }
    if any(accountings.values()):
        yield "\n" + "".join(
            f"- {markdown_text(f'{name}: {sentence}.')}\n" for name, sentence in accountings.items() if sentence
        )
    yield from _by_people(sheet)


def _by_people(sheet: Sheet) -> Iterator[str]:
    """What people would score each run, and which of them their labels can rank, where there are labels."""
    if sheet.calibration is None:
        return
    from editscope.results.calibration.calibration_text import difference_in_words, mean_in_words

    yield "\n**People and judge**\n\n"
    for name, labeled in zip(run_names(sheet), sheet.calibration.runs, strict=True):
        yield f"- {markdown_text(f'{name}: {mean_in_words(labeled, sheet.headline)}')}.\n"
    for second in range(1, len(sheet.runs)):
        for first in range(second):
            yield f"- {markdown_text(difference_in_words(sheet.calibration, first, second, sheet.headline))}\n"


def _mean(cell: dict[str, Any] | None, metric: str) -> str:
    if cell is None or cell["mean"] is None:
        return "–"
    return f"{value(cell['mean'], metric)} ({interval(cell, metric)})"


def markdown_table(table: PaperTable) -> Iterator[str]:
    """A paper's table with its title before and its caption after it."""
    source = f" ({table.source})" if table.source else ""
    yield f"\n### {markdown_text(table.title + source)}\n\n"
    heads = [
        markdown_text(full_label(c)) + (f"<br><sub>{markdown_text(c.note)}</sub>" if c.note else "")
        for c in table.columns
    ]
    yield _cells([markdown_text(table.stub), *heads])
    yield _cells(["---", *("---:" for _ in heads)])
    for row, places in zip(table.rows, table_ranks(table), strict=True):
        yield _cells([_label(row), *(_figures(table, row, places) or [""] * len(heads))])
    yield f"\n{markdown_text(table.caption)}\n"


def _label(row: PaperRow) -> str:
    text = SPACE * row.depth + markdown_text(row.label)
    note = f" <sub>{markdown_text(row.note)}</sub>" if row.note else ""
    return {"head": f"**{text}**", "overall": f"**{text}**", "average": f"*{text}*"}.get(row.kind, text) + note


def _figures(table: PaperTable, row: PaperRow, places: Ranks) -> list[str]:
    shown = []
    for cell, place in zip(row.cells, places, strict=True):
        text = figure(table, cell)
        after = half_width(table, row, cell)
        text = f"**{text}**" if place == 1 else text
        n = small_n(cell)
        shown.append(f"{text} ± {after}" if after else f"{text} <sub>{n}</sub>" if n else text)
    return shown


def _cells(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |\n"


def markdown_text(text: str) -> str:
    """Text that Markdown shows as it is."""
    return " ".join(text.translate({ord(char): f"&#{ord(char)};" for char in "\\`*_[]<>|#&"}).split())
