"""Light propagation: an object goes, comes or moves, or the sun moves, and shadows follow."""

from __future__ import annotations

from dataclasses import replace

from editscope.suites.generated.seeded_random import SeededRandom
from editscope.suites.physics.edit import SceneEdit, spoken_place
from editscope.suites.physics.stage import Spot, free_spot, lit_room, moved, place_solids, room
from editscope.suites.raytracing.scene import Solid, Sun, TracedScene

PLAIN_SHARE = 0.03
"""The relative change in the light on a surface that a person can see."""
RULE = "Light travels in straight lines: an opaque object casts a shadow on the side away from the light."


def _scene(rng: SeededRandom) -> TracedScene:
    scene = lit_room(rng, open_air=0.6)
    return place_solids(rng, scene, rng.integer(3, 5))


def _matte(scene: TracedScene) -> list[Solid]:
    return [solid for solid in scene.solids if solid.name != "ceiling light"]


def remove_object(rng: SeededRandom) -> SceneEdit:
    """Remove an object with its shadow."""
    scene = _scene(rng)
    name = rng.choice(_matte(scene)).name
    return SceneEdit(
        scene,
        scene.without(name),
        f"Remove the {name}.",
        RULE,
        {
            "object": f"What was hidden behind the {name} is now visible {{where}}; the pattern continues there.",
            "shadow": "Its shadow {where} is gone: that part is as bright as what is around it.",
        },
        target=name,
    )


def add_object(rng: SeededRandom) -> SceneEdit:
    """Add an object like one that is there, at a place of the floor."""
    scene = _scene(rng)
    model = rng.choice(_matte(scene))
    spot = free_spot(rng, scene, model.footprint, x=(-1.5, 1.5), z=(-1.8, 0.8))
    second = replace(moved(model, spot), name="second " + model.name)
    way = ", turned the same way" if model.kind == "box" else ""
    return SceneEdit(
        scene,
        scene.with_solid(second),
        f"Add a second {model.name} of the same size and color as the first{way}. The middle of its base touches "
        f"the floor {spoken_place(second.place, scene)}.",
        RULE,
        {"object": "The new object stands {where}.", "shadow": "It casts a shadow {where}, away from the light."},
        target=second.name,
        measures=(model.name,),
        points=(second.place,),
    )


def move_object(rng: SeededRandom) -> SceneEdit:
    """Move an object along the floor, with its shadow."""
    scene = _scene(rng)
    solid = rng.choice(_matte(scene))
    spot = free_spot(rng, scene, solid.footprint, x=(-1.5, 1.5), z=(-1.8, 0.8))
    return SceneEdit(
        scene,
        scene.with_solid(moved(solid, Spot(spot.x, spot.z))),
        f"Move the {solid.name} along the floor, without turning it, until the middle of its base is "
        f"{spoken_place((spot.x, 0.0, spot.z), scene)}.",
        RULE,
        {
            "object": f"The {solid.name} stands at its new place {{where}}.",
            "uncovered": "What was hidden behind its old place is now visible {where}.",
            "old shadow": "Its old shadow {where} is gone.",
            "new shadow": "It casts a shadow {where}, away from the light.",
        },
        target=solid.name,
        measures=(solid.name,),
        points=((spot.x, 0.0, spot.z),),
    )


def move_sun(rng: SeededRandom) -> SceneEdit:
    """Move the sun to a stated direction."""
    scene = place_solids(rng, room(rng, open_air=True), rng.integer(3, 5))
    assert scene.sun is not None
    azimuth = (-1 if scene.sun.azimuth > 0 else 1) * rng.integer(4, 12) * 5
    elevation = rng.integer(6, 11) * 5
    side = "right" if azimuth > 0 else "left"
    moved_sun = replace(scene.sun, azimuth=float(azimuth), elevation=float(elevation))
    return SceneEdit(
        scene,
        replace(scene, sun=moved_sun),
        f"Move the sun: it now stands behind the camera, {abs(azimuth)} degrees to the {side}, {elevation} degrees "
        "above the horizon, and is as bright as before.",
        RULE + " A surface that faces the sun is brighter than one that it grazes.",
        {
            "shadow": f"All old shadows are gone; the new ones fall away from the camera and to the "
            f"{'left' if azimuth > 0 else 'right'}.",
            "shading": f"The sides of the objects that face {side} are bright now; "
            f"{_floor_and_wall(scene, moved_sun)}.",
        },
        whole="shading",
        shadows=True,
    )


def _floor_and_wall(scene: TracedScene, sun: Sun) -> str:
    """How floor and wall change where neither the old sun nor the new one is blocked."""
    assert scene.sun is not None
    pairs = zip(_sunlit(scene, scene.sun), _sunlit(scene, sun), strict=True)
    floor, wall = (_than_before(new / old) for old, new in pairs)
    if floor == wall:
        return f"floor and wall are {floor} in the sun"
    return f"the floor is {floor} in the sun, the wall {wall}"


def _sunlit(scene: TracedScene, sun: Sun) -> tuple[float, float]:
    """The green light that floor and wall get from a sun and from all around."""
    _, up, away = sun.direction
    return scene.ambient[1] + sun.power[1] * up, scene.ambient[1] - sun.power[1] * away


def _than_before(ratio: float) -> str:
    if ratio > 1 + PLAIN_SHARE:
        return "brighter"
    return "darker" if ratio < 1 - PLAIN_SHARE else "about as bright as before"


TASKS = {
    "remove_object": remove_object,
    "add_object": add_object,
    "move_object": move_object,
    "move_sun": move_sun,
}
