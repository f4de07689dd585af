"""Notebook views of runs, selections and comparisons: small HTML with its pictures inside.

Styles stand in the elements, because notebooks drop style sheets from what they do not trust; colors of text
and background are the notebook's own, light or dark.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from editscope.files import PICTURE, read_file
from editscope.results.comparison_text import interval, letter
from editscope.results.repeats_summary import repeats_in_words
from editscope.runfolder.repeats import case_name
from editscope.runfolder.run_json import aggregation_from
from editscope.stats.small_groups import weakest_in_words
from editscope.stats.summary import percent_scale
from editscope.wording import metric_in_text, p_value, part_note, signed, value

if TYPE_CHECKING:
    from editscope.results.comparison import Comparison
    from editscope.results.run import CaseRecord, Run, Selection
    from editscope.stats.paired import Paired

MOST_CASES = 12
COLORS = {
    "success": "#14a67c",
    "color_imprecision": "#e6a91a",
    "tone_shift": "#f0cf7a",
    "too_weak": "#a9d48a",
    "misplaced_consequences": "#8f7fd6",
    "consequences_missing": "#e08a5b",
    "consequences_only": "#d99ac4",
    "structural_imprecision": "#5aaee6",
    "execution_omission": "#9a9ea7",
    "structural_catastrophe": "#d0523d",
}
OTHER = "#565b66"
TYPES = {".webp": "image/webp", ".png": "image/png", ".jpg": "image/jpeg"}
LINE = "1px solid rgba(128,128,128,.35)"
FAINT = "opacity:.68"
CELL = "padding:2px 10px 2px 0;border:0;white-space:nowrap;font-variant-numeric:tabular-nums"


def run_html(run: Run) -> str:
    """A run at a glance: headline with interval, coverage, weakest groups, failure modes, worst cases."""
    info = run.info
    title = f"<b>{escape(str(info['editor']['name']))}</b> on {escape(str(info['suite']['name']))}"
    where = f"<span style='{FAINT}'> · {escape(str(run.archive or run.path))}</span>"
    if not run.rows()["case_id"]:
        return _box(f"{title}{where}", f"<div>no scored case yet, of {info['selection']['n']:,}</div>")
    headline = aggregation_from(info).headline
    worst = run.cases().worst(4)
    parts = [
        f"{title}{where}",
        _headline(run.summary, headline) + _coverage(run),
        _weakest(run.summary, headline),
        _failures(run.summary.get("failures", {})),
        escape(repeats_in_words(run.summary, metric_in_text(headline))),
        _fold("The four worst cases", _cards(worst.records, headline)),
    ]
    return _box(*parts)


def selection_html(selection: Selection) -> str:
    """Some cases with their pictures."""
    shown = selection.records[:MOST_CASES]
    more = len(selection.records) - len(shown)
    head = f"<b>{len(selection.records):,}</b> case{'' if len(selection.records) == 1 else 's'}"
    rest = f"<div style='{FAINT}'>… and {more:,} more; .worst(5) or .best(5) shows fewer</div>" if more else ""
    return _box(head, _cards(shown, selection.headline), rest)


def comparison_html(comparison: Comparison) -> str:
    """A comparison: its tables in brief, what they mean, and the three cases that differ most."""
    cases = [case for case in comparison.cases(3) if case.difference]
    cards = "".join(
        f"<div style='margin-top:8px'><div><b>{escape(case.case_id)}</b> "
        f"{signed(case.difference, comparison.metric)}<span style='{FAINT}'> · {escape(case.instruction)}</span></div>"
        f"{_row(_contrast(comparison, case.records, case.scores))}</div>"
        for case in cases
    )
    return _box(_summary(comparison), _fold("The cases that differ most", cards) if cards else "")


def comparison_table(comparison: Comparison, by: Sequence[str]) -> str:
    """The whole table of a comparison, with the groups of these kinds."""
    return _box(_summary(comparison), *(_groups(comparison, kind) for kind in by))


def _summary(comparison: Comparison) -> str:
    suite = escape(str(comparison.runs[0].info["suite"]["name"]))
    head = f"<b>{escape(metric_in_text(comparison.metric))}</b> on {suite}, case by case"
    first = comparison.tables[0].overall
    rows = [[_run_name(comparison, 0), value(first.mean_a, comparison.metric), "", "", "", "", ""]]
    for index, table in enumerate(comparison.tables, start=1):
        mean = value(table.overall.mean_b, comparison.metric)
        rows.append([_run_name(comparison, index), mean, *_figures(table.overall, comparison.metric)])
    notes = "".join(f"<div>{escape(note)}</div>" for note in comparison.notes())
    heads = ["", "mean", "difference", "95 %", "win / tie / loss", "p", "sign test"]
    return f"<div style='margin-bottom:6px'>{head}</div>{_table(heads, rows)}<div style='margin-top:6px'>{notes}</div>"


def _groups(comparison: Comparison, kind: str) -> str:
    two = len(comparison.runs) == 2
    heads = [escape(kind), "A"]
    for index in range(1, len(comparison.runs)):
        heads += [letter(index), f"{letter(index)} − A"]
    heads += ["95 %", "win / tie / loss", "p", "sign test"] if two else []
    rows = []
    for _, key, found in comparison.lines(kind):
        known = next(paired for paired in found if paired is not None)
        row = [escape(key), value(known.mean_a, comparison.metric)]
        for paired in found:
            figures = ["–", ""] if paired is None else _figures(paired, comparison.metric)
            row += [
                "–" if paired is None else value(paired.mean_b, comparison.metric),
                *(figures if two else figures[:1]),
            ]
        rows.append(row)
    return f"<div style='margin-top:10px'>{_table(heads, rows)}</div>"


def _figures(paired: Paired, metric: str) -> list[str]:
    color = "" if not paired.stars or metric.endswith("_ratio") else "#14a67c" if paired.difference > 0 else "#d0523d"
    style = f" style='color:{color};font-weight:600'" if color else ""
    return [
        f"<span{style}>{signed(paired.difference, metric)}{paired.stars}</span>",
        interval(paired, metric),
        f"{paired.wins:,} / {paired.ties:,} / {paired.losses:,}",
        p_value(paired.p_holm, compact=True).replace("<", "&lt;"),
        p_value(paired.p_sign, compact=True).replace("<", "&lt;"),
    ]


def _run_name(comparison: Comparison, index: int) -> str:
    return f"<b>{letter(index)}</b>&ensp;{escape(comparison.names[index])}"


def _contrast(
    comparison: Comparison, records: Sequence[CaseRecord], scores: Sequence[float | None]
) -> Iterable[tuple[str, str]]:
    """Input and answer once, then the edit of each run with its score."""
    for kind in ("input", "answer"):
        yield _picture(records[0], kind), kind
    for index, (record, score) in enumerate(zip(records, scores, strict=True)):
        shown = "–" if score is None else value(score, comparison.metric)
        yield _picture(record, "edit"), f"<b>{letter(index)}</b> {shown}"


def _headline(summary: dict[str, Any], headline: str) -> str:
    cell = summary["overall"].get(headline)
    if cell is None or cell["mean"] is None:
        return ""
    around = "" if cell["lo"] is None or cell["hi"] <= cell["lo"] else f"{cell['lo']:.1f} … {cell['hi']:.1f}"
    spread = f" <span style='{FAINT}'>{around or 'n = ' + str(cell['n'])}</span>"
    big = f"<span style='font-size:1.8em;font-weight:650'>{value(cell['mean'], headline)}</span>"
    others = [
        f"{escape(metric_in_text(metric).removesuffix(' accuracy'))} {value(found['mean'], metric)}"
        for metric, found in summary["overall"].items()
        if metric in ("edit_accuracy", "preservation_accuracy") and found["mean"] is not None
    ]
    return f"<div>{escape(metric_in_text(headline))} {big}{spread}&emsp;{'&emsp;'.join(others)}</div>"


def _coverage(run: Run) -> str:
    gaps = " · ".join(f"{escape(status)} {n:,}" for status, n in run.coverage.items() if status != "ok" and n)
    n, note = int(run.info["selection"]["n"]), part_note(run.info["selection"])
    total = f"{n - run.coverage.get('pending', 0):,} of {n:,} cases" + (f" · a part: {note}" if note else "")
    return f"<div style='{FAINT}'>{total}{' · ' + gaps if gaps else ', each with an edit'}</div>"


def _weakest(summary: dict[str, Any], headline: str) -> str:
    """The weakest rows of the table of tasks, or of the first table there is, where they are surely so."""
    rows = [row for row in summary["groups"] if row["metric"] == headline and row["mean"] is not None]
    kinds = list(dict.fromkeys(row["by"] for row in rows))
    kind = "task" if "task" in kinds else kinds[0] if kinds else ""
    overall = summary["overall"].get(headline, {}).get("mean")
    table = [row for row in rows if row["by"] == kind]
    lowest = weakest_in_words(table, overall, name=escape, number=lambda mean: f"<b>{value(mean, headline)}</b>")
    return f"<div><span style='{FAINT}'>weakest</span>&ensp;{lowest}</div>" if lowest else ""


def _failures(failures: dict[str, int]) -> str:
    """The shares of the failure modes as one bar, with the names of those that are more than a sliver."""
    total = sum(failures.values())
    if not total:
        return ""
    order = [mode for mode in COLORS if mode in failures] + sorted(failures.keys() - COLORS.keys())
    bar = "".join(
        f"<span title='{escape(mode)} {failures[mode]:,}' style='display:inline-block;height:10px;"
        f"width:{100 * failures[mode] / total:.2f}%;background:{COLORS.get(mode, OTHER)}'></span>"
        for mode in order
    )
    names = "&emsp;".join(
        f"<span style='color:{COLORS.get(mode, OTHER)}'>■</span> {escape(mode.replace('_', ' '))} "
        f"{100 * failures[mode] / total:.0f} %"
        for mode in order
        if failures[mode] >= 0.01 * total
    )
    frame = "max-width:560px;border-radius:5px;overflow:hidden;font-size:0;line-height:0;white-space:nowrap"
    return f"<div><div style='{frame}'>{bar}</div><div style='font-size:.92em;margin-top:3px'>{names}</div></div>"


def _cards(records: Sequence[CaseRecord], headline: str) -> str:
    cards = []
    for record in records:
        pictures = [(_picture(record, kind), kind) for kind in ("input", "edit", "answer")]
        score = record.metrics.get(headline)
        shown = "–" if score is None else value(percent_scale(headline) * score, headline)
        mark = f"<span style='color:{COLORS.get(record.failure, OTHER)}'>■</span>"
        clip = "display:-webkit-box;-webkit-line-clamp:2;-webkit-box-orient:vertical;overflow:hidden"
        text = escape(record.instruction)
        cards.append(
            f"<div style='width:332px;margin:8px 10px 4px 0'>{_row(pictures)}"
            f"<div><b>{escape(case_name(record.case_id, record.variant))}</b></div>"
            f"<div>{shown}&ensp;{mark} {escape(record.failure.replace('_', ' '))}</div>"
            f"<div title='{text}' style='{FAINT};{clip}'>{text}</div></div>"
        )
    return f"<div style='display:flex;flex-wrap:wrap'>{''.join(cards)}</div>"


def _row(pictures: Iterable[tuple[str, str]]) -> str:
    cells = "".join(
        f"<div style='margin-right:6px;text-align:center'>{picture}"
        f"<div style='font-size:.85em;{FAINT}'>{label}</div></div>"
        for picture, label in pictures
    )
    return f"<div style='display:flex;flex-wrap:wrap'>{cells}</div>"


def _picture(record: CaseRecord, kind: str) -> str:
    """A thumbnail as it lies in the run, inside the page; an empty frame where there is none."""
    path = record.thumbs.get(kind)
    try:
        content = read_file(path, PICTURE) if path is not None and path.suffix in TYPES else None
    except OSError:
        content = None
    if path is None or content is None:
        return f"<div style='width:102px;line-height:72px;border:{LINE};border-radius:4px;{FAINT}'>none</div>"
    data = b64encode(content).decode()
    alt = escape(f"{kind} of {record.case_id}")
    frame = f"max-width:104px;max-height:104px;margin:0;border:{LINE};border-radius:4px;box-sizing:border-box"
    return f"<img alt='{alt}' src='data:{TYPES[path.suffix]};base64,{data}' style='{frame}'/>"


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    def line(tag: str, cells: Sequence[str], more: str = "") -> str:
        html = "".join(
            f"<{tag} style='{CELL};text-align:{'right' if i else 'left'}{more}'>{cell}</{tag}>"
            for i, cell in enumerate(cells)
        )
        return f"<tr style='background:none'>{html}</tr>"

    body = "".join(line("td", row) for row in rows)
    head = line("th", heads, f";font-weight:600;border-bottom:{LINE}")
    return (
        f"<table style='border-collapse:collapse;margin:0;border:0'><thead>{head}</thead><tbody>{body}</tbody></table>"
    )


def _fold(title: str, content: str) -> str:
    summary = f"<summary style='cursor:pointer'>{escape(title)}</summary>"
    return f"<details open='open' style='margin-top:4px'>{summary}{content}</details>"


def _box(*parts: str) -> str:
    inner = "".join(f"<div style='margin:0 0 6px'>{part}</div>" for part in parts if part)
    frame = f"border:{LINE};border-radius:8px;padding:10px 14px;max-width:1080px;line-height:1.45"
    return f"<div style='{frame}'>{inner}</div>"
