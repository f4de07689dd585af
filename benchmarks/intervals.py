"""All intervals of a full PaintBench run: every aggregate of 1,920 cases, B = 10,000, warm and cold.

    python benchmarks/intervals.py

Two baselines are measured in the same run: a vectorized one, which draws a matrix of resamples × cases for each stratum
and averages along its rows, and a plain loop over resamples, on fewer resamples and extrapolated.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np

from editscope.cases import Aggregation, Group
from editscope.stats.summary import summarize

PLAN = Aggregation(
    overall=Group("overall", (), ("task", "category")),
    groups=(
        Group("category", ("category",), ("task",)),
        Group("task", ("task",)),
        Group("mode", ("task", "mode"), strata=("task", "mode")),
        Group("condition", ("condition",), ("task",), strata=("task", "condition")),
        Group("category and condition", ("category", "condition"), ("task",), strata=("task", "condition")),
    ),
    strata=("task",),
)
MODES = (2, 2, 2, 2, 1, 3, 2, 1, 1, 2, 2, 2, 1, 2, 3, 1, 1, 2, 2, 1)
METRICS = (
    "miou",
    "edit_accuracy",
    "preservation_accuracy",
    "iou@0",
    "iou@5",
    "iou@10",
    "over_edit_ratio",
)
RESAMPLES = 10_000
PLAIN_RESAMPLES = 100


def cases() -> dict[str, list[object]]:
    """A full set: 20 tasks × 8 conditions × 12 problems over 35 modes, with scores like a model's."""
    rows: dict[str, list[object]] = {"case_id": [], "category": [], "task": [], "mode": [], "condition": []}
    for task, modes in enumerate(MODES):
        for condition in range(8):
            for slot in range(12):
                rows["case_id"].append(f"task{task:02}/{condition * 12 + slot:03}")
                rows["category"].append(f"category{task // 5}")
                rows["task"].append(f"task{task:02}")
                rows["mode"].append(f"mode{slot * modes // 12}")
                rows["condition"].append(f"condition{condition}")
    rng = np.random.default_rng(1)
    for metric in METRICS:
        rows[metric] = rng.beta(0.3, 1.0, len(rows["task"])).tolist()
    return rows


def vectorized(rows: dict[str, list[object]], metrics: tuple[str, ...], resamples: int) -> list[tuple[float, float]]:
    """The same intervals, stratum by stratum: a matrix of drawn places, its values averaged along each row."""
    rng = np.random.default_rng(0)
    tags = {tag: np.array(rows[tag]) for tag in ("category", "task", "mode", "condition")}
    home = dict(zip(tags["task"].tolist(), tags["category"].tolist(), strict=True))
    ends: list[tuple[float, float]] = []

    def means(values: np.ndarray, *by: str) -> dict[tuple[str, ...], np.ndarray]:
        keys = list(zip(*(tags[tag].tolist() for tag in by), strict=True))
        places: dict[tuple[str, ...], list[int]] = {}
        for place, key in enumerate(keys):
            places.setdefault(key, []).append(place)
        found = {}
        for key, here in places.items():
            drawn = rng.integers(0, len(here), size=(resamples, len(here)))
            found[key] = values[np.array(here)][drawn].mean(axis=1)
        return found

    def close(samples: np.ndarray) -> None:
        low, high = np.percentile(samples, (2.5, 97.5))
        ends.append((float(low), float(high)))

    for metric in metrics:
        values = np.array(rows[metric], dtype=np.float64)
        tasks, modes = means(values, "task"), means(values, "task", "mode")
        cells = means(values, "task", "condition")
        categories = {c: np.mean([m for (t,), m in tasks.items() if home[t] == c], axis=0) for c in set(home.values())}
        close(np.mean(list(categories.values()), axis=0))
        for samples in (*categories.values(), *tasks.values(), *modes.values()):
            close(samples)
        for condition in dict.fromkeys(tags["condition"].tolist()):
            close(np.mean([m for (_, c), m in cells.items() if c == condition], axis=0))
            for category in categories:
                close(np.mean([m for (t, c), m in cells.items() if c == condition and home[t] == category], axis=0))
    return ends


def plain(rows: dict[str, list[object]], metrics: tuple[str, ...], resamples: int) -> None:
    """The same aggregates, one resample and one group at a time."""
    rng = np.random.default_rng(0)
    tags = {tag: np.array(rows[tag]) for tag in ("category", "task", "mode", "condition")}
    values = np.array([rows[metric] for metric in metrics]).T
    strata = np.char.add(tags["task"], tags["mode"])
    members = [np.flatnonzero(strata == s) for s in np.unique(strata)]
    for _ in range(resamples):
        drawn = np.concatenate([rng.choice(m, len(m)) for m in members])
        v = values[drawn]
        t = {tag: column[drawn] for tag, column in tags.items()}
        tasks = {name: v[t["task"] == name].mean(axis=0) for name in np.unique(t["task"])}
        home = dict(zip(t["task"].tolist(), t["category"].tolist(), strict=True))
        for category in np.unique(t["category"]):
            np.mean([mean for name, mean in tasks.items() if home[name] == category], axis=0)
        drawn_strata = strata[drawn]
        for name in np.unique(drawn_strata):
            v[drawn_strata == name].mean(axis=0)
        for condition in np.unique(t["condition"]):
            here = t["condition"] == condition
            cells = {name: v[here & (t["task"] == name)].mean(axis=0) for name in np.unique(t["task"][here])}
            np.mean(list(cells.values()), axis=0)
            for category in np.unique(t["category"]):
                np.mean([mean for name, mean in cells.items() if home[name] == category], axis=0)


def seconds(work: Callable[[], object], repeats: int, clock: Callable[[], float] = time.process_time) -> float:
    """The best of some runs, in seconds of CPU time: other work on the machine changes it little."""
    best = float("inf")
    for _ in range(repeats):
        start = clock()
        work()
        best = min(best, clock() - start)
    return best


def show(what: str, taken_s: float, vectorized_s: float, plain_s: float) -> None:
    print(f"{what:44}{taken_s:9.2f}{vectorized_s / taken_s:19.1f}×{plain_s / taken_s:14.0f}×")


def main() -> None:
    if "--once" in sys.argv:
        summarize(cases(), PLAN, METRICS[:3], resamples=RESAMPLES)
        return
    rows = cases()
    groups = summarize(rows, PLAN, METRICS[:1], resamples=2)["groups"]
    print(f"{len(rows['task']):,} cases, {len(groups) + 1} aggregates, B = {RESAMPLES:,}")
    print(f"{'what':44}{'CPU s':>9}{'against vectorized':>20}{'against plain':>15}")
    for number in (3, len(METRICS)):
        metrics = METRICS[:number]
        plain_s = seconds(lambda: plain(rows, metrics, PLAIN_RESAMPLES), 1) * RESAMPLES / PLAIN_RESAMPLES  # noqa: B023
        vectorized_s = seconds(lambda: vectorized(rows, metrics, RESAMPLES), 2)  # noqa: B023
        warm_s = seconds(lambda: summarize(rows, PLAN, metrics, resamples=RESAMPLES), 5)  # noqa: B023
        show(f"plain loop, {number} metrics (from {PLAIN_RESAMPLES} resamples)", plain_s, vectorized_s, plain_s)
        show(f"vectorized NumPy, {number} metrics", vectorized_s, vectorized_s, plain_s)
        show(f"summarize, {number} metrics, warm", warm_s, vectorized_s, plain_s)
        if number == 3:
            cold_s = seconds(
                lambda: subprocess.run([sys.executable, __file__, "--once"], check=True), 5, time.perf_counter
            )
            show("summarize, 3 metrics, new process, wall", cold_s, vectorized_s, plain_s)


if __name__ == "__main__":
    main()
