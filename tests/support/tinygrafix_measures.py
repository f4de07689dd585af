"""Measures of TinyGrafixBench problems: what a chart and its edit are like, as ``data/distributions.json`` says it.

``PYTHONPATH=tests python -m support.tinygrafix_measures --table`` prints the table of
docs/tinygrafix.md. ``--compare`` prints the p-value of every comparison with the release.
"""

from __future__ import annotations

import argparse
import itertools
import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from editscope.scoring import floor_miou
from editscope.suites.tinygrafix.catalog import CHARTS
from editscope.suites.tinygrafix.make import make
from editscope.suites.tinygrafix.slots import ChartSlot
from support.distributions import counted, known, same_numbers, same_shares

NOT_COMPARED = {"instruction_words"}
"""Instructions of ours say more, since they say everything that the answer needs."""
BINS = ((32, "<32^2"), (64, "32^2-64^2"), (128, "64^2-128^2"), (256, "128^2-256^2"))
Values = dict[str, float | str]
State = Mapping[str, Any]


@dataclass
class Measured:
    """All values of each measure over the problems of a task: numbers, and words that are counted."""

    numbers: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    words: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))


# Pictures


def lab(colors: Any) -> Any:
    """CIE L*a*b* of colors in the last axis."""
    v = np.asarray(colors) / 255
    linear = np.where(v <= 0.04045, v / 12.92, ((v + 0.055) / 1.055) ** 2.4)
    matrix = [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
    t = linear @ np.array(matrix).T / [0.95047, 1.0, 1.08883]
    f = np.where(t > (6 / 29) ** 3, np.cbrt(t), t * (29 / 6) ** 2 / 3 + 4 / 29)
    return np.stack([116 * f[..., 1] - 16, 500 * (f[..., 0] - f[..., 1]), 200 * (f[..., 1] - f[..., 2])], -1)


def hex_lab(color: str) -> Any:
    return lab([int(color[i : i + 2], 16) for i in (1, 3, 5)])


def of_pictures(before: Any, after: Any, background: str) -> Values:
    """What every task is measured by."""
    changed = (before != after).any(axis=2)
    count = int(changed.sum())
    # The median of a large sample is that of a part of it.
    every = max(1, count // 4_000)
    apart = np.linalg.norm(lab(before[changed][::every]) - lab(after[changed][::every]), axis=1)
    return {
        "changed_pixels": count,
        "changed_share_percent": 100 * count / changed.size,
        "edit_deltaE_median": float(np.median(apart)),
        "noop_miou_percent": 100 * floor_miou(before, after),
        "edit_region_bin": next((name for side, name in BINS if count < side**2), ">=256^2"),
        "theme": "light background" if hex_lab(background)[0] > 50 else "dark background",
    }


def looks_like(pixels: Any, color: Any, least: float = 3.0) -> Any:
    """Where pixels cannot be told from a color: up to the ΔE 3 below which a rim stays as it was."""
    return np.linalg.norm(lab(pixels) - lab(color), axis=-1) < least


def without_faint_rims(before: Any, after: Any, background: str) -> tuple[Any, Any]:
    """Two pictures as the documentation promises them: no pixel of one differs from the other by less than ΔE 3."""
    before, after = before.copy(), after.copy()
    faint = (before != after).any(axis=2)
    faint[faint] = np.linalg.norm(lab(before[faint]) - lab(after[faint]), axis=1) < 3.0
    ground = np.array([int(background[i : i + 2], 16) for i in (1, 3, 5)], np.uint8)
    gone = faint & (after == ground).all(axis=2)
    before[gone] = ground
    after[faint & ~gone] = before[faint & ~gone]
    return before, after


# Charts, each from its states as the file beside a problem holds them


def bar_chart(task: str, before: State, after: State, details: State) -> Values:
    top = before["scale"]["high"]
    heights = {bar["label"]: 100 * bar["value"] / top for bar in after["bars"]}
    labels = [[bar["label"] if bar["named"] else None for bar in state["bars"]] for state in (before, after)]
    found: Values = {
        "bars": len(heights),
        "smallest_bar_percent_of_axis": min(heights.values()),
        "bars_that_move": sum(one != two for one, two in zip(*labels, strict=True)),
    }
    if "label" in details:
        found["target_bar_percent_of_axis"] = heights[details["label"]]
    if "order" in details:
        found["order"] = details["order"]
    return found


def scatter_plot(task: str, before: State, after: State, details: State) -> Values:
    low, high = before["scale"]["low"], before["scale"]["high"]
    lined, plain = ((np.array(before[name]["points"]) - low) / (high - low) for name in ("lined", "plain"))
    slope, start = np.polyfit(lined[:, 0], lined[:, 1], 1)
    off = np.sort(np.abs(lined[:, 1] - slope * lined[:, 0] - start))
    found: Values = {
        "points_lined": len(lined),
        "points_plain": len(plain),
        "abs_slope_lined": abs(float(slope)),
        "abs_slope_plain": abs(float(np.polyfit(plain[:, 0], plain[:, 1], 1)[0])),
        "correlation_plain": abs(float(np.corrcoef(plain.T)[0, 1])),
        "outlier_lead_percent_of_axis": 100 * float(off[-1] - off[-2]),
    }
    if "class" in details:
        found["class"] = details["class"]
    return found


def line_chart(task: str, before: State, after: State, details: State) -> Values:
    points = np.array([point for piece in before["pieces"] for point in piece])
    (left, right), (low, high) = ((before[axis]["low"], before[axis]["high"]) for axis in "xy")
    bottom, top = points[:, 1].min(), points[:, 1].max()
    pitch = float(np.diff(points[:, 0]).min())
    found: Values = {"vertices": round((right - left) / pitch) + 1}
    if task == "draw_segments":
        gaps = [two[0][0] - one[-1][0] for one, two in itertools.pairwise(before["pieces"])]
        found["gaps"] = len(gaps)
        found["missing_vertices"] = sum(round(gap / pitch) - 1 for gap in gaps)
        found["longest_gap_percent_of_width"] = 100 * max(gaps) / (right - left)
    elif task == "normalize_series":
        found["stretch"] = (details["highest"] - details["lowest"]) / (top - bottom)
        found["low_percent_of_axis"] = 100 * (details["lowest"] - low) / (high - low)
        found["high_percent_of_axis"] = 100 * (details["highest"] - low) / (high - low)
    elif task == "filter_series":
        found["pieces_kept"] = len(details["kept"])
        found["threshold_percent_of_range"] = 100 * (details["threshold"] - bottom) / (top - bottom)
        found["keep"] = details["keep"]
    else:
        found["interval_percent_of_width"] = 100 * (details["to"] - details["from"]) / (right - left)
    return found


def heatmap(task: str, before: State, after: State, details: State) -> Values:
    cells = [cell for row in before["cells"] for cell in row]
    filled = sum(cell is not None for cell in cells)
    found: Values = {
        "rows": len(before["cells"]),
        "cols": len(before["cells"][0]),
        "empty_share": 1 - filled / len(cells),
    }
    if task == "shift_heatmap":
        found["cells"], found["direction"] = details["cells"], details["direction"]
    if task == "mask_cells":
        found["removed_share_of_filled"] = details["removed"] / filled
        found["side"] = details["side"].removesuffix(" than")
    return found


def network(task: str, before: State, after: State, details: State) -> Values:
    whole = after if task == "add_node" else before
    nodes, edges = len(whole["nodes"]), len(whole["edges"])
    targets = details.get("labels") or [details["label"]]
    degrees = [sum(label in edge for edge in whole["edges"]) for label in targets]
    found: Values = {
        "nodes": nodes,
        "edges": edges,
        "edge_density": edges / math.comb(nodes, 2),
        "target_degree": sum(degrees),
        "target_isolated": "yes" if 0 in degrees else "no",
    }
    if task == "swap_nodes":
        one, two = details["places"]
        found["adjacent_on_circle"] = "yes" if (one - two) % nodes in (1, nodes - 1) else "no"
    return found


OF_CHART: Mapping[str, Callable[[str, State, State, State], Values]] = {
    "bar_chart": bar_chart,
    "scatter_plot": scatter_plot,
    "line_chart": line_chart,
    "heatmap": heatmap,
    "network": network,
}


def measured(chart: str, task: str, count: int, namespace: str) -> Measured:
    """The measures of as many problems of a task."""
    result = Measured()
    for slot in range(count):
        made = make(ChartSlot(chart, task, slot), namespace)
        about = made.sidecar
        before, after = about["state"], about["answer_state"]
        values = of_pictures(made.input, made.answer, before["theme"]["background"])
        for name, value in (values | OF_CHART[chart](task, before, after, about)).items():
            if isinstance(value, str):
                result.words[name].append(value)
            else:
                result.numbers[name].append(value)
    return result


def compared(found: Measured, release: Mapping[str, Any]) -> dict[str, float]:
    """p of every measure of the release that is compared."""
    p = {
        name: same_numbers(found.numbers[name], numbers["quantiles"], release["n"])
        for name, numbers in release["numbers"].items()
        if name not in NOT_COMPARED
    }
    for name, shares in release["shares"].items():
        p[name] = same_shares(counted(found.words[name]), shares, release["n"])
    return p


# The table of docs/tinygrafix.md

TELLING: Mapping[str, Sequence[str]] = {
    "add_bar": ("bars", "target_bar_percent_of_axis"),
    "sort_bars": ("bars", "bars_that_move"),
    "remove_bar": ("bars", "target_bar_percent_of_axis"),
    "recolor_bar": ("bars", "target_bar_percent_of_axis"),
    "draw_best_fit_line": ("abs_slope_plain", "correlation_plain"),
    "swap_axes": ("abs_slope_lined", "correlation_plain"),
    "remove_outlier": ("changed_pixels", "outlier_lead_percent_of_axis"),
    "recolor_class": ("points_plain", "class: with line"),
    "draw_segments": ("gaps", "longest_gap_percent_of_width"),
    "normalize_series": ("stretch", "low_percent_of_axis"),
    "filter_series": ("pieces_kept", "threshold_percent_of_range"),
    "shade_interval": ("vertices", "interval_percent_of_width"),
    "add_cell": ("rows", "empty_share"),
    "shift_heatmap": ("cols", "cells"),
    "mask_cells": ("removed_share_of_filled", "empty_share"),
    "change_colormap": ("rows", "cols"),
    "add_node": ("edge_density", "target_degree"),
    "swap_nodes": ("edge_density", "target_degree"),
    "remove_node": ("edge_density", "target_isolated: yes"),
    "recolor_node": ("changed_pixels", "target_isolated: yes"),
}
EVERYWHERE = ("changed_share_percent", "edit_deltaE_median", "noop_miou_percent")


SHORT = {
    "abs_slope_lined": "slope of the class with a line",
    "abs_slope_plain": "slope of the class to fit",
    "cells": "cells to shift by",
    "class: with line": "class with the line",
    "cols": "columns",
    "correlation_plain": "correlation of the class without a line",
    "empty_share": "empty cells",
    "high_percent_of_axis": "new highest point, % of the axis",
    "interval_percent_of_width": "interval, % of the width",
    "longest_gap_percent_of_width": "longest gap, % of the width",
    "low_percent_of_axis": "new lowest point, % of the axis",
    "outlier_lead_percent_of_axis": "lead of the outlier, % of the axis",
    "points_plain": "points of the class without a line",
    "removed_share_of_filled": "share of filled cells removed",
    "target_bar_percent_of_axis": "the bar's height, % of the axis",
    "target_isolated: yes": "isolated target",
    "threshold_percent_of_range": "threshold, % of the range",
}


def of_file(part: Mapping[str, Any], name: str) -> str:
    """The median, or for ``name: word`` the share, of a measure in the file."""
    name, _, word = name.partition(": ")
    if word:
        return f"{100 * part['shares'].get(name, {}).get(word, 0.0):.0f} %"
    return written(part["numbers"][name]["quantiles"][2]) if name in part["numbers"] else "–"


def of_ours(found: Measured, name: str) -> str:
    """The same of problems that were made."""
    name, _, word = name.partition(": ")
    if word:
        return f"{100 * found.words[name].count(word) / len(found.words[name]):.0f} %"
    return written(float(np.median(found.numbers[name])))


def written(value: float) -> str:
    """A number in three figures, in plain decimals."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def table(count: int, namespace: str) -> str:
    """Version 1 → version 2 (release) of each task: medians, and shares in percent."""
    lines = [
        "| task | changed share % | ΔE of the edit | no-op mIoU % | two more |",
        "| --- | --- | --- | --- | --- |",
    ]
    for chart, tasks in CHARTS.items():
        for task in tasks:
            found, file = measured(chart, task, count, namespace), known()["tinygrafix"][f"{chart}/{task}"]

            def cell(name: str, found: Measured = found, file: Any = file) -> str:
                return f"{of_file(file['version_1'], name)} → {of_ours(found, name)} ({of_file(file['release'], name)})"

            more = "; ".join(f"{SHORT.get(name, name.replace('_', ' '))} {cell(name)}" for name in TELLING[task])
            lines.append(f"| {task} | {' | '.join(cell(name) for name in EVERYWHERE)} | {more} |")
    return "\n".join(lines)


def comparison(count: int, namespace: str) -> str:
    """Every p-value, smallest first."""
    rows = []
    for chart, tasks in CHARTS.items():
        for task in tasks:
            name = f"{chart}/{task}"
            found, release = measured(chart, task, count, namespace), known()["tinygrafix"][name]["release"]
            rows += [(p, f"{name} {measure}") for measure, p in compared(found, release).items()]
    return "\n".join(f"{p:.2g} {name}" for p, name in sorted(rows))


def main() -> None:
    """Print what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--table", action="store_true", help="the table of docs/tinygrafix.md")
    parser.add_argument("--compare", action="store_true", help="every p-value")
    parser.add_argument("--count", type=int, default=60, help="problems per task (60)")
    parser.add_argument("--namespace", default="distribution", help="whose problems (distribution)")
    arguments = parser.parse_args()
    if arguments.table:
        print(table(arguments.count, arguments.namespace))
    if arguments.compare:
        print(comparison(arguments.count, arguments.namespace))


if __name__ == "__main__":
    main()
