"""The paired comparison of two full PaintBench runs: every aggregate, interval and test, warm and cold.

    python benchmarks/comparison.py

The baseline is a plain version that loops over resamples and groups in NumPy, measured in the same run on fewer
resamples and extrapolated.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from editscope import load_suite
from editscope.stats.paired import compare_rows

RESAMPLES = 10_000
PLAIN_RESAMPLES = 100
SUITE = load_suite("paintbench")


def two_runs() -> tuple[dict[str, list[Any]], dict[str, list[Any]]]:
    """Two models over 1,920 cases, the second a little better; one score in fifty of the second is missing."""
    ids = list(SUITE.ids)
    tags = [SUITE.tags(case_id) for case_id in ids]
    rng = np.random.default_rng(3)
    scores = rng.beta(0.3, 1.0, len(ids))
    first: dict[str, list[Any]] = {"case_id": ids, "miou": scores.tolist()}
    first |= {tag: [each[tag] for each in tags] for tag in tags[0]}
    better = np.clip(scores + rng.normal(0.01, 0.1, len(ids)), 0.0, 1.0)
    lost = rng.random(len(better)) < 0.02
    return first, {**first, "miou": [None if gone else float(v) for v, gone in zip(better, lost, strict=True)]}


def plain(first: dict[str, list[Any]], second: dict[str, list[Any]], resamples: int) -> int:
    """The same differences, one resample, one pattern of signs and one group at a time."""
    known = np.array([value is not None for value in second["miou"]])
    tags = {tag: np.array(first[tag])[known] for tag in ("category", "task", "mode", "condition")}
    d = np.array([b - a for a, b in zip(first["miou"], second["miou"], strict=True) if b is not None])
    strata = np.char.add(tags["task"], tags["mode"])
    members = [np.flatnonzero(strata == name) for name in np.unique(strata)]
    rng = np.random.default_rng(0)
    seen = 0
    for _ in range(resamples):
        drawn = np.concatenate([rng.choice(m, len(m)) for m in members])
        seen += len(_means(d[drawn], {tag: column[drawn] for tag, column in tags.items()}, strata[drawn]))
        seen += len(_means(d * rng.choice((-1.0, 1.0), len(d)), tags, strata))
    return seen


def _means(d: np.ndarray[Any, Any], t: dict[str, np.ndarray[Any, Any]], strata: np.ndarray[Any, Any]) -> list[float]:
    """Every aggregate of PaintBench, group by group."""
    home = dict(zip(t["task"].tolist(), t["category"].tolist(), strict=True))
    found = [d[strata == name].mean() for name in np.unique(strata)]
    tasks = {name: d[t["task"] == name].mean() for name in np.unique(t["task"])}
    categories = [np.mean([m for name, m in tasks.items() if home[name] == c]) for c in np.unique(t["category"])]
    found += [*tasks.values(), *categories, np.mean(categories)]
    for condition in np.unique(t["condition"]):
        here = t["condition"] == condition
        cells = {name: d[here & (t["task"] == name)].mean() for name in np.unique(t["task"][here])}
        found.append(np.mean(list(cells.values())))
    return found


def seconds(work: Callable[[], object], repeats: int) -> float:
    """The best of some runs, in seconds of wall time."""
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


def show(what: str, taken_s: float, plain_s: float) -> None:
    print(f"{what:44}{taken_s:9.2f}{plain_s / taken_s:14.0f}×")


def main() -> None:
    first, second = two_runs()
    if "--once" in sys.argv:
        compare_rows(first, second, SUITE.aggregation, "miou", resamples=RESAMPLES)
        return
    table = compare_rows(first, second, SUITE.aggregation, "miou", resamples=2)
    print(f"{table.overall.n:,} pairs, {len(table.groups) + 1} aggregates, B = {RESAMPLES:,} draws and sign patterns")
    print(f"{'what':44}{'seconds':>9}{'against plain':>15}")
    plain_s = seconds(lambda: plain(first, second, PLAIN_RESAMPLES), 1) * RESAMPLES / PLAIN_RESAMPLES
    show(f"plain loop (from {PLAIN_RESAMPLES} resamples)", plain_s, plain_s)
    show("compare_rows, warm", seconds(lambda: compare_rows(first, second, SUITE.aggregation, "miou"), 5), plain_s)
    cold_s = seconds(lambda: subprocess.run([sys.executable, __file__, "--once"], check=True), 5)
    show("compare_rows, new process", cold_s, plain_s)


if __name__ == "__main__":
    main()
