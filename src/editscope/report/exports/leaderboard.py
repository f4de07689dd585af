"""Leaderboard as JSON: one ranked list per set of cases, with intervals and paired differences."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from editscope.errors import BadInput
from editscope.report.exports.public_text import public_spec
from editscope.report.exports.run_sets import RunSet, run_sets
from editscope.report.model import RunView
from editscope.results.run import Run
from editscope.runfolder.files import write_whole
from editscope.runfolder.run_names import shown_spec
from editscope.version import __version__
from editscope.wording import metric_title

FORMAT = 1
CELL = ("mean", "lo", "hi", "n")


def write_leaderboard(runs: Sequence[Run], target: Path) -> Path:
    """Write the leaderboard of runs."""
    document = {
        "format": FORMAT,
        "made_by": f"editscope {__version__}",
        "note": "Each list ranks runs over exactly the same cases. Ranks of different lists cannot be compared.",
        "lists": [_list(one) for one in run_sets(runs)],
    }
    write_whole(target, (json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode())
    return target


def _list(one: RunSet) -> dict[str, Any]:
    metric = one.sheet.headline
    means = {view: _mean(view, metric) for view in one.views}
    ranked = sorted((v for v in one.views if means[v] is not None), key=lambda v: -(means[v] or 0.0))
    others = [view for view in one.views if means[view] is None]
    entries = [
        _entry(one, view, 1 + sum((means[v] or 0.0) > (means[view] or 0.0) for v in ranked), ranked[0])
        for view in ranked
    ]
    return {
        **one.about(),
        "metric": str(metric),
        "metric_title": metric_title(metric),
        "entries": [*entries, *(_entry(one, view, None, view) for view in others)],
    }


def _mean(view: RunView, metric: str) -> float | None:
    """What a run is ranked by; an unfinished one is not ranked, since its mean is over fewer cases."""
    return view.summary["overall"].get(metric, {}).get("mean") if view.run.complete else None


def _entry(one: RunSet, view: RunView, rank: int | None, first: RunView) -> dict[str, Any]:
    overall = view.summary["overall"]
    cost = (view.summary.get("speed") or {}).get("cost_usd") or {}
    return {
        "rank": rank,
        "name": view.name,
        "editor": public_spec(shown_spec(view.run.info["editor"])),
        "run": (view.run.archive or view.run.path).absolute().name,
        "complete": view.run.complete,
        "repeats": view.run.repeats,
        "scores": {str(m): {end: overall[m][end] for end in CELL} for m in one.sheet.metrics if m in overall},
        "to_first": None if rank is None or view is first else _difference(one, first, view),
        "coverage": dict(view.run.coverage),
        "cost_usd": cost.get("total"),
    }


def _difference(one: RunSet, first: RunView, view: RunView) -> dict[str, Any] | None:
    """The score of a run minus that of the first of its list, case by case."""
    from editscope.stats.paired import compare_rows

    sheet = one.sheet
    try:
        table = compare_rows(first.scores, view.scores, sheet.aggregation, sheet.headline, match=sheet.match)
    except BadInput:  # where the pictures of the same cases have changed, no case can be paired
        return None
    pair = table.overall
    return {"difference": pair.difference, "lo": pair.lo, "hi": pair.hi, "p": pair.p, "cases": pair.cases}
