"""Refraction: glass before a pattern goes or comes, and what stands behind it changes color."""

from __future__ import annotations

from dataclasses import replace

from editscope.suites.generated.seeded_random import SeededRandom
from editscope.suites.optics.tasks.mirrors import recolored
from editscope.suites.physics.edit import SceneEdit, spoken_place
from editscope.suites.physics.stage import GLASS, Spot, lit_room, place_solids
from editscope.suites.raytracing.scene import Solid, TracedScene

RULE = (
    "Glass bends light: a clear ball turns what is far enough behind it upside down, and a slab shifts it; both also "
    "reflect a little."
)


def _scene(rng: SeededRandom) -> tuple[TracedScene, Solid]:
    """A scene without its glass, and the glass: a ball or a slab in front."""
    scene = lit_room(rng)
    spot = Spot(rng.uniform(-0.7, 0.7), rng.uniform(-1.6, -0.9))
    if rng.chance(0.6):
        width = rng.uniform(0.7, 0.95)
        glass = Solid("glass ball", "sphere", (spot.x, 0.0, spot.z), (width, width, width), GLASS)
    else:
        size = rng.uniform(0.8, 1.1), rng.uniform(0.8, 1.1), rng.uniform(0.2, 0.35)
        glass = Solid("glass slab", "box", (spot.x, 0.0, spot.z), size, GLASS, turn=rng.uniform(-35, 35))
    scene = place_solids(rng, scene.with_solid(glass), rng.integer(3, 4), z=(-0.5, 1.5))
    return scene.without(glass.name), glass


def remove_glass(rng: SeededRandom) -> SceneEdit:
    """Remove glass."""
    scene, glass = _scene(rng)
    return SceneEdit(
        scene.with_solid(glass),
        scene,
        f"Remove the {glass.name}.",
        RULE,
        {
            "object": "What is behind it looks straight again {where}, no longer bent.",
            "shadow": f"The shadow of the {glass.name} {{where}} is gone.",
        },
        target=glass.name,
    )


def add_glass(rng: SeededRandom) -> SceneEdit:
    """Add glass of a stated size and place."""
    scene, glass = _scene(rng)
    measures: tuple[str, ...] = ()
    if glass.kind == "sphere":
        model = rng.choice([solid for solid in scene.solids if solid.name != "ceiling light"])
        glass = replace(glass, size=(model.size[0],) * 3)
        measures = (model.name,)
        size = f"Its diameter is the width of the {model.name}"
        size += " (the side of its base)" if model.kind == "box" else ""
    else:
        width, height, depth = (round(side, 1) for side in glass.size)
        glass = replace(glass, size=(width, height, depth), turn=0.0)
        size = (
            f"It is {width:g} m wide, {height:g} m high and {depth:g} m thick, parallel to the back wall; a square or "
            f"stripe of the floor is {scene.planes[0].pattern.scale:g} m wide"
        )
    return SceneEdit(
        scene,
        scene.with_solid(glass),
        f"Add a solid, clear {glass.name} with a refractive index of 1.5. {size}. It stands on the floor; the middle "
        f"of its base is {spoken_place(glass.place, scene)}.",
        RULE,
        {
            "object": "Through it, the floor, the wall and the objects look bent {where}; its rim shows faint "
            "reflections."
        },
        target=glass.name,
        measures=measures,
        points=(glass.place,),
    )


def swap_glass(rng: SeededRandom) -> SceneEdit:
    """Swap a glass ball for a cube, or a slab for a ball."""
    scene, glass = _scene(rng)
    x, _, z = glass.place
    if glass.kind == "sphere":
        side = glass.size[0]
        other = replace(glass, kind="box", size=(side, side, side), turn=0.0)
        words = "a cube of the same glass. Its edges are as long as the ball is wide; it faces the back wall squarely"
    else:
        side = glass.size[1]
        other = replace(glass, kind="sphere", size=(side, side, side), turn=0.0)
        words = "a ball of the same glass that is as high as the slab"
    old = glass.name
    return SceneEdit(
        scene.with_solid(replace(glass, name="glass")),
        scene.with_solid(replace(other, name="glass", place=(x, 0.0, z))),
        f"Replace the {old} with {words}. The middle of its base is where that of the {old} was.",
        RULE,
        {
            "object": f"The new glass stands {{where}} and shows what is behind it as a {words.split()[1]} does.",
            "uncovered": f"Where only the {old} was, what is behind it looks straight again.",
        },
        target="glass",
    )


def recolor_behind_glass(rng: SeededRandom) -> SceneEdit:
    """Recolor an object that is seen through glass too."""
    scene, glass = _scene(rng)
    scene = scene.with_solid(glass)
    solid = rng.choice([solid for solid in scene.solids if solid.name not in ("ceiling light", glass.name)])
    through = f"What the {glass.name} shows of it is {{color}} too {{where}}."
    return recolored(rng, scene, solid, RULE, "refraction", through)


TASKS = {
    "remove_glass": remove_glass,
    "add_glass": add_glass,
    "swap_glass": swap_glass,
    "recolor_behind_glass": recolor_behind_glass,
}
