"""Scaling: resize a shape by a factor, or until it is as wide or as tall as another."""

from __future__ import annotations

from editscope.suites.generated.seeded_random import SeededRandom
from editscope.suites.paintbench.geometry import Box, Point, about
from editscope.suites.paintbench.moving import moved_problem
from editscope.suites.paintbench.problem import Problem, require, task
from editscope.suites.paintbench.scene import Scene

FACTOR = (0.4, 2.5)
WAYS = ((("width", "width"), ("height", "height")), (("both", "width"), ("both", "height")))
"""Along one axis, or along both as one of the sides says."""


@task("scaling")
def make(scene: Scene, rng: SeededRandom, mode: str) -> Problem:
    """Along the image's axes, so that the bounding box grows exactly as said, also for a turned shape."""
    scene.populate(rng)
    target = rng.choice(scene.shapes)
    phrase = scene.phrase(rng, target)
    axis, by = rng.choice(rng.choice(WAYS))
    anchor, fixed = _anchor(rng, target.box, axis)
    if mode == "amount":
        percent = round(100 * rng.log_uniform(*FACTOR))
        factor = percent / 100
        what = {
            "both": f"Scale {phrase} to {percent}% of its current size in both directions",
            "width": f"Scale {phrase} horizontally to {percent}% of its current width, its height unchanged",
            "height": f"Scale {phrase} vertically to {percent}% of its current height, its width unchanged",
        }[axis]
        details: dict[str, object] = {"percent": percent}
    else:
        others = [s for s in scene.shapes if s is not target]
        require(bool(others), "no other shape")
        other = rng.choice(others)
        factor = getattr(other.box, by) / getattr(target.box, by)
        how = {
            "both": "in both directions by the same factor",
            "width": "horizontally only",
            "height": "vertically only",
        }[axis]
        wide = "wide" if by == "width" else "tall"
        what = (
            f"Scale {phrase} {how} until its bounding box is exactly as {wide} as the bounding box of "
            f"{scene.phrase(rng, other)}"
        )
        details = {"reference": scene.shapes.index(other), "match": by}
    sx = factor if axis in ("both", "width") else 1.0
    sy = factor if axis in ("both", "height") else 1.0
    return moved_problem(
        scene,
        rng,
        target,
        about(fixed, sx, 0.0, 0.0, sy),
        f"{what}. Keep {anchor} of its bounding box where it is.",
        {"axis": axis, "factor": factor, "anchor": anchor, **details},
    )


def _anchor(rng: SeededRandom, box: Box, axis: str) -> tuple[str, Point]:
    """What stays where it is: the center or center line half of the time, else an edge or a corner."""
    points = box.nine_points()
    middle = rng.chance(0.5)
    if axis == "both":
        name = "center" if middle else rng.choice([name for name in points if name.endswith("corner")])
        return f"the {name}", points[name]
    line, edges = ("vertical", ("left", "right")) if axis == "width" else ("horizontal", ("top", "bottom"))
    if middle:
        return f"the {line} center line", points["center"]
    name = f"{rng.choice(edges)} edge"
    return f"the {name}", points[f"{name} midpoint"]
