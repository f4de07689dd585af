"""Overview at the top of the page: every run on one ruler."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from editscope.report.html import inline_bars as charts
from editscope.report.html.gallery_data import mode_of
from editscope.report.html.markup import Child, Html, el
from editscope.report.html.section_parts import badge
from editscope.report.html.sections.findings.verdict import verdict
from editscope.report.html.sections.provenance.judging import judged_apart
from editscope.report.model import Cells, RunView, Sheet, shown_spec
from editscope.report.options import ReportOptions
from editscope.runfolder.files import ERRORS
from editscope.stats.small_groups import is_few, weakest_in_words
from editscope.wording import (
    count,
    ends,
    failure,
    interval,
    metric_name,
    metric_note,
    parts_of_cases,
    plain,
    share_in_words,
    trained_note,
    value,
)

SIDE_METRICS = ("edit_accuracy", "preservation_accuracy")
EFFECT_SIDES = ("direct", "preservation_accuracy")
"""What stands beside the consequences of an edit."""
JUDGED_SIDES = ("consistency", "accuracy_by_case", "accuracy", "score", "kf", "kp", "if")
"""What stands beside the headline of a judged run: the first two that its protocol has."""


def overview(sheet: Sheet, options: ReportOptions) -> Html:
    """One line per run on a common ruler: the headline with its interval, two more figures, coverage."""
    metric = sheet.headline
    sides = side_metrics(sheet)
    return el(
        "section",
        [el("p", sentence, cls="notice") for sentence in _all_failed(sheet)],
        verdict(sheet),
        el(
            "div",
            _axis(metric, sides),
            [_overview_row(sheet, view, metric, sides) for view in sheet.runs],
            cls=f"overview{' single' if len(sheet.runs) == 1 else ''}",
        ),
        _different_cases(sheet),
        judged_apart(sheet),
        _listed_failures(sheet),
        _thin_strata(sheet),
        cls="card",
        id=f"overview-{sheet.key}",
    )


def _all_failed(sheet: Sheet) -> list[str]:
    """A sentence for each run in which no edit has worked: its scores say nothing about a model."""
    from editscope.results.failed_edits import every_edit_failed

    sentences = [(view.name, every_edit_failed(view.run)) for view in sheet.runs]
    several = len(sheet.runs) > 1
    return [f"{name}: {sentence}" if several else sentence for name, sentence in sentences if sentence]


def _listed_failures(sheet: Sheet) -> Html | None:
    """Where the edits that failed are listed, for whoever has the run folders."""
    listed = [view.name for view in sheet.runs if (view.run.path / ERRORS).is_file()]
    if not listed:
        return None
    whose = "the run folder" if len(sheet.runs) == 1 else f"the run folder of {' and of '.join(listed)}"
    return el("p", el("code", ERRORS), f" in {whose} lists every failure with its reason.", cls="sub")


def side_metrics(sheet: Sheet) -> list[str]:
    """The two metrics that stand beside the headline."""
    if not sheet.judged:
        sides = EFFECT_SIDES if sheet.headline == "consequences" else SIDE_METRICS
        return [m for m in sides if m in sheet.metrics and m != sheet.headline]
    others = [m for m in sheet.metrics if m != sheet.headline]
    first = [m for name in JUDGED_SIDES for m in others if m == name]
    return list(dict.fromkeys([*first, *others]))[:2]


def set_line(sheet: Sheet) -> list[Child]:
    """How many cases there are, and which."""
    return [
        parts_of_cases([view.run.info["selection"] for view in sheet.runs]),
        " · ",
        sheet_label(sheet),
    ]


def sheet_label(sheet: Sheet) -> str:
    """Where the cases come from, without the folders of this machine."""
    text = sheet.label
    if text.startswith("read from "):
        return f"read from {text.removeprefix('read from ').rstrip('/').rsplit('/', 1)[-1]}"
    return text


def _axis(metric: str, sides: Sequence[str]) -> Html:
    low, high = ends(metric)
    step = (high - low) / (5 if high - low > 5 else max(1, round(high - low)))
    numbers = [
        el("i", f"{low + i * step:g}", style=f"left:{100 * i * step / (high - low):g}%")
        for i in range(round((high - low) / step) + 1)
    ]
    return el(
        "div",
        el("span", "Run", cls="who"),
        el("span", metric_name(metric), cls="big", title=metric_note(metric)),
        el("span", numbers, cls="ruler-scale", aria_hidden="true"),
        [el("span", metric_name(m), cls="side", title=metric_note(m)) for m in sides],
        el("span", "Coverage", cls="side wide"),
        cls="axis",
    )


def _overview_row(sheet: Sheet, view: RunView, metric: str, sides: Sequence[str]) -> Html:
    overall: Cells = view.summary["overall"]
    cell = sheet.headline_cell(view)
    floor = (view.summary.get("floor") or {}).get(metric, {}).get("mean")
    return el(
        "div",
        el("div", badge(view), el("div", el("strong", view.name), _spec_line(sheet, view)), cls="who"),
        el(
            "button",
            el("strong", value(cell["mean"], metric)),
            el("small", interval(cell, metric)),
            el("small", f"judge alone {value(cell['judged'], metric)}") if "judged" in cell else None,
            type="button",
            cls="big few" if is_few(cell) else "big",
            data_filter="{}",
            data_run=view.index,
            title="Show the cases of this run",
        ),
        el(
            "div",
            el(
                "i",
                cls="floor",
                style=f"left:{floor:.2f}%",
                title=f"floor: an editor that changes nothing scores {floor:.1f}",
            )
            if floor is not None
            else None,
            charts.bar(cell, metric),
            cls="ruler",
        ),
        [
            el(
                "div",
                el("strong", value(overall[m]["mean"], m)),
                el("small", interval(overall[m], m)),
                el("em", metric_name(m), cls="only-narrow"),
                cls="side few" if is_few(overall[m]) else "side",
            )
            for m in sides
        ],
        el("div", _coverage(view), cls="side wide"),
        el("p", _reading(sheet, view), cls="reading") if len(sheet.runs) > 1 else None,
        cls=f"row run{view.index % 8}",
    )


def _spec_line(sheet: Sheet, view: RunView) -> list[Html]:
    """The editor's spec, what it was trained on, and how many cases of how many, where runs differ in that."""
    spec = shown_spec(view.run)
    part = view.part if len({other.part for other in sheet.runs}) > 1 else ""
    lines = [el("small", el("code", spec))] if spec != view.name else []
    notes = [note for note in (trained_note(view.run.info), part) if note]
    return [*lines, *(el("small", note, cls="part") for note in notes)]


def _coverage(view: RunView) -> list[Child]:
    if view.run.judged:
        return _judged_coverage(view)
    coverage: Mapping[str, int] = view.summary.get("coverage") or Counter(r.status for r in view.records)
    total = sum(coverage.values())
    rest = [f"{number:,} {plain(status).lower()}" for status, number in coverage.items() if status != "ok" and number]
    ok = coverage.get("ok", 0)
    return [
        el("strong", f"{ok:,}", el("span", f" / {total:,}", cls="of")),
        el("small", " · ".join(rest) if rest else "all scored", cls="warn" if rest else None),
        el("em", "Coverage", cls="only-narrow"),
    ]


def _judged_coverage(view: RunView) -> list[Child]:
    """Edits that are there, and verdicts that are not."""
    edits: Mapping[str, int] = view.summary.get("edits") or Counter(r.status for r in view.records)
    verdicts: Mapping[str, int] = view.summary.get("verdicts") or {}
    total, lacking = sum(verdicts.values()), sum(n for status, n in verdicts.items() if status != "ok")
    text = f"{lacking:,} of {total:,} verdicts missing" if lacking else f"all {total:,} verdicts"
    return [
        el("strong", f"{edits.get('ok', 0):,}", el("span", f" / {sum(edits.values()):,} edits", cls="of")),
        el("small", text, cls="warn" if lacking else None),
        el("em", "Coverage", cls="only-narrow"),
    ]


def _bounds(sheet: Sheet, view: RunView) -> str:
    """Where the headline lies whatever the missing verdicts would have been."""
    metric = sheet.headline
    cell = view.summary["overall"][metric]
    if not cell.get("missing"):
        return ""
    return f"between {value(cell['worst'], metric)} and {value(cell['best'], metric)} whatever the missing verdicts are"


def _reading(sheet: Sheet, view: RunView) -> list[Child]:
    """The product's sentence: what is weakest and what goes wrong most."""
    metric = sheet.headline
    finest = next((g.name for g in sheet.aggregation.groups if g.by == ("task",)), None)
    if sheet.judged:
        finest = sheet.aggregation.groups[0].name if sheet.aggregation.groups else None
    index = view.summary["index"].items()
    rows = [cells[metric] for (by, _), cells in index if by == finest and metric in cells]
    parts: list[Child] = []
    if lowest := weakest_in_words(
        rows,
        view.summary["overall"][metric]["mean"],
        name=lambda key: plain(key).lower(),
        number=lambda mean: value(mean, metric),
        kind="" if sheet.judged else "tasks",
    ):
        parts += [el("span", "weakest "), lowest]
    if sheet.judged:
        bounds = _bounds(sheet, view)
        return [*parts, "; " if parts and bounds else None, bounds or None]
    modes = Counter(mode_of(r) for r in sheet.averaged(view))
    failures = [(mode, n) for mode, n in modes.most_common() if mode != "success"]
    if failures:
        mode, n = failures[0]
        share = share_in_words(n / sum(modes.values()))
        parts += [el("span", f"{'; ' if parts else ''}most common failure "), f"{failure(mode).label.lower()} {share}"]
    return parts


def _thin_strata(sheet: Sheet) -> Html | None:
    """Say so when intervals cannot be trusted because there is nothing to resample."""
    single, strata = sheet.single_strata()
    metric = sheet.headline
    if not single or all(view.summary["overall"].get(metric, {}).get("lo") is None for view in sheet.runs):
        return None
    single_cases = f"{single} of {strata} groups of {' and '.join(sheet.aggregation.strata)} hold a single case"
    return el("p", f"{single_cases}, whose spread cannot be seen: intervals are too narrow.", cls="notice")


def _different_cases(sheet: Sheet) -> Html | None:
    """Say so when runs of one sheet do not cover the same cases: their means are then not comparable."""
    sets = [{r.case_id for r in view.records} for view in sheet.runs]
    if all(s == sets[0] for s in sets):
        return None
    shared = len(set.intersection(*sets))
    return el(
        "p",
        f"These runs do not cover the same cases ({count(shared, 'case')} in common); compare their means with care.",
        cls="notice",
    )
