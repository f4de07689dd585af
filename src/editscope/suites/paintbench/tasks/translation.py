"""Translation: move a shape by an amount, or until one of its points lies on another point."""

from __future__ import annotations

from editscope.suites.dice import Dice
from editscope.suites.paintbench.geometry import distance, translation
from editscope.suites.paintbench.moving import moved_problem
from editscope.suites.paintbench.problem import Problem, require, task
from editscope.suites.paintbench.scene import Scene
from editscope.suites.paintbench.words import percent

STEP = (4.0, 40.0)
"""How far a shape may be moved along one axis, in percent of that side."""


@task("translation")
def make(scene: Scene, dice: Dice, mode: str) -> Problem:
    """Moves are percentages of width and height, one decimal, or given by two points."""
    scene.populate(dice)
    return by_amount(scene, dice) if mode == "amount" else to_a_point(scene, dice)


def by_amount(scene: Scene, dice: Dice) -> Problem:
    """Along one axis or both."""
    target = dice.choice(scene.shapes)
    axes = dice.choice((("x",), ("y",), ("x", "y")))
    dx = dice.tenth(*STEP) * dice.choice((-1, 1)) if "x" in axes else 0.0
    dy = dice.tenth(*STEP) * dice.choice((-1, 1)) if "y" in axes else 0.0
    parts = []
    if dx:
        parts.append(f"{'right' if dx > 0 else 'left'} by {percent(abs(dx))} of the image width")
    if dy:
        parts.append(f"{'down' if dy > 0 else 'up'} by {percent(abs(dy))} of the image height")
    return moved_problem(
        scene,
        dice,
        target,
        translation(dx / 100 * scene.width, dy / 100 * scene.height),
        f"Move {scene.phrase(dice, target)} {' and '.join(parts)}.",
        {"dx_percent": dx, "dy_percent": dy},
    )


def to_a_point(scene: Scene, dice: Dice) -> Problem:
    """One control point of the shape onto a point of another shape or of the image."""
    target = dice.choice(scene.shapes)
    name, start = scene.point_of(dice, target)
    goal = scene.shape_point(dice, but=target) if dice.chance(0.7) else scene.canvas_point(dice)
    require(distance(start, goal.at) >= 0.04 * scene.shorter, "the move is too short to see")
    return moved_problem(
        scene,
        dice,
        target,
        translation(goal.at[0] - start[0], goal.at[1] - start[1]),
        f"Move {scene.phrase(dice, target)}, without turning or resizing it, so that its {name} lies exactly on "
        f"{goal.phrase}.",
        {"point": name, "from": list(start), "to": list(goal.at), "goal": goal.name, "goal_shape": goal.shape},
    )
