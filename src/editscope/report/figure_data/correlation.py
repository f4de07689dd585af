"""Scores of the same models on two suites: of runs by editor, and of published models."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from editscope.report.judged_runs import headline_of
from editscope.report.model import Model, RunView
from editscope.wording import MetricName, ends


def ranking_metric(model: Model, suite: str) -> str:
    """The metric that a suite is ranked by: that of its runs, or of its paper where there is none."""
    sheet = next((sheet for sheet in model.sheets if sheet.suite == suite), None)
    return sheet.headline if sheet else headline_of(suite)


def on_one_scale(first: str, second: str) -> bool:
    """Whether two metrics are measured alike, so that the line y = x means something between them.

    >>> on_one_scale("miou", "miou"), on_one_scale("miou", MetricName("average", "Average", low=1, high=5))
    (True, False)
    """
    if isinstance(first, MetricName) != isinstance(second, MetricName):
        return False
    if isinstance(first, MetricName) and isinstance(second, MetricName):
        return (ends(first), first.unit) == (ends(second), second.unit)
    return first == second


def diagonal(x: tuple[float, float], y: tuple[float, float]) -> tuple[float, float] | None:
    """From where to where the line y = x runs inside a frame; None where it stays outside.

    >>> diagonal((2.0, 18.0), (-1.0, 16.5)), diagonal((0.0, 1.0), (5.0, 6.0))
    ((2.0, 16.5), None)
    """
    low, high = max(x[0], y[0]), min(x[1], y[1])
    return (low, high) if low < high else None


def printed_scores(model: Model, suite: str) -> Mapping[str, float]:
    """What the papers print of each model in the suite's main setting; nothing where the runs have another headline."""
    from editscope.published import headline, main_scores

    return main_scores(suite) if ranking_metric(model, suite) == headline(suite) else {}


def run_scores(model: Model, suite: str, editor_of: Callable[[RunView], str]) -> dict[str, tuple[RunView, float]]:
    """The headline of every editor on a suite; where it was run on several sets, that of the first."""
    scores: dict[str, tuple[RunView, float]] = {}
    for sheet in model.sheets:
        if sheet.suite == suite:
            for view in sheet.runs:
                cell = view.summary["overall"].get(sheet.headline)
                if cell and cell["mean"] is not None:
                    scores.setdefault(editor_of(view), (view, float(cell["mean"])))
    return scores
