"""Light source: a lamp is switched, recolored, dimmed or moved, and its light with it."""

from __future__ import annotations

from dataclasses import replace

from editscope.suites.generated.seeded_random import SeededRandom
from editscope.suites.physics.edit import SceneEdit, spoken_place
from editscope.suites.physics.stage import (
    LIGHTS,
    OFF,
    ceiling_light,
    hang_lamp,
    place_solids,
    room,
    srgb,
    switched,
    wall_mirror,
)
from editscope.suites.raytracing.scene import TracedScene

RULE = "A lamp lights what it shines on and makes everything in its way cast a shadow; its light goes with it."
STRENGTH = (1.3, 1.7)


def _scene(rng: SeededRandom, lamps: int, strength: float, *, colored: bool = False) -> tuple[TracedScene, list[str]]:
    """A room with lamps that hang in view; a mirror on the wall in half of them."""
    scene = room(rng, open_air=False)
    sides = (-1, 1) if lamps == 2 else (rng.choice((-1, 1)),)
    names = ["left lamp", "right lamp"] if lamps == 2 else ["lamp"]
    color = LIGHTS[rng.choice(("white", "orange"))] if colored else LIGHTS["white"]
    high, deep = rng.uniform(1.25, 1.6), rng.uniform(0.0, 0.8)
    if rng.chance(0.5):
        scene = scene.with_solid(wall_mirror(rng, scene, x=-sides[0] * rng.uniform(0.1, 0.6)))
    for name, side in zip(names, sides, strict=True):
        scene = hang_lamp(scene, name, (side * rng.uniform(0.75, 1.25), high, deep), color, strength)
    scene = place_solids(rng, scene, rng.integer(3, 4), z=(-1.6, 1.0))
    return scene, names


def lamp_off(rng: SeededRandom) -> SceneEdit:
    """Switch off the lamp."""
    strength = rng.uniform(*STRENGTH)
    scene, (name,) = _scene(rng, 1, strength, colored=True)
    scene = ceiling_light(scene)
    return SceneEdit(
        scene,
        switched(scene, name, (0.0, 0.0, 0.0), 0.0),
        f"Switch off the {name}. The globe stays; it is made of white glass and looks gray when it is off: under full "
        f"white light it would be {srgb(OFF.color)}.",
        RULE,
        {
            "object": "The globe of the lamp no longer glows {where}.",
            "light": "The light that it cast on the floor, the wall and the objects is gone, and so are the shadows "
            "that it made.",
            "mirror image": "The globe is dark in the mirror too.",
        },
        target=name,
    )


def lamp_on(rng: SeededRandom) -> SceneEdit:
    """Switch on the second of two equal lamps: the first says how bright it is."""
    strength = rng.uniform(0.9, 1.2)
    scene, names = _scene(rng, 2, strength, colored=True)
    scene = ceiling_light(scene)
    name, other = rng.shuffled(names)
    color = scene.solid(name).shine
    return SceneEdit(
        switched(scene, name, color, 0.0),
        switched(switched(scene, name, color, 0.0), name, color, strength),
        f"Switch on the {name}. It is the same kind of lamp as the {other}, which is on, and just as bright.",
        RULE,
        {
            "object": "The globe of the lamp glows {where}.",
            "light": "It lights the floor, the wall and the objects around it, and they cast shadows away from it.",
            "mirror image": "The mirror shows the glowing globe.",
        },
        target=name,
    )


def recolor_lamp(rng: SeededRandom) -> SceneEdit:
    """Give a white lamp a color; as much of its light as that color holds is left."""
    strength = rng.uniform(*STRENGTH)
    scene, (name,) = _scene(rng, 1, strength)
    scene = ceiling_light(scene)
    word = rng.choice(("red", "green", "blue", "orange"))
    color = LIGHTS[word]
    red, green, blue = (
        f"{100 * new / old:.0f}% of its present {channel}"
        for channel, new, old in zip(("red", "green", "blue"), color, LIGHTS["white"], strict=True)
    )
    return SceneEdit(
        scene,
        switched(scene, name, color, strength),
        f"Change the light of the {name} from white to {word}. In linear light, it then has {red}, {green} and "
        f"{blue} light.",
        RULE,
        {
            "object": f"The globe glows {word} {{where}}.",
            "light": f"What the lamp lights turns {word}, most of all near it; its shadows stay as dark as they were.",
            "mirror image": f"The globe in the mirror is {word} too.",
        },
        target=name,
    )


def dim_lamp(rng: SeededRandom) -> SceneEdit:
    """Dim the lamp to a share. The globe is so bright that it stays white in the picture."""
    strength = rng.uniform(*STRENGTH)
    scene, (name,) = _scene(rng, 1, strength)
    scene = ceiling_light(scene)
    percent = rng.choice((20, 30, 40, 50))
    return SceneEdit(
        scene,
        switched(scene, name, scene.solid(name).shine, strength * percent / 100),
        f"Dim the {name} to {percent}% of its present light, measured in linear light. The globe itself is still so "
        "bright that it looks the same.",
        RULE,
        {
            "light": f"Only {percent}% of its light, measured in linear light, still reaches the floor, the wall and "
            "the objects; its shadows are fainter."
        },
        target=name,
    )


def move_lamp(rng: SeededRandom) -> SceneEdit:
    """Move the lamp sideways at the same height and depth."""
    strength = rng.uniform(*STRENGTH)
    scene, (name,) = _scene(rng, 1, strength)
    scene = ceiling_light(scene)
    x, y, z = scene.solid(name).place
    side = -1 if x > 0 else 1
    steps = rng.choice((0.9, 1.2, 1.5))
    middle = (x + side * steps, y + scene.solid(name).size[1] / 2, z)
    return SceneEdit(
        scene,
        scene.with_solid(replace(scene.solid(name), place=(x + side * steps, y, z))),
        f"Move the {name} to the {'right' if side > 0 else 'left'}, at the same height and as far "
        f"from the back wall, "
        f"until its middle is {spoken_place(middle, scene)}.",
        RULE,
        {
            "object": "The globe is at its new place {where}.",
            "uncovered": "Where it was, {where}, the wall is visible.",
            "light": "The bright areas on the floor and the wall move with it, and all shadows that it makes point "
            "away from its new place.",
            "mirror image": "Its image in the mirror moves too.",
        },
        target=name,
    )


TASKS = {
    "lamp_off": lamp_off,
    "lamp_on": lamp_on,
    "recolor_lamp": recolor_lamp,
    "dim_lamp": dim_lamp,
    "move_lamp": move_lamp,
}
