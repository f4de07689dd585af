"""The table of ``docs/paintbench.md``: what problems measure in version 1, now, and in the release.

``PYTHONPATH=tests python -m support.paintbench.table`` prints it, ``--per-condition 24`` over more problems.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

import numpy as np

from support.distributions import known
from support.paintbench.measures import Sample, sample_of

PER_CONDITION = 8

REGION = (("region_area_percent", "region, % of picture"), ("region_vertices", "vertices"))
MOVED = (("moved_center_in_picture: no", "center leaves"),)
POINT = (("own_point: own point", "own point"),)
INVERTED = (("inverted: yes", "all but the described"),)
CIRCLE = (("radius_percent_of_width", "radius, % of width"),)
TELLING: dict[str, tuple[tuple[str, str], ...]] = {
    "translation/amount": (("axes: both", "both axes"), ("displacement_percent_of_shorter", "move, % of shorter")),
    "translation/align": (("align_type: both axes", "both axes"), *POINT),
    "rotation/local": (("angle_class: multiple of 90", "right angles"), ("pivot: own point", "own point")),
    "rotation/external": (("angle_class: multiple of 90", "right angles"), *MOVED),
    "reflection/local": (("line: edge", "edges"), ("line: diagonal", "diagonals")),
    "reflection/external": (("points: two coordinates", "coordinates"), *MOVED),
    "scaling/amount": (("abs_log2_factor", "abs. log2 of the factor"), ("anchor: center", "about the center")),
    "scaling/match": (("abs_log2_factor", "abs. log2 of the factor"), ("anchor: center", "about the center")),
    "shearing/default": (("total_shear_percent", "shear, %"), ("fixed: center line", "center line fixed")),
    "construction/circle": (*CIRCLE, ("circle_box_in_picture_percent", "in the picture, %")),
    "construction/line": (
        ("line_length_percent_of_shorter", "length, % of shorter"),
        ("points: named", "named points"),
    ),
    "construction/polygon": (("convex: yes", "convex"), ("points: named", "named points")),
    "removal/attribute": (*INVERTED, ("attribute: both", "color and type")),
    "removal/location": INVERTED,
    "copying/default": (("square_percent_of_shorter", "square, % of shorter"), ("layout: horizontal", "side by side")),
    "border/default": (
        ("distance_percent_of_width", "distance, % of width"),
        ("phrase_form: color only", "color only"),
    ),
    "cropping/straight": (("side_percent", "side, %"),),
    "cropping/tilted": (("side_percent", "side, %"), ("abs_angle", "tilt, degrees")),
    "recolor/color_code": (*INVERTED, ("negation_word: not", "with \u201cnot\u201d")),
    "recolor/dropper": (*INVERTED, ("negation_word: not", "with \u201cnot\u201d")),
    "flood_fill/background": REGION,
    "flood_fill/foreground": REGION,
    "blending/default": (*REGION[:1], ("opacity", "opacity, %")),
    "gradient/background": (*REGION[:1], ("new_color_already_in_scene: yes", "color of a shape")),
    "gradient/foreground": (*REGION[:1], ("new_color_already_in_scene: yes", "color of a shape")),
    "point_operations/brightness": (*REGION[:1], ("abs_offset", "offset")),
    "point_operations/grayscale": REGION,
    "point_operations/invert": REGION,
    "comparison/default": (("metric: size", "by size"), ("phrase_form: color and shape", "color and type named")),
    "ordering/default": (("metric: size", "by size"), ("phrase_form: color and shape", "color and type named")),
    "pattern/grid": (("target_size_percent_of_shorter", "shape, % of shorter"), ("period: 1x1", "one tile")),
    "pattern/circular": (("n_on_circle", "shapes on the circle"), ("period: 1", "all alike")),
    "counting/shape": (("count_share", "share that counts"), ("tally_shape: circle", "circles as tallies")),
    "counting/color": (("count_share", "share that counts"), ("tally_shape: circle", "circles as tallies")),
    "legend/default": (("entries", "entries"), ("has_X: yes", "with an X")),
}
"""One or two rows of the file for each task-mode: a number by its name, a share as "name: label"."""


def row_of(mode: str, sample: Sample) -> str:
    """The line of one task-mode."""
    cells = [mode, _triple(mode, sample, "changed_share_percent", "median"), _targets(mode, sample)]
    for name, words in TELLING[mode]:
        cells.append(f"{words}: {_triple(mode, sample, name, 'median')}")
    cells += [""] * (5 - len(cells))
    return f"| {' | '.join(cells)} |"


def _targets(mode: str, sample: Sample) -> str:
    return _triple(mode, sample, "targets", "mean") if "targets" in sample.numbers else ""


def _triple(mode: str, sample: Sample, name: str, what: str) -> str:
    """Before, now and in the release: "a → b / c", or the figure alone where all three are the same."""
    there = known()["paintbench"][mode]
    found = [
        _of_file(there["version_1"], name, what),
        _of_sample(sample, name, what),
        _of_file(there["release"], name, what),
    ]
    return found[0] if len(set(found)) == 1 else "{} → {} / {}".format(*found)


def _of_file(side: Mapping[str, Any], name: str, what: str) -> str:
    share, _, label = name.partition(": ")
    if label:
        return _percent(side["shares"][share].get(label, 0.0)) if share in side["shares"] else "–"
    if name not in side["numbers"]:
        return "–"
    row = side["numbers"][name]
    return _number(row["mean"] if what == "mean" else row["quantiles"][2])


def _of_sample(sample: Sample, name: str, what: str) -> str:
    share, _, label = name.partition(": ")
    if label:
        labels = sample.labels[share]
        return _percent(labels.count(label) / len(labels))
    values = sample.numbers[name]
    return _number(float(np.mean(values) if what == "mean" else np.median(values)))


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _number(value: float) -> str:
    """Two significant digits, and whole numbers from ten on.

    >>> _number(0.123), _number(1.0), _number(2.41), _number(56.2)
    ('0.12', '1', '2.4', '56')
    """
    return f"{value:.0f}" if value >= 10 else f"{value:.2g}"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--namespace", default="distribution")
    parser.add_argument("--per-condition", type=int, default=PER_CONDITION)
    asked = parser.parse_args()
    print("| task-mode | changed, median % | targets, mean | | |")
    print("| --- | --- | --- | --- | --- |")
    for mode in TELLING:
        print(row_of(mode, sample_of(mode, asked.namespace, asked.per_condition)), flush=True)


if __name__ == "__main__":
    main()
