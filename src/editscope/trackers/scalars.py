"""Scalars of a run: what a tracker draws as curves."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from editscope.results.run import Run
from editscope.runfolder.run_json import aggregation_from

ENDS = ("lo", "hi")


def scalars_of(run: Run) -> dict[str, float]:
    """The numbers of a finished run by name: scores with the ends of their intervals, counts, cost and speed.

    ``overall/METRIC`` is there for every metric, ``TAG/VALUE/METRIC`` for the headline metric and every row of the
    tables; ``.lo`` and ``.hi`` follow the name of a score that has an interval. Scores are as tables show them.
    """
    summary = run.summary
    headline = aggregation_from(run.info).headline
    scalars: dict[str, float] = {}
    for metric, cell in summary["overall"].items():
        scalars |= score_scalars(f"overall/{metric}", cell)
    for row in summary["groups"]:
        if row["metric"] == headline:
            scalars |= score_scalars(f"{row['by']}/{row['key']}/{headline}", row)
    scalars |= finite({"counts/cases": summary["n_cases"]})
    scalars |= finite({f"counts/{status}": n for status, n in summary["coverage"].items()})
    scalars |= finite({f"counts/verdicts_{status}": n for status, n in (summary.get("verdicts") or {}).items()})
    return scalars | _cost(summary) | _speed(summary)


def score_scalars(name: str, cell: Mapping[str, Any], value: str = "mean") -> dict[str, float]:
    """A score by its name, with the ends of its interval where it has one.

    >>> score_scalars("overall/miou", {"mean": 52.1, "lo": 50.0, "hi": None, "n": 12})
    {'overall/miou': 52.1}
    """
    known = finite({name: cell.get(value), **{f"{name}.{end}": cell.get(end) for end in ENDS}})
    return known if len(known) == 3 else {name: known[name]} if name in known else {}


def finite(numbers: Mapping[str, Any]) -> dict[str, float]:
    """Those that are numbers: a tracker draws no gap for what has no value.

    >>> finite({"a": 1, "b": None, "c": float("nan")})
    {'a': 1.0}
    """
    return {name: float(n) for name, n in numbers.items() if n is not None and math.isfinite(n)}


def _cost(summary: Mapping[str, Any]) -> dict[str, float]:
    edits = (summary.get("speed") or {}).get("cost_usd") or {}
    judges = summary.get("spent") or {}
    costs = finite({"cost/edits_usd": edits.get("total"), "cost/judges_usd": judges.get("cost_usd")})
    costs |= {"cost/total_usd": sum(costs.values())} if costs else {}
    return costs | finite({"cost/judge_calls": judges.get("calls")})


def _speed(summary: Mapping[str, Any]) -> dict[str, float]:
    speed = summary.get("speed") or {}
    latency = speed.get("latency_s") or {}
    return finite({"speed/edit_seconds": latency.get("mean"), "speed/edits_per_second": speed.get("throughput")})
