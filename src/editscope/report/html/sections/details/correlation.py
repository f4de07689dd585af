"""Scores on one suite against scores on another: runs of the same editor, and published models."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import TYPE_CHECKING

from editscope.errors import EditscopeError
from editscope.report.figure_data.correlation import on_one_scale, printed_scores, ranking_metric, run_scores
from editscope.report.html.markup import Html, el
from editscope.report.html.plots import Mark, Scatter, figure
from editscope.report.model import Model, RunView
from editscope.report.options import ReportOptions
from editscope.suites import suite_title
from editscope.suites.registry import benchmark, known_benchmark
from editscope.wording import metric_title, value

if TYPE_CHECKING:
    from editscope.stats.relation import Relation

"""Suites whose authors report how their scores go together."""
STEPS = 40


def correlation(model: Model, options: ReportOptions) -> Html | None:
    """One plot for each pair of suites that share editors, or published models if those are asked for."""
    plots = [plot for pair in _pairs(model, options) if (plot := _plot(model, *pair, published=options.published))]
    if not plots:
        return None
    return el(
        "section",
        el("header", el("h2", "From one suite to another"), cls="section-head"),
        el(
            "p",
            "Does who is good at one suite do well at another? The line is a least-squares fit with its 95 % "
            "band; where both suites have one scale, the dotted line is y = x.",
            cls="hint",
        ),
        plots,
        cls="card",
        id="correlation",
    )


def _pairs(model: Model, options: ReportOptions) -> list[tuple[str, str]]:
    here = list(dict.fromkeys(sheet.suite for sheet in model.sheets))
    pairs = list(combinations(here, 2))
    if options.published and not pairs and (partner := _partner(here[0])):
        pairs = [(here[0], partner)]
    # In the direction of the paper that has both: the first benchmark across, the second up.
    return [(b, a) if _partner(a) == b and benchmark(b).place < benchmark(a).place else (a, b) for a, b in pairs]


def _partner(suite: str) -> str:
    """The benchmark whose scores a paper shows against those of this one."""
    record = known_benchmark(suite)
    return "" if record is None else record.beside


def _plot(model: Model, first: str, second: str, *, published: bool) -> Html | None:
    metrics = {suite: ranking_metric(model, suite) for suite in (first, second)}
    printed = {suite: printed_scores(model, suite) if published else {} for suite in (first, second)}

    def tooltip(name: str, x: float, y: float) -> str:
        lines = [f"{suite_title(suite)} {value(v, metrics[suite])}" for suite, v in ((first, x), (second, y))]
        return "\n".join((name, *lines))

    marks = [
        Mark(x, y, name, f"{tooltip(name, x, y)}\npublished, authors’ sets")
        for name, x in printed[first].items()
        if (y := printed[second].get(name)) is not None
    ]
    ours = _ours(model, first, second, tooltip)
    relation, note = _relation(marks if len(marks) >= 3 else ours)
    if not marks and len(ours) < 2:
        return None
    titles = [f"{suite_title(suite)} {metric_title(metrics[suite])}" for suite in (first, second)]
    fit = _line(relation) if relation else ()
    alike = on_one_scale(metrics[first], metrics[second])
    plot = Scatter([*marks, *ours], titles[0], titles[1], fit, diagonal=alike)
    of = "published models" if len(marks) >= 3 else "runs of this report"
    caption = f"{suite_title(first)} and {suite_title(second)}"
    return el(
        "div",
        figure(caption, plot.svg(caption), plot.traces(), plot.layout(440)),
        el("p", _said(relation, of), cls="hint relation") if relation else None,
        el("p", note, cls="hint") if note else None,
        _known_as(marks, ours),
    )


def _ours(model: Model, first: str, second: str, tooltip: Callable[[str, float, float], str]) -> list[Mark]:
    """Editors that have a run on both suites; of several runs, the first."""
    across, up = (run_scores(model, suite, _editor) for suite in (first, second))
    return [
        Mark(
            x,
            up[name][1],
            view.run.info["editor"]["name"],
            tooltip(name, x, up[name][1]),
            view.index,
        )
        for name, (view, x) in across.items()
        if name in up
    ]


def _editor(view: RunView) -> str:
    editor = view.run.info["editor"]
    spec = str(editor.get("spec") or "")
    # Folders of outputs differ by suite; the name is what they share.
    return str(editor["name"]) if not spec or spec.startswith("folder:") else spec


def _relation(marks: list[Mark]) -> tuple[Relation | None, str]:
    if len(marks) < 3:
        return None, ""
    from editscope.stats.relation import relate

    try:
        return relate({m.name: m.x for m in marks}, {m.name: m.y for m in marks}), ""
    except EditscopeError as error:
        return None, f"No line: {error}."


def _line(relation: Relation) -> list[tuple[float, float, float, float]]:
    low, high = min(relation.x), max(relation.x)
    xs = [low + (high - low) * i / STEPS for i in range(STEPS + 1)]
    lows, highs = relation.fit.band(xs)
    return [(x, float(y), float(a), float(b)) for x, y, a, b in zip(xs, relation.fit.at(xs), lows, highs, strict=True)]


def _said(relation: Relation, of: str) -> str:
    fit, pearson = relation.fit, relation.pearson
    p = "< 0.001" if fit.p < 0.001 else f"= {fit.p:.3f}"
    around = "" if pearson.lo is None else f" ({pearson.lo:.2f} – {pearson.hi:.2f})"
    return (
        f"{fit.n} {of}: R² = {fit.r2:.2f} (p {p}), slope {fit.slope:.2f} ({fit.slope_lo:.2f} – {fit.slope_hi:.2f}); "
        f"Pearson {pearson.value:.2f}{around}, Spearman {relation.spearman.value:.2f}, "
        f"Kendall {relation.kendall.value:.2f}."
    )


def _known_as(marks: list[Mark], ours: list[Mark]) -> Html | None:
    if not marks or not ours:
        return None
    return el(
        "p",
        "Open circles are published results on the authors’ sets; filled marks are runs of this report and take no "
        "part in the line.",
        cls="hint",
    )
