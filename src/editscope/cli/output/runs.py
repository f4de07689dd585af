"""Plans, results and cases, as commands print them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from editscope import printing
from editscope.stats.small_groups import few_in_words, is_few, rules_in_words, weakest_in_words
from editscope.wording import RECOVERY, half_width, other_size, part_note, trained_note

if TYPE_CHECKING:
    from rich.console import Console

    from editscope.results import CaseRecord, Run
    from editscope.runs import Plan

SHORT = {
    "miou": "mIoU",
    "iou@0": "IoU@0",
    "edit_accuracy": "edit",
    "preservation_accuracy": "preservation",
}
SHORT_EFFECTS = {
    "consequences": "consequences",
    "direct": "direct",
    "gap": "gap",
    "preservation_accuracy": "kept",
}
LISTED = 20


def remarks(*runs: Run) -> None:
    """What the user should know about the tables of runs, on stderr; they are checked against their journals first."""
    for run in runs:
        if run.remark:
            printing.say(f"editscope: {run.remark}", error=True)


def plan(planned: Plan, console: Console) -> None:
    """What a run would do, and every file that is in the way."""
    inventory = planned.inventory
    for what, files in (
        ("missing", inventory.missing),
        ("matches no case", inventory.unmatched),
        ("unreadable", inventory.unreadable),
    ):
        for number, file in enumerate(files[:LISTED]):
            first = what == "missing" and number == 0 and inventory.expected
            expected = f" (expected: {inventory.expected})" if first else ""
            console.print(f"  {what}: {file}{expected}", markup=False)
        if len(files) > LISTED:
            console.print(f"  {what}: … and {len(files) - LISTED:,} more", markup=False)
    from editscope.runs.forecast import forecast

    for line in forecast(planned).lines():
        console.print(f" {line}", markup=False)
    console.print(f" cases {planned.suite.label()} · would go to {planned.out} · nothing was done", markup=False)


def result(run: Run, console: Console) -> None:
    """The last lines of a run: the headline, the weakest tasks, the most common failure, the gaps; then the speed.

    Where no edit has worked, that comes first.
    """
    from editscope.results.failed_edits import every_edit_failed, logs, retry_lines
    from editscope.runfolder.code_versions import versions_in_words

    if lead := every_edit_failed(run):
        console.print(f" {lead}", markup=False)
    if run.judged:
        from editscope.cli.output import judged

        judged.result(run, console)
    else:
        _by_pixels(run, console)
    if versions := versions_in_words(run.summary):
        console.print(f" note: {versions}", markup=False)
    from editscope.results.left_unchanged import reasons_in_words

    for line in reasons_in_words(run.summary):
        console.print(f" {line}", markup=False)
    if pending := run.coverage.get("pending", 0):
        lack = "lack repeats" if run.repeats > 1 else "have no score yet"
        console.print(f" {pending:,} cases {lack}: editscope resume {run.path}", markup=False)
    if run.repeats > 1:
        from editscope.results.repeats_summary import repeats_in_words

        console.print(f" {repeats_in_words(run.summary, _headline_name(run))}", markup=False)
    took = run.summary.get("speed")
    if took and not str(run.info["editor"]["spec"]).startswith("ref:"):
        from editscope.results.speed import speed_in_words

        console.print(f" {speed_in_words(took)}", markup=False)
    for line in (*retry_lines(run), *logs(run)):
        console.print(f" {line}", markup=False)


def _headline_name(run: Run) -> str:
    measures = {measure["name"]: str(measure["label"]) for measure in run.summary.get("measures", ())}
    return measures.get(run.summary.get("headline", ""), next(iter(shown_metrics(run.summary).values())))


def shown_metrics(summary: Mapping[str, Any]) -> Mapping[str, str]:
    """The metrics that a terminal has room for, the most telling first: of effects, where the cases know them."""
    return SHORT_EFFECTS if "consequences" in summary["overall"] else SHORT


def _by_pixels(run: Run, console: Console) -> None:
    summary = run.summary
    if summary["overall"]["miou"]["n"]:
        beside = part_of_suite(run) or published_best(run)
        if note := trained_note(run.info):
            beside.append(f"({note})")
        console.print(" " + "   ".join([*_headline(summary), *beside]), markup=False)
    texts = [text for text in (_weakest(summary), _failures(summary["failures"])) if text]
    if texts:
        console.print(" " + "   ".join(texts), markup=False)
    diagnostics = [row for row in summary["groups"] if row["by"] == "diagnostic"]
    for key in dict.fromkeys(row["key"] for row in diagnostics):
        cells = {row["metric"]: row for row in diagnostics if row["key"] == key}
        console.print(f" {key} (not in the averages): " + "   ".join(_headline({"overall": cells})), markup=False)
    if resized := summary.get("resized"):
        console.print(f" {other_size(resized, run.coverage['ok'])}", markup=False)
    from editscope.results.failed_edits import failed_in_words

    if counted := failed_in_words(run):
        console.print(f" {counted}", markup=False)
        reasons(run, console)


def part_of_suite(run: Run) -> list[str]:
    """How many cases of how many a run is on, where it is on a part of its suite or not yet done."""
    note = part_note(run.info["selection"], run.coverage.get("pending", 0))
    return [f"({note})"] if note else []


def published_best(run: Run) -> list[str]:
    """What the best published model has on the same suite; nothing for a part of it or for a set of one's own."""
    suite = run.info["suite"]
    if set(suite["options"]) - {"root", "namespace", "split", "strata"}:
        return []
    from editscope.published import HEADLINES, best, label
    from editscope.runfolder.run_json import aggregation_from

    printed = HEADLINES.get(suite["name"])
    first = best(suite["name"])
    if printed is None or first is None or printed.metric != aggregation_from(run.info).headline:
        return []
    if run.summary["overall"][printed.metric]["n"] != printed.cases:
        return []
    return [f"(published best {first.value:.1f}: {label(first)}, not paired)"]


def intervals(run: Run) -> str:
    """How the intervals of a run's tables were made."""
    from editscope.runfolder.run_json import aggregation_from
    from editscope.stats.summary import resampled_within

    how = f"95 %: percentile bootstrap, cases resampled {resampled_within(aggregation_from(run.info))}"
    where = rules_in_words([*run.summary["overall"].values(), *run.summary["groups"]])
    return f"{how}; no interval {where}" if where else how


def summary_table(run: Run, console: Console) -> None:
    """The tables of a run's summary, one row per group."""
    from rich.table import Table
    from rich.text import Text

    if run.judged:
        from editscope.cli.output import judged

        judged.summary_table(run, console)
        return

    summary = run.summary
    table = Table(box=None, pad_edge=False)
    metrics = shown_metrics(summary)
    first, *others = metrics.values()
    headings = (first, "95 %", *others, "n")
    table.add_column("", no_wrap=True)
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for row in summary["groups"]:
        rows.setdefault((row["by"], row["key"]), {})[row["metric"]] = row
    for metric, cell in _by_effect(summary):
        rows["effect: its recovery", metric] = {
            name: cell if name == next(iter(metrics)) else _NO_CELL for name in metrics
        }
    overall = _cells(summary["overall"], metrics)
    # Figures are never cut; in a narrow terminal the names are folded.
    width = printing.room(
        printing.line_width(console),
        *zip(headings, overall, *(_cells(cells, metrics) for cells in rows.values()), strict=True),
    )
    table.add_row("overall", *overall)
    before = ""
    for (by, key), cells in rows.items():
        if by != before:
            table.add_row("")
            table.add_row(Text(f"by {by}", style="dim"))
            before = by
        name = Text(printing.folded(f"  {key}", width))
        table.add_row(name, *_cells(cells, metrics), style="dim" if is_few(cells[next(iter(metrics))]) else None)
    console.print(table)


def case(record: CaseRecord, console: Console) -> None:
    """One case: what was asked, what came out, and the evidence behind its score."""
    from editscope.runfolder.repeats import case_name

    if record.rows:
        from editscope.cli.output import judged

        judged.case(record, console)
        return
    lines = [
        case_name(record.case_id, record.variant),
        "  " + " · ".join(f"{tag} {value}" for tag, value in record.tags.items()),
        f"  instruction   {record.instruction}",
        *told(record),
        f"  status        {record.status}" + (f": {one_line(record.reason)}" if record.reason else ""),
        *took(record),
        f"  failure mode  {record.failure}",
        *(f"  {metric:<22}{_value(metric, value)}" for metric, value in record.metrics.items()),
    ]
    for name, value in record.evidence.items():
        if name != "effects":  # whose recoveries are among the metrics
            lines.append(f"  {name:<22}{' '.join(map(str, value)) if isinstance(value, list) else value}")
    lines += [f"  note          {note}" for note in record.notes]
    lines += [f"  {kind:<14}{path}" for kind, path in record.thumbs.items()]
    lines.append(f"  edit in full  {record.image or 'none'}")
    console.print("\n".join(lines), markup=False)


def told(record: CaseRecord) -> list[str]:
    """What the model was really asked and what it said."""
    lines = []
    for what, text in (("asked", record.asked), ("trace", record.trace)):
        plain = printing.plain(text or "").strip()
        lines += [f"  {what if i == 0 else '':<14}{line}" for i, line in enumerate(plain.splitlines())]
    return lines


def one_line(text: str) -> str:
    """A foreign text in one line, so that none of it can pass for a line of ours.

    >>> one_line("bad\\n  status        ok")
    'bad status ok'
    """
    return " ".join(text.split())


def reasons(run: Run, console: Console) -> None:
    """Why edits are missing; not where all are missing: that line leads."""
    from editscope.results.failed_edits import every_edit_failed, reason_lines

    for line in () if every_edit_failed(run) else reason_lines(run):
        console.print(f" {line}", markup=False)


def took(record: CaseRecord) -> list[str]:
    """The line on how long an edit took and what it cost, where either is known."""
    from editscope.results.speed import dollars, duration

    parts = [] if record.latency_s is None else [duration(record.latency_s)]
    parts += [] if record.cost_usd is None else [dollars(record.cost_usd)]
    return [f"  took          {' · '.join(parts)}"] if parts else []


def _headline(summary: dict[str, Any]) -> list[str]:
    figures = []
    shown = shown_metrics(summary)
    for metric, name in shown.items():
        cell = summary["overall"].get(metric)
        if metric == "iou@0" or cell is None or cell["mean"] is None:
            continue
        first = metric == next(iter(shown))
        spread = half_width(cell) if first else ""
        few = few_in_words(cell) if first else ""
        figures.append(f"{name} {cell['mean']:.1f}{spread}{few}")
    return figures


def _weakest(summary: dict[str, Any]) -> str:
    first = next(iter(shown_metrics(summary)))
    tasks = [row for row in summary["groups"] if (row["by"], row["metric"]) == ("task", first)]
    lowest = weakest_in_words(tasks, summary["overall"][first]["mean"], kind="tasks")
    return f"weakest  {lowest}" if lowest else ""


def _failures(failures: dict[str, int]) -> str:
    total = sum(failures.values())
    bad = {mode: n for mode, n in failures.items() if mode != "success"}
    if not bad:
        return ""
    mode = max(bad, key=lambda name: (bad[name], name))
    return f"most common failure: {mode.replace('_', ' ')} {100 * bad[mode] / total:.0f} %"


_NO_CELL: Mapping[str, Any] = {"mean": None, "lo": None, "hi": None, "n": 0}


def _by_effect(summary: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """The recovery of every effect, by the name of the effect."""
    cells = summary["overall"].items()
    return [(metric.removeprefix(RECOVERY), cell) for metric, cell in cells if metric.startswith(RECOVERY)]


def _cells(cells: Mapping[str, Any], metrics: Iterable[str]) -> list[str]:
    """One row: the headline with its interval, the other metrics, the number of cases."""
    shown = [cells.get(metric, _NO_CELL) for metric in metrics]
    first = shown[0]
    interval = "" if first["lo"] is None else f"{first['lo']:.1f} … {first['hi']:.1f}"
    means = [cell["mean"] for cell in shown]
    figures = ["–" if mean is None else f"{mean:.1f}" for mean in means]
    return [figures[0], interval, *figures[1:], str(first["n"])]


def _value(metric: str, value: float) -> str:
    return f"{value:.2f}" if metric.endswith("_ratio") else f"{100 * value:.2f}"
