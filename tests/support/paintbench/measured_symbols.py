"""The measures of the five symbolic tasks: ranks, steps, periods, tallies and keys."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from statistics import fmean

from support.paintbench.measured import Fields, Measures, Problem, box_of, mean_size, measure_targets, phrase_form, yes


def _extent(shape: Fields, metric: str) -> float:
    box = box_of(shape)
    return float({"size": shape["size"], "width": box.width, "height": box.height}[metric])


def _measure_ranking(p: Problem, found: Measures, ranked: Sequence[Fields], metric: str) -> None:
    """Shapes of one kind and color that differ in size, among others."""
    extents = sorted(_extent(shape, metric) for shape in ranked)
    found.numbers |= {
        "distractors": len(p.shapes) - len(ranked),
        "smallest_step_ratio": min(b / a for a, b in itertools.pairwise(extents)),
        "largest_to_smallest_ratio": extents[-1] / extents[0],
    }
    found.labels["metric"] = metric
    found.labels["phrase_form"] = phrase_form(p.words, ranked[0]["color_name"], ranked[0]["shape"])


def measure_comparison(p: Problem, found: Measures) -> None:
    """The rank that is asked for, and how far the ranks are apart."""
    compared = [p.shapes[i] for i in p.f["compared"]]
    _measure_ranking(p, found, compared, p.f["metric"])
    rank, n = p.f["rank"], len(compared)
    found.numbers |= {
        "targets": 1,
        "compared": n,
        "rank": rank,
        # What is compared, be it size, width or height, as the release's own description has it.
        "compared_size_percent_of_shorter": 100 * fmean(_extent(s, p.f["metric"]) for s in compared) / p.shorter,
    }
    found.labels |= {
        "direction": p.f["direction"],
        "rank_form": "superlative" if rank == 1 else "ordinal",
        "rotation": "shared" if len({shape["rotation"] for shape in compared}) == 1 else "independent",
        "rank_from_nearer_end": "end" if rank in (1, n) else "inner",
    }


def measure_ordering(p: Problem, found: Measures) -> None:
    """The shapes in the boxes, and how many of them must move."""
    boxes = p.f["boxes"]
    ordered = [
        shape
        for shape in p.shapes
        if any(x0 <= c[0] <= x1 and y0 <= c[1] <= y1 for c in [box_of(shape).center] for x0, y0, x1, y1 in boxes)
    ]
    metric = p.f.get("metric", "size")
    _measure_ranking(p, found, ordered, metric)
    out = sum(a != b for a, b in zip(p.f["input_sizes"], p.f["sorted_sizes"], strict=True))
    largest = max(max(_extent(shape, "width"), _extent(shape, "height")) for shape in ordered)
    found.numbers |= {
        "ordered": len(ordered),
        "out_of_place": out,
        "out_of_place_share": out / len(ordered),
        "targets": out,
        "largest_shape_percent_of_shorter": 100 * largest / p.shorter,
    }
    found.labels |= {"axis": p.f["axis"], "order": p.f["order"]}


def measure_pattern(p: Problem, found: Measures) -> None:
    """Period, places, and the gaps."""
    gaps = len(p.f["missing"])
    found.numbers |= {"targets": gaps, "target_size_percent_of_shorter": 100 * mean_size(p.shapes) / p.shorter}
    if p.mode == "grid":
        rows, cols, down, across = (p.f[name] for name in ("rows", "cols", "period_r", "period_c"))
        places = rows * cols
        found.numbers |= {"rows": rows, "cols": cols, "cells": places, "period_cells": down * across}
        found.numbers["cell_percent_of_shorter"] = 100 * _pitch(p) / p.shorter
        found.labels["period"] = f"{down}x{across}"
    else:
        places = p.f["n_shapes"]
        found.numbers |= {"n_on_circle": places, "period_cells": p.f["period"]}
        found.numbers["radius_percent_of_shorter"] = 100 * p.f["circle"][2] / p.shorter
        found.labels["period"] = str(p.f["period"])
    found.numbers["missing_share"] = gaps / places


def _pitch(p: Problem) -> float:
    """How far neighbors of a grid are apart: the smallest step between the centers of its columns or rows."""
    centers = [box_of(shape).center for shape in p.shapes]
    steps = [b - a for axis in (0, 1) for a, b in itertools.pairwise(sorted(center[axis] for center in centers))]
    return min(step for step in steps if step > 4)


def measure_counting(p: Problem, found: Measures) -> None:
    """Tallies, and what they count."""
    tallies, count = len(p.f["tally_boxes"]), p.f["count"]
    x0, y0, x1, y1 = p.f["tally_boxes"][0]
    found.numbers |= {
        "tallies": tallies,
        "count": count,
        "count_share": count / tallies,
        "removed": tallies - count,
        "targets": tallies - count,
        "tally_percent_of_shorter": 100 * max(x1 - x0, y1 - y0) / p.shorter,
        "scene_shape_size_percent_of_shorter": 100 * mean_size(p.shapes) / p.shorter,
    }
    far = p.f["remove_end"] in ("right", "bottom")
    found.labels |= {
        "side": p.f["side"],
        "tally_shape": p.f["tally_shape"],
        "end": "far (right/bottom)" if far else "near (left/top)",
    }


def measure_legend(p: Problem, found: Measures) -> None:
    """The key, and the shapes that it is about."""
    mapping = {old.upper(): new.upper() for old, new in p.f["mapping"].items()}
    targets = [i for i, shape in enumerate(p.shapes) if shape["color"].upper() in mapping]
    measure_targets(p, found, targets)
    removed = sum(mapping[p.shapes[i]["color"].upper()] == "X" for i in targets)
    crosses = list(mapping.values()).count("X")
    found.numbers |= {
        "entries": len(mapping),
        "entries_X": crosses,
        "entries_recolor": len(mapping) - crosses,
        "removed_shapes": removed,
        "removed_share": removed / len(p.shapes),
        "colors_in_scene": len({shape["color"] for shape in p.shapes}),
    }
    found.labels |= {
        "side": p.f["side"],
        "has_X": yes(crosses),
        "new_color_is_also_a_source": yes(mapping.keys() & set(mapping.values())),
    }
