"""Global and local state: fog, a flood, another time of day, a wet tile, a candle that is lit."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

from editscope.suites.generated.seeded_random import SeededRandom
from editscope.suites.physics.edit import Crowded, SceneEdit, spoken_place
from editscope.suites.physics.stage import (
    ceiling_light,
    free_spot,
    hang_lamp,
    lit_room,
    place_solids,
    room,
    switched,
)
from editscope.suites.raytracing.scene import (
    ALL,
    SHADOWING,
    Color,
    Fog,
    Plane,
    Point,
    Solid,
    Surface,
    TracedScene,
    Water,
    WetPatch,
)

FLAME: Color = (1.0, 0.62, 0.25)
WAX = Surface("matte", (0.72, 0.7, 0.62))
WICK = Surface("matte", (0.03, 0.03, 0.03))
PALE = Surface("matte", (0.8, 0.84, 0.86))
WATER = Surface("glass", (0.96, 0.98, 0.99), 1.33)
FACETS = 20
SHADOWLESS = ALL & ~SHADOWING


def _open_place(rng: SeededRandom) -> TracedScene:
    return place_solids(rng, room(rng, open_air=True), rng.integer(3, 5))


def fog(rng: SeededRandom) -> SceneEdit:
    """Even fog of a stated density."""
    scene = _open_place(rng)
    back = next(plane for plane in scene.planes if plane.side == "back")
    distance = back.place - scene.camera.place[2]
    percent = rng.choice((40, 50, 60, 70))
    gray = rng.choice((0.45, 0.55))
    codes = round(255 * (1.055 * gray ** (1 / 2.4) - 0.055))
    density = round(-math.log(1 - percent / 100) / distance, 9)
    return SceneEdit(
        scene,
        replace(scene, fog=Fog(density, (gray, gray, gray))),
        f"Fill the scene with even fog of the gray RGB {codes}, {codes}, {codes}. In linear light, it absorbs "
        f"{percent}% of what comes from the back wall straight ahead and replaces it with its own gray.",
        "The farther away something is, the more the fog hides it: the light that is left falls exponentially with "
        "distance.",
        {
            "fog": "The wall is paler than the objects, those at the back are paler than those in front, and dark "
            "things become lighter."
        },
        whole="fog",
    )


def flood(rng: SeededRandom) -> SceneEdit:
    """Clear water up to a stated height of an object."""
    scene = _open_place(rng)
    solid = max(scene.solids, key=lambda solid: solid.size[1])
    percent = rng.choice((25, 30, 40, 50))
    water = Water(solid.size[1] * percent / 100)
    floor = scene.planes[0].pattern.scale
    red, green, blue = (f"{100 * share:.0f}%" for share in water.clearness)
    return SceneEdit(
        scene,
        replace(scene, water=water),
        f"Flood the floor with still water, up to {percent}% of the height of the {solid.name}. One meter of "
        f"this water lets through {red} of red, {green} of green and {blue} of blue light; a square or stripe of "
        f"the floor is {floor:g} m wide.",
        "Still water is level, bends light at its surface by a refractive index of 1.33, absorbs red light most, and "
        "mirrors what is above it, more so at grazing angles.",
        {
            "water": "The floor and the feet of the objects are under water and look blue-green and slightly raised; "
            "the surface shows the upper parts of the objects and the wall upside down."
        },
        whole="water",
        measures=(solid.name,),
    )


def time_of_day(rng: SeededRandom) -> SceneEdit:
    """From day to a low evening sun whose light is stated."""
    scene = _open_place(rng)
    sun = scene.sun
    assert sun is not None
    azimuth = (-1 if sun.azimuth > 0 else 1) * rng.integer(8, 13) * 5
    elevation = rng.integer(3, 4) * 5
    share = (0.85, 0.5, 0.25)
    power = (sun.power[0] * share[0], sun.power[1] * share[1], sun.power[2] * share[2])
    red, green, blue = scene.ambient
    side = "right" if azimuth > 0 else "left"
    return SceneEdit(
        scene,
        replace(
            scene,
            sun=replace(sun, azimuth=float(azimuth), elevation=float(elevation), power=power),
            ambient=(red * 0.6, green * 0.6, blue * 0.6),
            background=(0.2, 0.22, 0.25),
        ),
        f"Make it evening: the sun stands behind the camera, {abs(azimuth)} degrees to the {side}, only {elevation} "
        "degrees above the horizon. In linear light, 85% of its red, 50% of its green and 25% of its blue light are "
        "left, and 60% of the light from all around.",
        "The lower the sun, the longer the shadows and the redder its light.",
        {
            "shadow": f"The old shadows are gone; long ones reach to the {'left' if azimuth > 0 else 'right'}.",
            "shading": f"The light is orange and comes from the {side}; the floor, which the sun now grazes, is "
            "darker.",
        },
        whole="shading",
        shadows=True,
    )


def wet_tile(rng: SeededRandom) -> SceneEdit:
    """One tile of a checked floor becomes wet."""
    scene = _open_place(rng)
    floor, *walls = scene.planes
    floor = replace(floor, pattern=replace(floor.pattern, kind="checks"))
    planes: tuple[Plane, ...] = (floor, *walls)
    scene = replace(scene, planes=planes)
    side = floor.pattern.scale
    column, row = rng.integer(-2, 1), rng.integer(-3, -1)
    x, z = column * side, row * side
    for solid in scene.solids:
        away_x = max(x - solid.place[0], 0.0, solid.place[0] - x - side)
        away_z = max(z - solid.place[2], 0.0, solid.place[2] - z - side)
        if away_x * away_x + away_z * away_z < solid.footprint**2:
            raise Crowded
    middle = (x + side / 2, 0.0, z + side / 2)
    return SceneEdit(
        scene,
        replace(scene, wet=WetPatch((x, z, x + side, z + side))),
        f"Make the floor tile whose middle is {spoken_place(middle, scene)} wet, all of that tile and no other. Its "
        "own color keeps 45% of its brightness in linear light; a thin film of water, still and level, lies on it.",
        "A wet surface is darker and reflects like a weak mirror, more so at grazing angles.",
        {"wet patch": "The tile is darker {where}, and shows a faint image of the wall and of what stands behind it."},
        whole="wet patch",
        points=(middle,),
    )


def fill_glass(rng: SeededRandom) -> SceneEdit:
    """Fill a drinking glass with water up to a stated height. Its wall is too thin to bend light by itself."""
    scene = lit_room(rng)
    width, height = rng.uniform(0.65, 0.85), rng.uniform(0.9, 1.15)
    place = (rng.uniform(-0.7, 0.7), 0.0, rng.uniform(-1.6, -1.0))
    percent = rng.choice((50, 60, 70, 80))
    water = Solid("water", "cylinder", place, (width, height * percent / 100, width), WATER)
    scene = place_solids(rng, scene.with_solid(water), rng.integer(3, 4), z=(-0.5, 1.5)).without("water")
    scene = scene.with_solid(_drinking_glass(place, width + 0.03, height))
    return SceneEdit(
        scene,
        scene.with_solid(water),
        f"Fill the drinking glass with clear water, up to {percent}% of its height. Water has a refractive index of "
        "1.33; the wall of the glass is so thin that it does not bend light.",
        "A round glass of water acts as a lens: it shows what is behind it stretched sideways, with left and right "
        "swapped.",
        {
            "object": "The water in the glass shows the floor, the wall and the objects behind it bent, with left and "
            "right swapped, {where}; its level surface reflects a little."
        },
        target="water",
    )


def _drinking_glass(place: Point, width: float, height: float) -> Solid:
    """The edges of a thin glass as one sees them: rim, base, and both sides."""
    angles = [2 * math.pi * step / FACETS for step in range(FACETS + 1)]
    # Micrometers: the last bit of a sine depends on the processor.
    ring = [(round(width / 2 * math.cos(a), 6) + 0.0, round(width / 2 * math.sin(a), 6) + 0.0) for a in angles]
    lines: list[tuple[Point, Point]] = []
    for level in (0.01, height):
        lines += [((a, level, b), (c, level, d)) for (a, b), (c, d) in pairwise(ring)]
    lines += [((side * width / 2, 0.01, 0.0), (side * width / 2, height, 0.0)) for side in (-1, 1)]
    return Solid("drinking glass", "wire", place, (0.018, 0.018, 0.018), PALE, lines=tuple(lines), parts=SHADOWLESS)


def light_candle(rng: SeededRandom) -> SceneEdit:
    """Light the second of two equal candles."""
    scene = ceiling_light(room(rng, open_air=False))
    strength = rng.uniform(0.45, 0.6)
    height = rng.uniform(0.55, 0.8)
    names = ["left candle", "right candle"]
    for name, side in zip(names, (-1, 1), strict=True):
        spot = free_spot(rng, scene, 0.25, x=(0.5 * side, 1.2 * side), z=(-0.9, 0.5))
        wax = Solid(f"{name} stick", "cylinder", (spot.x, 0.0, spot.z), (0.16, height, 0.16), WAX)
        # The flame hangs a finger's breadth above the wax, or the wax would hide all of its light from the floor.
        wick = Solid(f"{name} wick", "cylinder", (spot.x, height, spot.z), (0.03, 0.12, 0.03), WICK, parts=SHADOWLESS)
        scene = scene.with_solid(wax).with_solid(wick)
        scene = hang_lamp(scene, name, (spot.x, height + 0.09, spot.z), FLAME, strength, width=0.18)
    scene = place_solids(rng, scene, rng.integer(2, 3))
    name, other = rng.shuffled(names)
    dark = scene.without(name)
    return SceneEdit(
        dark,
        switched(dark.with_solid(scene.solid(name)), name, FLAME, strength),
        f"Light the {name}. Its flame is like that of the {other}: as large, as bright, and as high above the wax.",
        "A flame lights what is around it, and things in its light cast shadows away from it.",
        {
            "object": "The flame burns {where}.",
            "light": "The candle casts a warm light on the floor, the wall and the objects near it, and they cast "
            "shadows away from the flame.",
        },
        target=name,
        measures=(f"{name} stick", f"{other} stick"),
    )


TASKS = {
    "fog": fog,
    "flood": flood,
    "time_of_day": time_of_day,
    "wet_tile": wet_tile,
    "fill_glass": fill_glass,
    "light_candle": light_candle,
}
