"""What the diagnosis of one full run costs, against resampling one draw at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from editscope.stats import diagnosis
from editscope.suites import load_suite
from measuring import least_cpu_s

N = 2_520
BASELINE_DRAWS = 20


def rows_of_a_run() -> tuple[dict[str, list[Any]], Any]:
    """As many cases as both benchmarks have together, with numbers as a run has them."""
    suite = load_suite("paintbench", split="all")
    ids = list(suite.ids)
    tags = [suite.tags(case_id) for case_id in ids]
    more = N - len(ids)
    ids += [f"more/{i}" for i in range(more)]
    tags += tags[:more]
    rng = np.random.default_rng(0)
    rows: dict[str, list[Any]] = {"case_id": ids, "variant": [""] * N, "status": ["ok"] * N, "fingerprint": ids}
    rows |= {tag: [found[tag] for found in tags] for tag in ("category", "task", "mode", "condition", "split")}
    rows["miou"] = rng.random(N).tolist()
    rows["failure"] = rng.choice(diagnosis.MODES, N).tolist()
    rows["edit_pixels"] = (10 ** rng.uniform(2, 5.5, N)).astype(int).tolist()
    rows["changed_pixels"] = rng.integers(0, 100_000, (N, 11)).tolist()
    for name in ("iou_curve", "edit_accuracy_curve", "preservation_accuracy_curve"):
        rows[name] = rng.random((N, 11)).tolist()
    return rows, suite.aggregation


def one_draw_at_a_time(rows: dict[str, list[Any]], draws: int) -> None:
    """Condition means and medians by region size, each draw on its own: what a first script would do."""
    rng = np.random.default_rng(0)
    miou = np.array(rows["miou"])
    ratio = np.array(rows["changed_pixels"])[:, 5] / np.array(rows["edit_pixels"])
    place = np.searchsorted(diagnosis.EDGES, rows["edit_pixels"], side="right")
    strata: dict[tuple[str, str], list[int]] = {}
    for i, key in enumerate(zip(rows["task"], rows["mode"], strict=True)):
        strata.setdefault(key, []).append(i)
    condition, task = np.array(rows["condition"]), np.array(rows["task"])
    for _ in range(draws):
        drawn = np.concatenate([rng.choice(cases, len(cases)) for cases in strata.values()])
        for value in np.unique(condition):
            here = drawn[condition[drawn] == value]
            np.mean([miou[here[task[here] == name]].mean() for name in np.unique(task[here])])
        for k in range(5):
            np.median(ratio[drawn[place[drawn] == k]])


def main() -> None:
    rows, plan = rows_of_a_run()
    works: dict[str, Callable[[], object]] = {
        "failure_shares": lambda: diagnosis.failure_shares(rows, exclude=plan.exclude),
        "by_region_size": lambda: diagnosis.by_region_size(rows, exclude=plan.exclude),
        "deltas": lambda: diagnosis.deltas(rows, plan, "miou"),
        "palette_gap": lambda: diagnosis.palette_gap(rows, plan),
        "mean_curves": lambda: diagnosis.mean_curves(rows, plan),
        "extremes": lambda: diagnosis.extremes(rows, "miou", exclude=plan.exclude),
        "largest_differences": lambda: diagnosis.largest_differences(rows, rows, "miou"),
        "fidelity": lambda: diagnosis.fidelity(rows, exclude=plan.exclude),
    }
    costs = {name: 1000 * least_cpu_s(work, 5) for name, work in works.items()}
    slow = 1e6 * least_cpu_s(lambda: one_draw_at_a_time(rows, BASELINE_DRAWS), 2) / BASELINE_DRAWS
    fast = costs["deltas"] + costs["by_region_size"]
    print(f"diagnosis of {N:,} cases, CPU time\n")
    for name, cost in costs.items():
        print(f"  {name:<20}{cost:8.1f} ms")
    print(f"  {'all':<20}{sum(costs.values()):8.1f} ms   (asked: 150)")
    print(f"\n  deltas and sizes, one draw at a time: {slow:,.0f} ms for 1,000 draws ({slow / fast:.0f}× as much)")


if __name__ == "__main__":
    main()
