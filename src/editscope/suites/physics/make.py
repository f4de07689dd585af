"""Problems from slots: scenes are drawn until one is valid, then its pictures, masks and sentences are made."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from editscope.cases import Effect
from editscope.errors import BadInput
from editscope.images import Pixels
from editscope.suites.generated.seeded_random import SeededRandom
from editscope.suites.generated.suite import GeneratedProblem
from editscope.suites.physics.catalog import PhysicsCatalog, seed_of
from editscope.suites.physics.edit import DrawAgain, SceneEdit, Task
from editscope.suites.physics.masks import packed
from editscope.suites.physics.slots import SceneSlot
from editscope.suites.raytracing.effects import (
    WHOLE,
    Mask,
    SolvedChange,
    differs,
    solve_motion,
    solve_object,
    solve_scene,
)
from editscope.suites.raytracing.render import Rendering, place_in_picture, render
from editscope.suites.raytracing.scene import Point

MOST_DRAWS = 200
PROBE = 96
"""Side of the small picture on which most unfit scenes are found out, at a thirtieth of the work."""
MOST_CLIPPED = 0.04
"""Share of the picture that may be as bright as a picture can be: light cannot be seen there."""
MOST_IGNORED = 0.3
"""Share of what changes that may be left out of scoring, apart from the shadow of glass: a ball has a large one."""
LEAST_IN_VIEW = 0.5
"""Share that must not be hidden: of a solid whose size the answer needs, of a tile, of what an edit uncovers."""
LEAST_TARGET = 0.004
"""Share of the picture that the target must take up, so that a person can find it."""


@dataclass(frozen=True, eq=False)
class SceneProblem(GeneratedProblem):
    """A problem with its effects and the pixels that are left out."""

    effects: tuple[Effect, ...]
    ignored: Mask
    box: tuple[int, int, int, int]
    renderings: float


def edits(task: Task, seed: int) -> Iterator[SceneEdit]:
    """Edits from a seed, one after another, until enough were tried."""
    rng = SeededRandom(seed)
    for _ in range(MOST_DRAWS):
        with suppress(DrawAgain):
            yield task(rng)


def solved(edit: SceneEdit, size: tuple[int, int]) -> SolvedChange:
    """Both pictures and the effects of an edit."""
    if edit.roles:
        return solve_motion(edit.before, edit.after, edit.roles, size)
    if edit.target:
        return solve_object(edit.before, edit.after, edit.target, size)
    return solve_scene(edit.before, edit.after, size, edit.whole, shadows=edit.shadows)


def unfit(needed: tuple[str, ...], edit: SceneEdit, change: SolvedChange) -> str:
    """Why a scene is not a problem; "" where it is one. ``needed`` are the effects that it must have."""
    for name in needed:
        if change.effect(name) is None:
            return f"{name} cannot be seen"
    if edit.target and not _found(edit, change.before, change.after):
        return "the target is too small"
    if any(_hidden(point, edit, change.before) for point in edit.points):
        return "something stands before a point that the sentence names"
    if unforeseen := _unforeseen(edit, change.before, change.after):
        return f"nobody can know what the {unforeseen} looks like that is uncovered"
    foreseen = differs(change.before, change.after) & ~change.glass_shadow
    if float((change.ignored & foreseen).sum()) > MOST_IGNORED * float(foreseen.sum()):
        return "too much of it is not determined"
    if max(_clipped(change.before.pixels), _clipped(change.after.pixels)) > MOST_CLIPPED:
        return "too bright"
    return ""


def _found(edit: SceneEdit, before: Rendering, after: Rendering) -> bool:
    seen = before if any(solid.name == edit.target for solid in edit.before.solids) else after
    # Flames and globes are small and bright; ropes are thin and long.
    thin = any(solid.kind == "wire" for solid in (*edit.before.solids, *edit.after.solids) if solid.name == edit.target)
    small = thin or any(lamp.solid == edit.target for lamp in edit.after.lamps)
    least = LEAST_TARGET / 4 if small else LEAST_TARGET
    return float(seen.covered(edit.target).mean()) >= least


def _hidden(point: Point, edit: SceneEdit, before: Rendering) -> bool:
    """Whether a point of the floor is outside of the picture, or behind a solid other than the target."""
    height, width = before.seen.shape
    x, y = place_in_picture(point, edit.before.camera, (width, height))
    if not (0 <= x < width and 0 <= y < height):
        return True
    return any(name != edit.target and before.covered(name)[int(y), int(x)] for name in before.names)


def _unforeseen(edit: SceneEdit, before: Rendering, after: Rendering) -> str:
    """The first solid of which most of what can be seen after the edit was hidden before; "" without one.

    What stands behind glass is seen through it, and what moves was seen elsewhere.
    """
    glass = [solid.name for solid in edit.before.solids if solid.surface.kind == "glass"]
    through = np.logical_or.reduce([before.covered(name) for name in glass]) if glass else np.False_
    for name in before.names:
        if name in after.names and name != edit.target and name not in edit.roles:
            here = before.covered(name)
            uncovered = after.covered(name) & ~here & ~through
            if uncovered.sum() > here.sum() * (1 - LEAST_IN_VIEW) / LEAST_IN_VIEW:
                return name
    return ""


def measurable(edit: SceneEdit, before: Rendering) -> bool:
    """Whether half of each solid whose size the answer needs is in view, and half of a floor tile that gets wet."""
    size = (before.pixels.shape[1], before.pixels.shape[0])
    for name in edit.measures:
        alone = render(replace(edit.before, solids=(edit.before.solid(name),), lamps=(), sun=None), size)
        if before.covered(name).sum() < LEAST_IN_VIEW * alone.covered(name).sum():
            return False
    if edit.after.wet == edit.before.wet:
        return True
    dry, wet = (render(replace(scene, solids=(), lamps=()), size) for scene in (edit.before, edit.after))
    tile = differs(dry, wet)
    free = ~np.logical_or.reduce([before.covered(name) for name in before.names])
    return int((tile & free).sum()) >= LEAST_IN_VIEW * int(tile.sum())


def _clipped(pixels: Pixels) -> float:
    return float((pixels.max(axis=2) == 255).mean())


@lru_cache(maxsize=8)
def draw(catalog: PhysicsCatalog, task: str, number: int, namespace: str, side: int) -> tuple[SceneEdit, SolvedChange]:
    """The first valid problem of a number; levels share it, so the last few are kept."""
    needed = catalog.needed_effects(task)
    small = (min(PROBE, side),) * 2
    for edit in edits(catalog.task(task), seed_of(namespace, task, number)):
        probe = solved(edit, small)
        if unfit(needed, edit, probe) or not measurable(edit, probe.before):
            continue
        change = solved(edit, (side, side))
        if not unfit(needed, edit, change):
            return edit, change
    raise BadInput(
        f"no valid scene for {task} number {number} in {MOST_DRAWS} tries at {side} × {side} pixels; give a larger "
        "size, another namespace, or other tasks"
    )


def sentence(edit: SceneEdit, change: SolvedChange, level: str) -> str:
    """The instruction at a level; the explicit one says what the pictures really show."""
    if level == "superficial":
        return edit.asked
    if level == "intermediate":
        return f"{edit.asked} {edit.rule}"
    parts = [edit.asked]
    for effect in change.told:
        told = edit.sentences.get(effect.name) or edit.sentences.get(WHOLE.get(effect.name, ""), "")
        told = told.replace("{where}", where(_place(effect, edit, change)))
        if told and told not in parts:
            parts.append(told)
    rest = "everything else stays as it is."
    parts.append(f"Apart from its shadow, {rest}" if change.glass_shadow.any() else rest.capitalize())
    if level == "located":
        parts.append(_located(box_of(change), change.ignored.shape))
    return " ".join(parts)


def _place(effect: Effect, edit: SceneEdit, change: SolvedChange) -> Mask:
    """Where an effect is: the object is where it stands, or stood, and not only where pixels are its own."""
    if effect.name == "object" and edit.target:
        for picture in (change.after, change.before):
            covered = picture.covered(edit.target)
            if covered.any():
                return covered
    return effect.mask


def _located(box: tuple[int, int, int, int], shape: tuple[int, ...]) -> str:
    left, top, right, bottom = box
    height, width = shape
    if box == (0, 0, width, height):
        return "This concerns the whole picture."
    across = f"{100 * left / width:.1f}% to {100 * right / width:.1f}% of the width from the left"
    along = f"{100 * top / height:.1f}% to {100 * bottom / height:.1f}% of the height from the top"
    return f"All of this is within {across} and {along}."


def where(mask: Mask) -> str:
    """The part of the picture that a mask lies in, in words."""
    rows, columns = np.nonzero(mask)
    height, width = mask.shape
    x, y = float(columns.mean()) / width, float(rows.mean()) / height
    across = "left" if x < 0.4 else "right" if x > 0.6 else "middle"
    along = "upper" if y < 0.4 else "lower" if y > 0.6 else ""
    if across == "middle":
        return f"in the {along} middle of the picture" if along else "in the middle of the picture"
    return f"in the {along} {across} of the picture" if along else f"at the {across} of the picture"


def box_of(change: SolvedChange) -> tuple[int, int, int, int]:
    """The box about all that changes: left, top, right, bottom."""
    rows, columns = np.nonzero(np.any(change.before.pixels != change.after.pixels, axis=2))
    return int(columns.min()), int(rows.min()), int(columns.max()) + 1, int(rows.max()) + 1


def make(catalog: PhysicsCatalog, slot: SceneSlot, namespace: str, side: int) -> SceneProblem:
    """The problem of a slot."""
    edit, change = draw(catalog, slot.task, slot.number, namespace, side)
    box = box_of(change)
    sidecar: dict[str, Any] = {
        "instruction": sentence(edit, change, slot.level),
        "category": catalog.tasks[slot.task],
        "task": slot.task,
        "mode": slot.level,
        "problem_id": slot.number,
        "seed": seed_of(namespace, slot.task, slot.number),
        "target": edit.target,
        "box": list(box),
        "effects": [
            {
                "name": effect.name,
                "direct": effect.direct,
                "pixels": int(effect.mask.sum()),
                "mask": packed(effect.mask),
            }
            for effect in change.effects
        ],
        "ignored": {"pixels": int(change.ignored.sum()), "mask": packed(change.ignored)},
        "scene": asdict(edit.before),
        "answer_scene": asdict(edit.after),
    }
    return SceneProblem(
        change.before.pixels, change.after.pixels, sidecar, change.effects, change.ignored, box, change.renderings
    )
