"""Translation: move a shape by an amount, or until one of its points is in line with another point."""

from __future__ import annotations

from editscope.suites.generated.seeded_random import SeededRandom
from editscope.suites.paintbench.geometry import Affine, Point, translation
from editscope.suites.paintbench.moving import moved_problem, share_inside
from editscope.suites.paintbench.problem import Problem, Reject, task
from editscope.suites.paintbench.scene import Scene
from editscope.suites.paintbench.shapes import Shape
from editscope.suites.paintbench.words import PointRef, percent

STEP = (10.0, 30.0)
"""How far a shape moves along one axis, in percent of that side."""
STAYS = 0.25
"""How much of its box stays in the image when a shape is moved by an amount."""
TRIES = 20
AXES = (("x", "y"), ("x", "y"), ("x",), ("y",))


@task("translation")
def make(scene: Scene, rng: SeededRandom, mode: str) -> Problem:
    """Moves are percentages of width and height, two decimals, or given by two points."""
    scene.populate(rng)
    target = rng.choice(scene.shapes)
    return by_amount(scene, rng, target) if mode == "amount" else to_a_point(scene, rng, target)


def by_amount(scene: Scene, rng: SeededRandom, target: Shape) -> Problem:
    """Along one axis or both."""
    dx, dy, affine = _step(scene, rng, target)
    parts = []
    if dx:
        parts.append(f"{'right' if dx > 0 else 'left'} by {percent(abs(dx))} of the image width")
    if dy:
        parts.append(f"{'down' if dy > 0 else 'up'} by {percent(abs(dy))} of the image height")
    return moved_problem(
        scene,
        rng,
        target,
        affine,
        f"Move {scene.phrase(rng, target)} {' and '.join(parts)}.",
        {"dx_percent": dx, "dy_percent": dy},
    )


def _step(scene: Scene, rng: SeededRandom, target: Shape) -> tuple[float, float, Affine]:
    axes = rng.choice(AXES)
    for _ in range(TRIES):
        dx, dy = (round(rng.uniform(*STEP), 2) * rng.choice((-1, 1)) if axis in axes else 0.0 for axis in ("x", "y"))
        affine = translation(dx / 100 * scene.width, dy / 100 * scene.height)
        if share_inside(scene, target, affine) >= STAYS:
            return dx, dy, affine
    raise Reject("most of the shape would leave the image")


def to_a_point(scene: Scene, rng: SeededRandom, target: Shape) -> Problem:
    """One control point of the shape onto a point, or in line with it along one axis."""
    axes = rng.choice(AXES)
    name, start, goal = _ends(scene, rng, target, axes)
    dx, dy = (goal.at[i] - start[i] if axis in axes else 0.0 for i, axis in enumerate(("x", "y")))
    there = goal.phrase + (" (where that point is now)" if goal.shape == scene.shapes.index(target) else "")
    who, still = scene.phrase(rng, target), "without turning or resizing it"
    if len(axes) == 2:
        words = f"Move {who}, {still}, so that its {name} lies exactly on {there}."
    elif axes == ("x",):
        words = f"Move {who} only horizontally, {still}, until its {name} is exactly as far right as {there}."
    else:
        words = f"Move {who} only vertically, {still}, until its {name} is exactly as high as {there}."
    details = {
        "point": name,
        "from": list(start),
        "to": list(goal.at),
        "goal": goal.name,
        "goal_shape": goal.shape,
        "axes": "both" if len(axes) == 2 else "horizontal" if axes == ("x",) else "vertical",
    }
    return moved_problem(scene, rng, target, translation(dx, dy), words, details)


def _ends(scene: Scene, rng: SeededRandom, target: Shape, axes: tuple[str, ...]) -> tuple[str, Point, PointRef]:
    for _ in range(TRIES):
        name, start = scene.point_of(rng, target)
        goal = scene.named_point(rng)
        if max(abs(goal.at[i] - start[i]) if axis in axes else 0.0 for i, axis in enumerate(("x", "y"))) > 1:
            return name, start, goal
    raise Reject("the shape would not move")
