"""The measures of the five geometric tasks: how far, by how much, about what, and where the shape ends."""

from __future__ import annotations

import math
from collections.abc import Sequence

from editscope.suites.paintbench.geometry import about, reflection, rotation, translation
from support.paintbench.measured import (
    COORDINATE,
    Measures,
    Problem,
    box_of,
    measure_moved,
    measure_overlay,
    measure_target,
    yes,
)


def measure_translation(p: Problem, found: Measures) -> None:
    """By how much, and to which point."""
    measure_target(p, found)
    measure_overlay(p, found)
    if p.mode == "amount":
        percents = {"dx_percent": abs(p.f["dx_percent"]), "dy_percent": abs(p.f["dy_percent"])}
        found.numbers |= {name: value for name, value in percents.items() if value}
        dx, dy = p.f["dx_percent"] / 100 * p.width, p.f["dy_percent"] / 100 * p.height
        found.labels["axes"] = "both" if dx and dy else "horizontal" if dx else "vertical"
    else:
        kind = align_type(p)
        dx = p.f["to"][0] - p.f["from"][0] if kind != "vertical move only" else 0.0
        dy = p.f["to"][1] - p.f["from"][1] if kind != "horizontal move only" else 0.0
        goal = p.f["goal_shape"]
        found.labels |= {
            "align_type": kind,
            "own_point": "bounding box" if "bounding-box" in p.f["point"] else "own point",
            "goal": "image point" if goal is None else "own other point" if goal == p.f["target"] else "other shape",
        }
    found.numbers["displacement_percent_of_shorter"] = 100 * math.hypot(dx, dy) / p.shorter
    measure_moved(p, found, translation(dx, dy))


def align_type(p: Problem) -> str:
    """Along which axes a shape moves to its goal: by the description where it says so, else by the words."""
    said = p.f.get("axes", p.words)
    across, down = "horizontal" in said, "vertical" in said
    if across == down:
        return "both axes"
    return "horizontal move only" if across else "vertical move only"


def measure_rotation(p: Problem, found: Measures) -> None:
    """Angle and pivot."""
    measure_target(p, found)
    measure_overlay(p, found)
    angle, pivot = p.f["angle"], p.f["pivot"]
    found.numbers |= {"angle": angle, "effective_angle_0_180": min(angle % 360, -angle % 360)}
    multiple = "multiple of 90" if angle % 90 == 0 else "other multiple of 15" if angle % 15 == 0 else "other"
    found.labels |= {"angle_class": multiple, "direction": "clockwise" if p.f["clockwise"] else "counterclockwise"}
    if p.mode == "local":
        found.labels["pivot"] = "bounding box" if "bounding-box" in p.f["pivot_name"] else "own point"
    else:
        named = "image point" if p.f.get("pivot_name") else "coordinate"
        found.labels["pivot"] = "other shape" if p.f.get("pivot_shape") is not None else named
        center = box_of(p.shapes[p.f["target"]]).center
        found.numbers["pivot_distance_percent_of_shorter"] = 100 * math.dist(center, pivot) / p.shorter
    measure_moved(p, found, rotation(angle if p.f["clockwise"] else -angle, tuple(pivot)))


def measure_reflection(p: Problem, found: Measures) -> None:
    """The line."""
    measure_target(p, found)
    measure_overlay(p, found)
    if p.mode == "local":
        said = p.f["line_words"]
        found.labels["line"] = "diagonal" if "diagonal" in said else "center line" if "center" in said else "edge"
        return
    coordinates = len(COORDINATE.findall(p.words))
    found.labels["points"] = ("two named", "one of each", "two coordinates")[min(2, coordinates)]
    first, second = (tuple(point) for point in p.f["line"])
    box = box_of(p.shapes[p.f["target"]])
    sides = [_beside(point, first, second) for point in box.nine_points().values()]
    found.labels["line_cuts_target_box"] = yes(min(sides) < 0 < max(sides))
    found.numbers["line_distance_percent_of_shorter"] = 100 * abs(_beside(box.center, first, second)) / p.shorter
    measure_moved(p, found, reflection(first, second))


def _beside(point: Sequence[float], first: Sequence[float], second: Sequence[float]) -> float:
    """The signed distance of a point from the line through two others."""
    dx, dy = second[0] - first[0], second[1] - first[1]
    return float(dx * (point[1] - first[1]) - dy * (point[0] - first[0])) / math.hypot(dx, dy)


def measure_scaling(p: Problem, found: Measures) -> None:
    """Factor, axis and what stays."""
    measure_target(p, found)
    measure_overlay(p, found)
    factor, axis, anchor = p.f["factor"], p.f["axis"], p.f["anchor"]
    found.numbers |= {"factor": factor, "abs_log2_factor": abs(math.log2(factor))}
    kinds = {"corner": "corner", "midpoint": "edge midpoint", "edge": "edge"}
    found.labels |= {
        "axis": axis,
        "larger_or_smaller": "larger" if factor > 1 else "smaller",
        "anchor": next((name for word, name in kinds.items() if word in anchor), "center"),
    }
    points = box_of(p.shapes[p.f["target"]]).nine_points()
    name = anchor.removeprefix("the ")
    fixed = points.get(name) or points.get(f"{name} midpoint") or points["center"]
    sx, sy = (factor if axis in ("both", side) else 1.0 for side in ("width", "height"))
    measure_moved(p, found, about(fixed, sx, 0.0, 0.0, sy))


def measure_shearing(p: Problem, found: Measures) -> None:
    """By how much, along which axis, and what stays."""
    measure_target(p, found)
    measure_overlay(p, found)
    said, fixed, across = p.f["percent"], p.f["fixed"], p.f["axis"] == "horizontally"
    found.numbers |= {"said_percent": said, "total_shear_percent": said * (2 if fixed == "center" else 1)}
    found.labels["fixed"] = "center line" if fixed == "center" else "edge"
    found.labels["axis"] = "horizontal" if across else "vertical"
    points, slope = box_of(p.shapes[p.f["target"]]).nine_points(), p.f["slope"]
    anchor = points.get(f"{fixed} edge midpoint", points["center"])
    shear = (1.0, slope, 0.0, 1.0) if across else (1.0, 0.0, slope, 1.0)
    measure_moved(p, found, about(anchor, *shear))
