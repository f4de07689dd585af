"""Reflection: what a mirror shows goes, changes or moves, and surfaces become mirrors or stop being ones."""

from __future__ import annotations

from dataclasses import replace

from editscope.suites.generated.seeded_random import SeededRandom
from editscope.suites.physics.edit import SceneEdit, spoken_place
from editscope.suites.physics.stage import (
    COLORS,
    MIRROR,
    SHAPES,
    free_spot,
    lit_room,
    moved,
    place_solids,
    srgb,
    wall_mirror,
)
from editscope.suites.raytracing.scene import Solid, Surface, TracedScene

RULE = "A mirror shows an image of what stands in front of it, as far behind the mirror as the object is in front."


def _scene(rng: SeededRandom) -> TracedScene:
    scene = lit_room(rng)
    mirror = wall_mirror(rng, scene, x=rng.uniform(-0.4, 0.4))
    x, _, z = mirror.place
    # Low enough to show the floor, and wide enough for several things.
    scene = scene.with_solid(replace(mirror, place=(x, 0.05, z), size=(2.3, 1.5, 0.04)))
    return place_solids(rng, scene, rng.integer(3, 4), x=(-1.3, 1.3), z=(-1.0, 1.5))


def _shown(scene: TracedScene) -> list[Solid]:
    return [solid for solid in scene.solids if solid.name.split()[-1] in SHAPES]


def remove_mirrored(rng: SeededRandom) -> SceneEdit:
    """Remove an object that a mirror shows."""
    scene = _scene(rng)
    name = rng.choice(_shown(scene)).name
    return SceneEdit(
        scene,
        scene.without(name),
        f"Remove the {name}.",
        RULE,
        {
            "object": f"What was hidden behind the {name} is now visible {{where}}.",
            "shadow": "Its shadow {where} is gone.",
            "mirror image": "Its image in the mirror, {where}, is gone too; the mirror shows what was behind it.",
        },
        target=name,
    )


def recolor_mirrored(rng: SeededRandom) -> SceneEdit:
    """Recolor an object that a mirror shows."""
    scene = _scene(rng)
    image = "Its image in the mirror, {where}, is {color} too."
    return recolored(rng, scene, rng.choice(_shown(scene)), RULE, "mirror image", image)


def recolored(rng: SeededRandom, scene: TracedScene, solid: Solid, rule: str, effect: str, sentence: str) -> SceneEdit:
    """Paint a solid in a color that no other has; ``sentence`` tells of the effect that shows it a second time."""
    taken = {other.name.split()[0] for other in scene.solids}
    word = rng.choice([color for color in COLORS if color not in taken])
    return SceneEdit(
        scene,
        scene.with_solid(replace(solid, surface=Surface("matte", COLORS[word]))),
        f"Paint the {solid.name} {word}: under full white light it would be {srgb(COLORS[word])}.",
        rule,
        {
            "object": f"It is {word} {{where}}, with the same light and shade on it.",
            effect: sentence.replace("{color}", word),
        },
        target=solid.name,
    )


def move_mirrored(rng: SeededRandom) -> SceneEdit:
    """Move an object that a mirror shows."""
    scene = _scene(rng)
    solid = rng.choice(_shown(scene))
    spot = free_spot(rng, scene, solid.footprint, x=(-1.2, 1.2), z=(-0.9, 1.4))
    return SceneEdit(
        scene,
        scene.with_solid(moved(solid, spot)),
        f"Move the {solid.name} along the floor, without turning it, until the middle of its base is "
        f"{spoken_place((spot.x, 0.0, spot.z), scene)}.",
        RULE,
        {
            "object": f"The {solid.name} stands at its new place {{where}}.",
            "uncovered": "What was hidden behind its old place is now visible {where}.",
            "old shadow": "Its old shadow {where} is gone.",
            "new shadow": "It casts a shadow {where}, away from the light.",
            "mirror image": "Its image in the mirror moves too: as far behind the glass as the "
            "object is in front of it.",
        },
        target=solid.name,
        measures=(solid.name,),
        points=((spot.x, 0.0, spot.z),),
    )


def _balls(rng: SeededRandom) -> tuple[TracedScene, Solid]:
    """A room with a large ball among smaller things."""
    scene = lit_room(rng)
    color = rng.choice(tuple(COLORS))
    width = rng.uniform(0.9, 1.15)
    ball = Solid(
        f"{color} ball",
        "sphere",
        (rng.uniform(-0.7, 0.7), 0.0, rng.uniform(-0.2, 0.7)),
        (width, width, width),
        Surface("matte", COLORS[color]),
    )
    return place_solids(rng, scene.with_solid(ball), rng.integer(3, 4)), ball


def matte_to_mirror(rng: SeededRandom) -> SceneEdit:
    """Turn a gray board at the wall into a mirror: a low one, which shows the floor and nothing that nobody saw."""
    scene = _scene(rng)
    board = replace(scene.solid("mirror"), name="gray board", size=(2.3, 0.85, 0.04))
    scene = scene.without("mirror")
    gray = replace(board, surface=Surface("matte", (0.3, 0.3, 0.3)))
    return SceneEdit(
        scene.with_solid(gray),
        scene.with_solid(replace(board, surface=MIRROR)),
        "Turn the gray board at the back wall into a mirror that reflects 90% of the light.",
        RULE,
        {
            "object": "The board {where} now reflects the floor in front of it, whose pattern continues, and the "
            "objects as seen from behind."
        },
        target="gray board",
    )


def mirror_to_matte(rng: SeededRandom) -> SceneEdit:
    """Turn a mirror ball into a matte one."""
    scene, ball = _balls(rng)
    color = ball.name.split()[0]
    mirror = replace(ball, name="mirror ball")
    before = scene.without(ball.name).with_solid(replace(mirror, surface=MIRROR))
    return SceneEdit(
        before,
        scene.without(ball.name).with_solid(mirror),
        f"Make the mirror ball matte and {color}: under full white light it would be {srgb(ball.surface.color)}.",
        "A matte surface shows no image; it is bright where light falls on it and dark where none does.",
        {
            "object": f"The ball is {color} {{where}}, bright on the side that faces the light, and shows no image "
            "of the room."
        },
        target="mirror ball",
    )


def turn_mirror(rng: SeededRandom) -> SceneEdit:
    """Turn a low mirror that stands free on the floor: it shows another part of the floor and other objects."""
    scene = lit_room(rng)
    place = (rng.uniform(-0.4, 0.4), 0.0, rng.uniform(0.9, 1.4))
    start = rng.integer(-3, 3) * 5
    by = rng.choice((-1, 1)) * rng.integer(3, 6) * 5
    mirror = Solid("mirror", "panel", place, (rng.uniform(1.6, 2.0), 0.9, 0.04), MIRROR, turn=float(start))
    # The middle stays free, so that the mirror is in view.
    scene = place_solids(rng, scene.with_solid(mirror), 2, x=(-1.6, -0.65), z=(-1.1, 0.5))
    scene = place_solids(rng, scene, rng.integer(1, 2), x=(0.65, 1.6), z=(-1.1, 0.5))
    way = "clockwise" if by > 0 else "counterclockwise"
    return SceneEdit(
        scene,
        scene.with_solid(replace(mirror, turn=float(start + by))),
        f"Turn the mirror {abs(by)} degrees {way}, as seen from above, about the vertical line through its middle.",
        "A mirror that turns by an angle turns what it shows by twice that angle.",
        {
            "object": "The mirror stands at its new angle {where} and shows the floor and the objects that are now in "
            f"front of it, with more of what is on the {'left' if by > 0 else 'right'}.",
            "uncovered": "What the mirror hid before is now visible beside it.",
            "shadow": "Its shadow turns with it.",
        },
        target="mirror",
    )


TASKS = {
    "turn_mirror": turn_mirror,
    "remove_mirrored": remove_mirrored,
    "recolor_mirrored": recolor_mirrored,
    "move_mirrored": move_mirrored,
    "matte_to_mirror": matte_to_mirror,
    "mirror_to_matte": mirror_to_matte,
}
