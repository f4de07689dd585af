"""The measures of the structural and the color tasks: figures, squares, described shapes and outlined regions."""

from __future__ import annotations

import math

import numpy as np

from editscope.suites.paintbench.catalog import CONDITIONS
from editscope.suites.paintbench.geometry import Box, area
from editscope.suites.paintbench.make import attempt_problem
from editscope.suites.paintbench.raster import fill, outline_array
from editscope.suites.paintbench.scene import SceneSetup
from support.paintbench.measured import (
    COORDINATE,
    Measures,
    Problem,
    measure_new_color,
    measure_overlay,
    measure_target,
    measure_targets,
    yes,
)


def measure_construction(p: Problem, found: Measures) -> None:
    """A circle, a line or a polygon."""
    measure_overlay(p, found)
    measure_new_color(p, found, p.f["draw_color"])
    found.labels["points"] = "coordinates" if COORDINATE.search(p.words) else "named"
    if p.mode == "circle":
        (x, y), radius = p.f["center"], p.f["radius"]
        box = Box(x - radius, y - radius, x + radius, y + radius)
        found.labels["how"] = p.f["how"]
        found.numbers["radius_percent_of_width"] = 100 * radius / p.width
        found.numbers["circle_box_in_picture_percent"] = 100 * box.shared_area(p.canvas) / (2 * radius) ** 2
    elif p.mode == "line":
        found.numbers["brush_percent_of_width"] = p.f["brush_percent"]
        found.numbers["line_length_percent_of_shorter"] = 100 * math.dist(*p.f["points"]) / p.shorter
    else:
        vertices = p.f["vertices"]
        found.numbers |= {"vertices": len(vertices), "polygon_area_percent": 100 * area(vertices) / p.picture}
        found.labels["convex"] = yes(is_convex(vertices))


def is_convex(vertices: list[list[float]]) -> bool:
    """Whether a polygon turns the same way at every vertex."""
    turns = []
    for i, (x, y) in enumerate(vertices):
        (px, py), (nx, ny) = vertices[i - 1], vertices[(i + 1) % len(vertices)]
        turns.append((x - px) * (ny - y) - (y - py) * (nx - x))
    return min(turns) >= 0 or max(turns) <= 0


def measure_described(p: Problem, found: Measures) -> None:
    """Removal and recolor: which shapes words describe, and whether these are the ones or all others."""
    measure_targets(p, found, p.f["targets"])
    inverted = bool(p.f.get("invert")) or "except" in p.words
    negation = "plain" if not inverted else "except" if "except" in p.words else "not"
    by = "location" if p.mode == "location" else p.f["attr"]
    number = len(p.f["targets"])
    found.labels |= {
        "inverted": yes(inverted),
        "negation_word": negation,
        "attribute": "type" if by == "shape" and p.task == "recolor" else by,
        "single_or_many": "none" if number == 0 else "one" if number == 1 else "several",
    }
    if p.task == "recolor":
        measure_new_color(p, found, p.f["new_color"])


def measure_copying(p: Problem, found: Measures) -> None:
    """Two squares and the shapes in one of them."""
    measure_targets(p, found, range(len(p.shapes)))
    source, target = p.f["source_square"], p.f["target_square"]
    dx, dy = abs(source[0] - target[0]), abs(source[1] - target[1])
    found.numbers["target_bbox_percent_of_picture"] /= len(p.shapes)  # here the mean of the boxes, not their sum
    found.numbers["square_percent_of_shorter"] = 100 * (source[2] - source[0]) / p.shorter
    found.labels["layout"] = "horizontal" if dx > dy else "vertical"
    found.labels["aligned"] = yes(min(dx, dy) < 0.5)


def measure_border(p: Problem, found: Measures) -> None:
    """How far the border reaches."""
    measure_target(p, found)
    measure_new_color(p, found, p.f["new_color"])
    found.numbers["distance_percent_of_width"] = p.f["distance_percent"]


def measure_cropping(p: Problem, found: Measures) -> None:
    """Side and tilt of the rectangle."""
    if p.mode == "straight":
        x0, _, x1, _ = p.f["rectangle"]
        found.numbers["side_percent"] = 100 * (x1 - x0) / p.width
        return
    first, second = p.f["corners"][:2]
    found.numbers["side_percent"] = 100 * math.dist(first, second) / p.width
    found.numbers["abs_angle"] = abs(p.f["angle"])
    found.labels["tilt"] = "clockwise" if p.f["angle"] > 0 else "counterclockwise"


def measure_region(p: Problem, found: Measures) -> None:
    """The outlined polygon of flood fill, blending, gradient and point operations."""
    vertices = [(x, y) for x, y in p.f["region"]]
    size = area(vertices)
    found.numbers |= {
        "region_area_percent": 100 * size / p.picture,
        "region_vertices": len(vertices),
        "changed_share_of_region": p.changed_pixels / size,
        "shape_share_of_region": shape_pixels(p, vertices) / size,
    }
    found.labels["region_convex"] = yes(is_convex(p.f["region"]))
    if p.task == "gradient":
        _measure_gradient(p, found)
    elif p.task == "blending":
        found.numbers["opacity"] = p.f["opacity"]
        measure_new_color(p, found, p.f["blend_color"])
    elif p.task == "flood_fill":
        measure_new_color(p, found, p.f["new_color"])
    elif p.mode == "brightness":
        found.numbers["abs_offset"] = abs(p.f["brightness_offset"])
        found.labels["sign"] = "add" if p.f["brightness_offset"] > 0 else "subtract"


def shape_pixels(p: Problem, vertices: list[tuple[float, float]]) -> int:
    """How many pixels of a polygon shapes cover, those under the outline too: so the scene is drawn again."""
    condition = CONDITIONS[p.f["visual_condition"]]
    setup = SceneSetup(p.f["W"], p.f["H"], condition.palette, condition.striped, p.f["n"])
    scene, _ = attempt_problem(p.task, p.mode, setup, p.f["seed"])
    inside = np.zeros((p.f["H"], p.f["W"]), np.uint8)
    fill(inside, [outline_array(vertices)], 1)
    return int(np.count_nonzero(inside.view(np.bool_) & ~scene.is_background(scene.drawn())))


def _measure_gradient(p: Problem, found: Measures) -> None:
    colors = [[int(p.f[name][i : i + 2], 16) for i in (1, 3, 5)] for name in ("color1", "color2")]
    found.numbers["colors_apart_sum_rgb"] = sum(abs(a - b) for a, b in zip(*colors, strict=True))
    measure_new_color(p, found, p.f["color1"], p.f["color2"])
    xs, ys = zip(*p.f["region"], strict=True)
    found.labels |= {
        "direction": "corner to corner" if "corner" in p.f["from"] else "edge to edge",
        "long_side": "horizontal" if max(xs) - min(xs) >= max(ys) - min(ys) else "vertical",
        "start": p.f["from"],
    }
