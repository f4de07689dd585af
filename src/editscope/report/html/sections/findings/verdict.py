"""Verdict in words at the top of the page: who scores what, how sure that is, and what goes wrong most."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

from editscope.errors import BadInput
from editscope.report.figure_data.statistics import paired_resamples
from editscope.report.html.gallery_data import mode_of
from editscope.report.html.links import cases_link
from editscope.report.html.markup import Child, Html, el
from editscope.report.model import RunView, Sheet
from editscope.stats.paired import Paired, compare_rows
from editscope.stats.small_groups import enough, is_few, weakest_in_words
from editscope.wording import count, ends, failure, listed, metric_name, plain, signed, value

if TYPE_CHECKING:
    from editscope.results.calibration.calibrated_runs import Calibration

Sentence = list[Child]


def verdict(sheet: Sheet) -> Html | None:
    """The findings of a set in a few sentences; None where nothing has a score."""
    ranked = ranking(sheet)
    if not ranked:
        return None
    lead = _one(sheet, ranked[0]) if len(sheet.runs) == 1 else _several(sheet, ranked)
    more = [sentence for sentence in (_wrong(sheet, ranked[0]), _missing(sheet)) if sentence]
    return el(
        "div",
        el("p", lead, cls="lead"),
        [el("p", sentence) for sentence in more],
        cls="in-words",
        id=f"verdict-{sheet.key}",
    )


def ranking(sheet: Sheet) -> list[RunView]:
    """The runs that have a score, best first."""
    scored = [view for view in sheet.runs if _mean(sheet, view) is not None]
    low, high = ends(sheet.headline)
    way = 1 if high >= low else -1  # a scale whose worst is its larger end
    return sorted(scored, key=lambda view: (-way * (_mean(sheet, view) or 0.0), view.index))


def _mean(sheet: Sheet, view: RunView) -> float | None:
    mean: float | None = sheet.headline_cell(view)["mean"]
    return mean


def _figure(sheet: Sheet, view: RunView) -> Sentence:
    """The score in bold, on its scale, with its interval."""
    metric = sheet.headline
    cell = sheet.headline_cell(view)
    scale, around = f" {scale_in_words(metric)}", ""
    if cell.get("lo") is None or cell.get("hi") is None:
        around = " (too few cases for an interval)" if is_few(cell) else ""
    elif cell["lo"] == cell["hi"]:
        around = " (all cases alike)"
    else:
        around = f" (95\u00a0% interval {value(cell['lo'], metric)} to {value(cell['hi'], metric)})"
    # A scale that is explained in parentheses comes after those of the interval.
    return [el("b", value(cell["mean"], metric)), *((around, scale) if scale.endswith(")") else (scale, around))]


def scale_in_words(metric: str) -> str:
    """What a score of a metric lies between.

    >>> from editscope.wording import MetricName
    >>> scale_in_words("miou"), scale_in_words(MetricName("vq", "Quality", low=1, high=5))
    ('of 100', 'on a scale from 1 (worst) to 5 (best)')
    """
    low, high = ends(metric)
    return f"of {high:g}" if low == 0 else f"on a scale from {low:g} (worst) to {high:g} (best)"


def _one(sheet: Sheet, view: RunView) -> Sentence:
    """The score of the only run."""
    if by_people(sheet, view):
        head = [f"People would score {view.name} ", *_figure(sheet, view), ": "]
        over = f"{metric_name(sheet.headline)} over {sheet.headline_cases_in_words}"
        return [*head, f"{over}, {_judge_alone(sheet, view)}."]
    head = [f"{view.name} scores ", *_figure(sheet, view), ": "]
    return [*head, f"{metric_name(sheet.headline)} over {sheet.headline_cases_in_words}."]


def _several(sheet: Sheet, ranked: list[RunView]) -> Sentence:
    """Which run is best, whether that is sure, and which is last."""
    best, others = ranked[0], ranked[1:]
    if not others:
        return _one(sheet, best)
    if sheet.calibration is not None:
        return _several_by_people(sheet, sheet.calibration, best, others[0])
    apart = _apart(sheet, others[0], best)
    opening = f"{best.name} scores best: "
    over = f"{metric_name(sheet.headline)} over {sheet.headline_cases_in_words}"
    after: Sentence = [f", {over}"]
    if apart is None:
        after.append("; no case has a score in both of the first two runs, so they cannot be compared.")
    elif apart.few:
        after.append(f". {count(apart.cases, 'case')} in common with {others[0].name} are too few to compare them.")
    elif apart.stars:
        low, high = apart.lo, apart.hi
        around = "" if low is None or high is None or low == high else f", 95\u00a0% interval {_between(sheet, apart)}"
        both = _on_both(sheet, best, others[0], apart)
        lead = f". It is better than {others[0].name}, the next, by {_points(sheet, apart.difference)}{both}{around}."
        after.append(lead)
    else:
        same = value(_mean(sheet, others[0]), sheet.headline)
        if same == value(_mean(sheet, best), sheet.headline):
            opening = f"{best.name} and {others[0].name} score the same: "
            after.append(".")
        else:
            opening = f"{best.name} scores highest: "
            after.append(f", but it cannot be told apart from {others[0].name} ({same}).")
    return [opening, *_figure(sheet, best), *after]


def _on_both(sheet: Sheet, best: RunView, other: RunView, apart: Paired) -> str:
    """On how many cases two runs are compared, where they do not have the same ones."""
    first, second = ({one.case_id for one in view.records if sheet.headline in one.metrics} for view in (best, other))
    return "" if first == second else f" on the {count(apart.cases, 'case')} that both have"


def by_people(sheet: Sheet, view: RunView) -> bool:
    """Whether people's labels say what a run scores."""
    return "judged" in sheet.headline_cell(view)


def _judge_alone(sheet: Sheet, view: RunView) -> str:
    return f"where the judge alone says {value(sheet.headline_cell(view)['judged'], sheet.headline)}"


def _several_by_people(sheet: Sheet, calibration: Calibration, best: RunView, other: RunView) -> Sentence:
    """Which run people would score highest, if their labels can tell; else how many labels would."""
    from editscope.results.calibration.calibration_text import what_would_decide

    apart = calibration.difference(sheet.runs.index(other), sheet.runs.index(best))
    over = f"{metric_name(sheet.headline)} over {sheet.headline_cases_in_words}"
    if isinstance(apart, str):
        return [f"{best.name} and {other.name} cannot be ranked by what people think: {apart}."]
    figure = [*_figure(sheet, best), f", {over}"]
    span = f"{signed(apart.lo, sheet.headline)} to {signed(apart.hi, sheet.headline)}"
    if apart.decided:
        size = _points(sheet, abs(apart.difference))
        return [
            f"People would score {best.name} highest: ",
            *figure,
            f", {_judge_alone(sheet, best)}. That is {size} more than {other.name}, the next",
            f" (95\u00a0% interval {span}).",
        ]
    return [
        f"{best.name} and {other.name} cannot be ranked: people would score {best.name} ",
        *figure,
        f", and {other.name} {value(_mean(sheet, other), sheet.headline)}; ",
        f"the difference lies within the judge's error (95\u00a0% interval {span}). {what_would_decide(apart)}",
    ]


def _points(sheet: Sheet, difference: float) -> str:
    return f"{signed(difference, sheet.headline).lstrip('+')} points"


def _between(sheet: Sheet, paired: Paired) -> str:
    assert paired.lo is not None
    assert paired.hi is not None
    return f"{signed(paired.lo, sheet.headline).lstrip('+')} to {signed(paired.hi, sheet.headline).lstrip('+')}"


def _apart(sheet: Sheet, first: RunView, second: RunView) -> Paired | None:
    try:
        return compare_rows(
            first.scores,
            second.scores,
            sheet.aggregation,
            sheet.headline,
            match=sheet.match,
            resamples=paired_resamples(sheet),
        ).overall
    except BadInput:  # no case in common
        return None


def _wrong(sheet: Sheet, view: RunView) -> Sentence:
    """What goes wrong most often with the best run, and where it is weakest."""
    whose = f"What goes wrong with {view.name} most often" if len(sheet.runs) > 1 else "What goes wrong most often"
    sentence: Sentence = []
    if not sheet.judged:
        modes = Counter(mode_of(record) for record in sheet.averaged(view))
        failed = [(mode, n) for mode, n in modes.most_common() if mode != "success"]
        if not failed and modes:
            return [f"Every one of its {count(sum(modes.values()), 'case')} is right."]
        if failed:
            mode, n = failed[0]
            text = f"{failure(mode).label.lower()}, {100 * n / sum(modes.values()):.0f}\u00a0% of cases"
            note = failure(mode).note.rstrip(".")
            link = el("a", text, href=cases_link(view=view, failure=mode))
            sentence = [f"{whose}: ", link, f" ({note[:1].lower()}{note[1:]}). " if note else ". "]
    return [*sentence, *_weakest(sheet, view)]


def _weakest(sheet: Sheet, view: RunView) -> Sentence:
    group, metric = sheet.fine, sheet.headline
    if sheet.judged and sheet.aggregation.groups:
        group = sheet.aggregation.groups[0]
    if group is None:
        return []
    index = view.summary["index"].items()
    cells = [row[metric] for (by, _), row in index if by == group.name and metric in row]
    rows = [cell for cell in cells if enough(cell.get("few_cases", cell.get("n", 0)))]
    lowest = weakest_in_words(
        rows,
        view.summary["overall"][metric]["mean"],
        name=lambda key: plain(key).lower(),
        number=lambda mean: value(mean, metric),
        kind="" if sheet.judged else "tasks",
    )
    return [f"Weakest at {lowest}."] if lowest else []


def _missing(sheet: Sheet) -> Sentence:
    """Edits and verdicts that are not there, where any are, and what the latter could change."""
    sentences: Sentence = []
    for view in sheet.runs:
        whose = f"{view.name}: " if len(sheet.runs) > 1 else ""
        text = _lacking(sheet, view)
        if text:
            sentences += [" " if sentences else "", f"{whose}{text}"]
    return sentences


def _lacking(sheet: Sheet, view: RunView) -> str:
    if not sheet.judged:
        lacking = sum(record.status != "ok" for record in view.records)
        return f"{lacking:,} of {count(len(view.records), 'case')} have no output and count as 0." if lacking else ""
    verdicts: Mapping[str, int] = view.summary.get("verdicts") or {}
    edits: Mapping[str, int] = view.summary.get("edits") or {}
    parts = []
    for what, counts in (("edits", edits), ("verdicts", verdicts)):
        total, lacking = sum(counts.values()), sum(n for status, n in counts.items() if status != "ok")
        parts += [f"{lacking:,} of {total:,} {what}"] if lacking else []
    if not parts:
        return ""
    cell = view.summary["overall"][sheet.headline]
    between = ""
    if cell.get("missing"):
        worst, best = value(cell["worst"], sheet.headline), value(cell["best"], sheet.headline)
        between = f"; whatever the verdicts would have been, the score lies between {worst} and {best}"
    return f"{listed(parts)} are missing{between}."
