"""Problems from seeds: attempts are tried in order until one is valid."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from editscope.compiled import compiled
from editscope.errors import BadInput
from editscope.images import Indexed, Pixels
from editscope.images.lab import differences
from editscope.suites.generated.seeded_random import SeededRandom
from editscope.suites.generated.suite import MOST_FLOOR, GeneratedProblem
from editscope.suites.paintbench.catalog import CATEGORY_OF, CONDITIONS, PRESERVATION, object_count, seed_of
from editscope.suites.paintbench.problem import MIN_CHANGED, Problem, Reject, require, task_named
from editscope.suites.paintbench.raster import Plane
from editscope.suites.paintbench.scene import Scene, SceneSetup
from editscope.suites.paintbench.sidecar import released_fields
from editscope.suites.paintbench.slots import Overrides, PaintSlot

MAX_ATTEMPTS = 400
TOLERANCES = range(11)
"""The ΔE up to which a pixel counts as right, one after another, when an edit is scored."""
KEEP_EVERYTHING = "Return the image exactly as it is, without changing a single pixel."


@dataclass(frozen=True, eq=False)
class DrawnProblem:
    """A valid problem of a slot before it is described: the scene, the problem, and the seed that gave both."""

    scene: Scene
    problem: Problem
    seed: int
    attempt: int


def make(slot: PaintSlot, overrides: Overrides = Overrides(), most_attempts: int | None = None) -> GeneratedProblem:
    """The problem of a slot."""
    drawn = draw(slot, overrides, most_attempts)
    return _finished(slot, drawn.scene, drawn.problem, drawn.seed, drawn.attempt)


def draw(slot: PaintSlot, overrides: Overrides = Overrides(), most_attempts: int | None = None) -> DrawnProblem:
    """The first attempt at a slot that is valid, of MAX_ATTEMPTS or another number; BadInput where there is none."""
    most_attempts = most_attempts or MAX_ATTEMPTS
    condition = CONDITIONS[slot.condition]
    width, height = overrides.canvas or (condition.width, condition.height)
    n = overrides.n or object_count(slot.task, condition.level)
    setup = SceneSetup(width, height, condition.palette, condition.striped, n, overrides.points)
    reasons: dict[str, int] = {}
    for attempt in range(most_attempts):
        seed = seed_of(overrides.namespace, slot.task, slot.condition, slot.mode, slot.slot, attempt)
        try:
            scene, problem = attempt_problem(slot.task, slot.mode, setup, seed)
        except Reject as rejected:
            reasons[str(rejected)] = reasons.get(str(rejected), 0) + 1
            continue
        return DrawnProblem(scene, problem, seed, attempt)
    reason = max(reasons, key=lambda r: reasons[r])
    raise BadInput(
        f"no valid problem for {slot.id} ({slot.mode}, {slot.condition}) in {most_attempts} attempts with "
        f"canvas {width}×{height} and n={n}; most often: {reason}. Choose another size of the canvas or another n"
    )


def attempt_problem(task: str, mode: str, setup: SceneSetup, seed: int) -> tuple[Scene, Problem]:
    """One attempt: a scene and its problem, or Reject."""
    rng = SeededRandom(seed)
    scene = Scene(setup, rng)
    problem = task_named(task)(scene, rng, mode)
    _require_visible(scene, problem)
    return scene, problem


def _require_visible(scene: Scene, problem: Problem) -> None:
    """Enough pixels change, and so clearly that an editor which changes nothing gets next to nothing."""
    colors = np.array([c.rgb for c in scene.colors] + list(problem.extra_colors), np.uint8)
    if problem.after.ndim == 2:
        pairs = _pairs(problem.before, problem.after, len(colors))
        np.fill_diagonal(pairs, 0)
        old, new = np.nonzero(pairs)
        counts, apart = pairs[old, new], differences(colors[old], colors[new])
    else:
        keys, counts = np.unique(_changed_keys(problem.before, problem.after, colors), return_counts=True)
        news = np.stack([keys // 65536 % 256, keys // 256 % 256, keys % 256], axis=1).astype(np.uint8)
        apart = differences(colors[keys // 2**24], news)
    changed = int(counts.sum())
    require(changed >= MIN_CHANGED, "the edit changes too few pixels to see")
    unchanged = sum(int(counts[apart <= tolerance].sum()) for tolerance in TOLERANCES) / len(TOLERANCES)
    require(unchanged <= MOST_FLOOR * changed, "the edit is so faint that the input would pass for the answer")


@compiled("u1[:, ::1], u1[:, :, ::1], u1[:, ::1]")
def _changed_keys(before: Plane, after: Pixels, colors: npt.NDArray[np.uint8]) -> npt.NDArray[np.int64]:
    """For every pixel that changes, its old index and its new color in one number."""
    height, width = before.shape
    keys = np.empty(height * width, np.int64)
    count = 0
    for row in range(height):
        for column in range(width):
            old = before[row, column]
            r, g, b = after[row, column, 0], after[row, column, 1], after[row, column, 2]
            if r != colors[old, 0] or g != colors[old, 1] or b != colors[old, 2]:
                keys[count] = ((np.int64(old) * 256 + r) * 256 + g) * 256 + b
                count += 1
    return keys[:count]


@compiled("u1[:, ::1], u1[:, ::1], i8")
def _pairs(before: Plane, after: Plane, colors: int) -> npt.NDArray[np.int64]:
    counts = np.zeros((colors, colors), np.int64)
    height, width = before.shape
    for row in range(height):
        for column in range(width):
            if before[row, column] != after[row, column]:
                counts[before[row, column], after[row, column]] += 1
    return counts


def _finished(slot: PaintSlot, scene: Scene, problem: Problem, seed: int, attempt: int) -> GeneratedProblem:
    palette = np.array([c.rgb for c in scene.colors] + list(problem.extra_colors), np.uint8)
    before = Indexed(problem.before, palette[: len(scene.colors)])
    after = Indexed(problem.after, palette) if problem.after.ndim == 2 else problem.after
    sidecar = {
        "instruction": KEEP_EVERYTHING if slot.preservation else problem.instruction,
        "category": PRESERVATION if slot.preservation else CATEGORY_OF[slot.task],
        "task": PRESERVATION if slot.preservation else slot.task,
        "mode": slot.mode,
        "visual_condition": slot.condition,
        "problem_id": slot.number,
        "seed": seed,
        "attempt": attempt,
        "n": scene.n,
        "W": scene.width,
        "H": scene.height,
        "bg_colors": [c.hex for c in scene.colors[: 2 if scene.setup.striped else 1]],
        "stripes": scene.stripes.describe() if scene.stripes else None,
        "scene_shapes": scene.describe(),
        **({} if slot.preservation else problem.details),
    }
    if not slot.preservation:
        sidecar |= released_fields(sidecar)
    return GeneratedProblem(before, before if slot.preservation else after, sidecar)
