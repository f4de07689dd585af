"""Results and cases of runs with judges, as commands print them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from editscope import printing
from editscope.stats.small_groups import few_in_words, is_few, weakest_in_words
from editscope.wording import half_width

if TYPE_CHECKING:
    from rich.console import Console

    from editscope.results import CaseRecord, Run

MOST_COLUMNS = 7
LEAST_NAME = 20
"""Columns of a terminal that names of groups have at least."""
INTERVAL, COUNT = 15, 8
"""Columns that an interval and a count take."""


def result(run: Run, console: Console) -> None:
    """The last lines of a run: the headline and other measures, the weakest groups, what is missing, what it cost."""
    from editscope.cli.output.runs import part_of_suite
    from editscope.results.accounting import accounting_in_words

    summary = run.summary
    console.print(" " + "   ".join([*_means(summary), *part_of_suite(run)]), markup=False)
    for said in (
        _weakest(summary),
        _labels(summary),
        _edits(run),
        _verdicts(summary),
        accounting_in_words(summary),
        _panel(summary),
        _spent(summary),
    ):
        if said:
            console.print(f" {said}", markup=False)
    if _edits(run):
        from editscope.cli.output.runs import reasons

        reasons(run, console)


def summary_table(run: Run, console: Console) -> None:
    """The tables of a run with judges: a row per group, a column per measure, the headline first."""
    from rich.table import Table
    from rich.text import Text

    summary = run.summary
    headline = summary["headline"]
    measures = sorted(summary["measures"], key=lambda measure: measure["name"] != headline)
    shown = [measure for measure in measures if summary["overall"][measure["name"]]["n"]][:MOST_COLUMNS]
    room = _room(shown, console)
    while room < LEAST_NAME and len(shown) > 1:  # the others are in the report
        shown.pop()
        room = _room(shown, console)
    table = Table(box=None, pad_edge=False)
    table.add_column("", no_wrap=True)
    for place, measure in enumerate(shown):
        table.add_column(measure["label"], justify="right", min_width=_figure_width(measure))
        if place == 0:
            table.add_column("95 %", justify="right", no_wrap=True, min_width=12)
    table.add_column("n", justify="right", no_wrap=True)
    table.add_row("overall", *_cells(summary["overall"], shown))
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for row in _telling(summary["groups"]):
        rows.setdefault((row["by"], row["key"]), {})[row["metric"]] = row
    before = ""
    for (by, key), cells in rows.items():
        if by != before:
            table.add_row("")
            table.add_row(Text(f"by {by}", style="dim"))
            before = by
        few = is_few(cells.get(headline) or {})
        name = Text(printing.folded(f"  {key}", room))
        table.add_row(name, *_cells(cells, shown), style="dim" if few else None)
    console.print(table)


def _figure_width(measure: dict[str, Any]) -> int:
    """How wide the column of a measure is: its label may be broken between words."""
    return max(5, *map(len, measure["label"].split()))


def _room(shown: list[dict[str, Any]], console: Console) -> int:
    """What is left for names beside the figures of some measures, an interval and a count."""
    return printing.line_width(console) - sum(_figure_width(measure) + 2 for measure in shown) - INTERVAL - COUNT


def _telling(groups: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows of tables that say something: by level or language only where there are several."""
    kinds = ("level", "language")
    seen = {kind: {row["key"].split("/")[0] for row in groups if row["by"] == kind} for kind in kinds}
    return [row for row in groups if len(seen.get(row["by"].split("/")[0], kinds)) > 1]


def case(record: CaseRecord, console: Console) -> None:
    """One unit of a case: what was asked, the scores, and what each judge said."""
    from editscope.cli.output.runs import one_line, told, took
    from editscope.runfolder.repeats import plain

    variant, repeat = plain(record.variant)
    lines = [
        record.case_id + (f" · {variant}" if variant else "") + (f" · repeat {repeat + 1}" if repeat else ""),
        "  " + " · ".join(f"{tag} {value}" for tag, value in record.tags.items()),
        f"  instruction   {record.instruction}",
        *told(record),
        f"  status        {record.status}" + (f": {one_line(record.reason)}" if record.reason else ""),
        *took(record),
        *(f"  {name:<22}{100 * value:.2f}" for name, value in record.metrics.items()),
    ]
    for row in record.rows:
        value = row.get("status", "ok") if row["value"] is None else f"{row['value']:g}"
        where = f" ({row['key']})" if row.get("key") and row["key"] != row["metric"] else ""
        lines.append(f"  row           {row['metric']}{where} {value}")
    for verdict in record.verdicts:
        label = f" (label {verdict.label})" if verdict.label else ""
        lines.append(f"  {verdict.key:<14}{verdict.question or verdict.prompt}")
        who = f"{verdict.judge} · {verdict.snapshot or 'no snapshot'} · sample {verdict.sample}"
        lines.append(f"    {who}: {verdict.answer}{label}")
        lines += [f"    {one_line(verdict.reason)}"] if verdict.reason else []
    lines += [f"  note          {note}" for note in record.notes]
    lines += [f"  {kind:<14}{path}" for kind, path in record.thumbs.items()]
    lines += [f"  edit {variant:<9}{path}" for variant, path in record.images.items()] or ["  edit in full  none"]
    console.print("\n".join(lines), markup=False)


def _means(summary: dict[str, Any]) -> list[str]:
    """Every measure that has a value, the headline first and with its interval."""
    headline, said = summary["headline"], []
    for measure in sorted(summary["measures"], key=lambda measure: measure["name"] != headline):
        cell = summary["overall"][measure["name"]]
        if cell["mean"] is None:
            continue
        digits, first = _digits(measure), measure["name"] == headline
        spread = half_width(cell, digits) if first else ""
        spread += few_in_words(cell) if first else ""
        said.append(f"{measure['label']} {cell['mean']:.{digits}f}{spread}")
    return said or ["no case has a value"]


def _digits(measure: dict[str, Any]) -> int:
    """Two decimals for a scale that ends at ten or below, as the papers print it."""
    return 2 if (measure["best"] - measure["zero"]) * measure["scale"] <= 10 else 1


def _headline_digits(summary: dict[str, Any]) -> int:
    return next((_digits(one) for one in summary["measures"] if one["name"] == summary["headline"]), 1)


def _weakest(summary: dict[str, Any]) -> str:
    """The three lowest rows of the first table that has more than one, where they are surely below the mean."""
    rows = [row for row in summary["groups"] if row["metric"] == summary["headline"] and row["mean"] is not None]
    for by in dict.fromkeys(row["by"] for row in rows):
        group = [row for row in rows if row["by"] == by]
        if len(group) > 1:
            digits = _headline_digits(summary)
            overall = summary["overall"][summary["headline"]]["mean"]
            lowest = weakest_in_words(group, overall, number=f"{{:.{digits}f}}".format)
            return f"weakest {by}  {lowest}" if lowest else ""
    return ""


def _labels(summary: dict[str, Any]) -> str:
    labels = summary.get("labels")
    if not labels:
        return ""
    return (
        f"{labels['yes']:.1f} % of the labels are Yes: that much a judge gets which always says yes, "
        f"and {labels['unchanged']:.1f} a picture in which nothing of it can be seen"
    )


def _edits(run: Run) -> str:
    from editscope.results.accounting import accounting_of, unsupported_in_words

    gaps = {status: n for status, n in run.summary["edits"].items() if status not in ("ok", "not_applicable") and n}
    outside = unsupported_in_words(run.summary)
    parts = [outside] if outside else []
    if gaps:
        counts = {"worst": "counts as the worst score", "skip": "is left out", "fail": "stops the run"}
        counted = f"a missing edit {counts[run.info['judging']['missing']]}"
        counted = "counted as released" if accounting_of(run.info) == "released" else counted
        listed = " · ".join(f"{status} {n:,}" for status, n in gaps.items())
        parts.insert(0, f"{listed} ({counted})")
    return f"without an edit: {' · '.join(parts)}" if parts else ""


def _verdicts(summary: dict[str, Any]) -> str:
    """How many verdicts are missing, and where the headline lies whatever they would have been."""
    gaps = {status: n for status, n in summary["verdicts"].items() if status != "ok" and n}
    if not gaps:
        return ""
    total = sum(summary["verdicts"].values())
    listed = " · ".join(f"{status} {n:,}" for status, n in gaps.items())
    released = summary.get("accounting", {}).get("used") == "released"
    sentence = f"without a verdict: {listed} of {total:,}" + ("" if released else " (skipped)")
    cell = summary["overall"][summary["headline"]]
    if "worst" in cell:
        worst, best = (f"{cell[end]:.{_headline_digits(summary)}f}" for end in ("worst", "best"))
        sentence += f"; {summary['headline']} is between {worst} and {best} whatever they would be"
    return sentence


def _panel(summary: dict[str, Any]) -> str:
    rows = [row for row in summary.get("panel", ()) if row["alpha"] is not None]
    alphas = " · ".join(f"{row['prompt']} {row['field']} {row['alpha']:.2f}" for row in rows)
    return f"agreement of the judges (Krippendorff's alpha): {alphas}" if alphas else ""


def _spent(summary: dict[str, Any]) -> str:
    spent = summary["spent"]
    cost = "" if spent["cost_usd"] is None else f" · ${spent['cost_usd']:,.2f}"
    if cost and spent.get("estimated"):
        cost += f" · tokens of {spent['estimated']:,} answers estimated, since the server did not report them"
    cached = f" · {spent['cached']:,} from the cache" if spent["cached"] else ""
    agreed = summary.get("agreement")
    same = f" · verdicts on the same question agree in {agreed['mean']:.1f} % of pairs" if agreed else ""
    return f"{spent['calls']:,} verdicts asked for{cost}{cached}{same}"


def _cells(cells: dict[str, Any], shown: list[dict[str, Any]]) -> list[str]:
    """One row: the headline with its interval, the other measures, the number of values of the headline."""
    figures = []
    for place, measure in enumerate(shown):
        cell = cells.get(measure["name"])
        mean = None if cell is None else cell["mean"]
        figures.append("–" if mean is None else f"{mean:.{_digits(measure)}f}")
        if place == 0:
            ends = [] if cell is None or cell["lo"] is None else [cell["lo"], cell["hi"]]
            figures.append(" … ".join(f"{end:.{_digits(measure)}f}" for end in ends))
    first = cells.get(shown[0]["name"]) if shown else None
    return [*figures, str(first["n"] if first else 0)]
