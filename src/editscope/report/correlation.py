"""Scores on one suite against scores on another: runs of the same editor, and published models."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import TYPE_CHECKING

from editscope.errors import EditscopeError
from editscope.report.markup import Html, el
from editscope.report.model import Model, RunView, Sheet
from editscope.report.options import Options
from editscope.report.plots import Mark, Scatter, figure
from editscope.report.words import metric_name, suite_name

if TYPE_CHECKING:
    from editscope.stats.relation import Relation

PARTNERS = {"paintbench": "tinygrafix", "tinygrafix": "paintbench"}
"""Suites whose authors report how their scores go together."""
STEPS = 40


def correlation(model: Model, options: Options) -> Html | None:
    """One plot for each pair of suites that share editors, or published models if those are asked for."""
    plots = [plot for pair in _pairs(model, options) if (plot := _plot(model, *pair, published=options.published))]
    if not plots:
        return None
    return el(
        "section",
        el("header", el("h2", "From one suite to another"), cls="section-head"),
        el(
            "p",
            "Does who is good at one suite do well at another? The line is a least-squares fit with its 95 % band.",
            cls="hint",
        ),
        plots,
        cls="card",
        id="correlation",
    )


def _pairs(model: Model, options: Options) -> list[tuple[str, str]]:
    here = list(dict.fromkeys(sheet.suite for sheet in model.sheets))
    pairs = list(combinations(here, 2))
    if options.published and not pairs and here[0] in PARTNERS:
        pairs = [(here[0], PARTNERS[here[0]])]
    # In the direction of the papers: the procedural suite across, the charts up.
    return [(b, a) if (a, b) == ("tinygrafix", "paintbench") else (a, b) for a, b in pairs]


def _plot(model: Model, first: str, second: str, *, published: bool) -> Html | None:
    printed = {suite: _printed(suite) if published else {} for suite in (first, second)}
    marks = [
        Mark(
            x,
            printed[second][name],
            name,
            f"{name}\n{suite_name(first)} {x:.1f}\n"
            f"{suite_name(second)} {printed[second][name]:.1f}\npublished, authors’ sets",
        )
        for name, x in printed[first].items()
        if name in printed[second]
    ]
    ours = _ours(model, first, second)
    relation, note = _relation(marks if len(marks) >= 3 else ours)
    if not marks and len(ours) < 2:
        return None
    titles = [f"{suite_name(suite)} {_metric(model, suite)}" for suite in (first, second)]
    fit = _line(relation) if relation else ()
    plot = Scatter([*marks, *ours], titles[0], titles[1], fit)
    of = "published models" if len(marks) >= 3 else "runs of this report"
    caption = f"{suite_name(first)} and {suite_name(second)}"
    return el(
        "div",
        figure(caption, plot.svg(caption), plot.traces(), plot.layout(440)),
        el("p", _said(relation, of), cls="hint relation") if relation else None,
        el("p", note, cls="hint") if note else None,
        _known_as(marks, ours),
    )


def _printed(suite: str) -> Mapping[str, float]:
    from editscope.published import main_leaderboard

    return {row.model: row.value for row in main_leaderboard(suite)}


def _metric(model: Model, suite: str) -> str:
    sheet = next((sheet for sheet in model.sheets if sheet.suite == suite), None)
    if sheet:
        return metric_name(sheet.headline)
    from editscope.published import headline

    return metric_name(headline(suite))


def _ours(model: Model, first: str, second: str) -> list[Mark]:
    """Editors that have a run on both suites; of several runs, the first."""

    def scores(suite: str) -> dict[str, tuple[RunView, float]]:
        found: dict[str, tuple[RunView, float]] = {}
        for sheet in (sheet for sheet in model.sheets if sheet.suite == suite):
            for view in sheet.runs:
                mean = view.summary["overall"][sheet.headline]["mean"]
                if mean is not None:
                    found.setdefault(_editor(view, sheet), (view, mean))
        return found

    across, up = scores(first), scores(second)
    return [
        Mark(
            x,
            up[name][1],
            view.run.info["editor"]["name"],
            f"{name}\n{suite_name(first)} {x:.1f}\n{suite_name(second)} {up[name][1]:.1f}",
            view.index,
        )
        for name, (view, x) in across.items()
        if name in up
    ]


def _editor(view: RunView, sheet: Sheet) -> str:
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
