"""Scenes drawn from seeds: a room or an open place, solids with one color each, lamps or a sun."""

from __future__ import annotations

from dataclasses import dataclass, replace

from editscope.suites.generated.seeded_random import SeededRandom
from editscope.suites.physics.edit import Crowded
from editscope.suites.raytracing.scene import (
    Camera,
    Color,
    Lamp,
    Pattern,
    PatternKind,
    Plane,
    Solid,
    SolidKind,
    Sun,
    Surface,
    TracedScene,
)

COLORS: dict[str, Color] = {
    "red": (0.58, 0.035, 0.03),
    "green": (0.05, 0.38, 0.07),
    "blue": (0.04, 0.1, 0.58),
    "yellow": (0.74, 0.54, 0.03),
    "orange": (0.75, 0.22, 0.02),
    "purple": (0.28, 0.05, 0.42),
    "turquoise": (0.03, 0.42, 0.42),
    "pink": (0.75, 0.22, 0.38),
}
LIGHTS: dict[str, Color] = {
    "white": (1.0, 0.95, 0.88),
    "red": (1.0, 0.16, 0.1),
    "green": (0.2, 0.95, 0.25),
    "blue": (0.2, 0.36, 1.0),
    "orange": (1.0, 0.48, 0.12),
}
SHAPES: dict[str, SolidKind] = {"ball": "sphere", "box": "box", "cylinder": "cylinder", "cone": "cone"}
GLASS = Surface("glass", (0.97, 0.98, 0.98), 1.5)
MIRROR = Surface("mirror", (0.9, 0.9, 0.9))
OFF = Surface("matte", (0.62, 0.62, 0.6))
GAP = 0.16
BRIGHT = 6.5
"""The power of a ceiling light that lights a room by itself."""
MOST_TRIES = 40


@dataclass(frozen=True, slots=True)
class Spot:
    """A free place on the floor."""

    x: float
    z: float


def room(rng: SeededRandom, *, open_air: bool, plain_wall: bool = False) -> TracedScene:
    """A floor and a wall, sometimes two; in the open air a sun, else a wall behind the camera too."""
    back: PatternKind = "plain" if plain_wall else rng.choice(("plain", "stripes", "bricks", "checks"))
    light, dark = rng.uniform(0.45, 0.6), rng.uniform(0.2, 0.28)
    warm = rng.uniform(-0.04, 0.06)
    planes = [
        Plane(
            "floor",
            0.0,
            Pattern(
                rng.choice(("checks", "stripes")),
                (light + warm, light, light - warm),
                (dark + warm, dark, dark - warm),
                rng.choice((0.6, 0.7, 0.8)),
            ),
        ),
        Plane("back", rng.uniform(2.4, 3.0), _wall(rng, back)),
    ]
    if not open_air:
        planes.append(Plane("behind", -9.0, Pattern("plain", (0.42, 0.42, 0.42))))
    place = (rng.uniform(-0.3, 0.3), rng.uniform(1.5, 1.9), -5.4)
    camera = Camera(place=place, target=(0.0, rng.uniform(0.7, 0.9), 0.6))
    level = rng.uniform(0.2, 0.26)
    sun = None
    if open_air:
        power = rng.uniform(0.75, 0.9)
        sun = Sun(rng.choice((-1, 1)) * rng.uniform(25, 60), rng.uniform(35, 55), (power, power * 0.96, power * 0.88))
    return TracedScene(
        tuple(planes), (), sun=sun, ambient=(level, level, level * 1.06), background=(0.34, 0.37, 0.42), camera=camera
    )


def _wall(rng: SeededRandom, kind: PatternKind) -> Pattern:
    light = rng.uniform(0.45, 0.58)
    warm = rng.uniform(-0.05, 0.07)
    first = (light + warm, light, light - warm)
    if kind == "bricks":
        return Pattern(kind, (light * 0.85, light * 0.55, light * 0.45), (0.55, 0.55, 0.53), 0.62)
    return Pattern(kind, first, (light * 0.8 + warm, light * 0.8, light * 0.8 - warm), rng.choice((0.4, 0.5)))


def free_spot(
    rng: SeededRandom, scene: TracedScene, radius: float, *, x: tuple[float, float], z: tuple[float, float]
) -> Spot:
    """A place on the floor where a solid with this footprint touches no other."""
    for _ in range(MOST_TRIES):
        spot = Spot(rng.uniform(*x), rng.uniform(*z))
        if all(
            (spot.x - solid.place[0]) ** 2 + (spot.z - solid.place[2]) ** 2 > (radius + solid.footprint + GAP) ** 2
            for solid in scene.solids
            if solid.place[1] < 0.5
        ):
            return spot
    raise Crowded


def place_solids(
    rng: SeededRandom, scene: TracedScene, count: int, *, x: tuple[float, float] = (-1.6, 1.6),
    z: tuple[float, float] = (-1.7, 1.3), shapes: tuple[str, ...] = tuple(SHAPES),
) -> TracedScene:  # fmt: skip
    """Solids on the floor, each with a color that no other has: "the red ball" is always one of them."""
    taken = {solid.name.split()[0] for solid in scene.solids}
    for color in rng.sample([name for name in COLORS if name not in taken], count):
        shape = rng.choice(shapes)
        width = rng.uniform(0.5, 0.75)
        height = width if shape == "ball" else width * rng.uniform(0.9, 1.5)
        solid = Solid(
            f"{color} {shape}",
            SHAPES[shape],
            (0.0, 0.0, 0.0),
            (width, height, width),
            Surface("matte", COLORS[color]),
            turn=rng.uniform(0, 90) if shape == "box" else 0.0,
        )
        spot = free_spot(rng, scene, solid.footprint, x=x, z=z)
        scene = scene.with_solid(replace(solid, place=(spot.x, 0.0, spot.z)))
    return scene


def hang_lamp(
    scene: TracedScene, name: str, place: tuple[float, float, float], color: Color, strength: float, width: float = 0.32
) -> TracedScene:
    """A globe that shines; with no strength it is there and off."""
    globe = Solid(name, "sphere", place, (width, width, width), OFF, shine=color if strength > 0 else (0.0, 0.0, 0.0))
    scene = scene.with_solid(globe)
    if strength <= 0:
        return scene
    return replace(scene, lamps=(*scene.lamps, Lamp(name, scaled(color, strength))))


def scaled(color: Color, by: float) -> Color:
    """A color of light, so many times as strong."""
    return color[0] * by, color[1] * by, color[2] * by


def moved(solid: Solid, spot: Spot) -> Solid:
    """A solid at another place of the floor."""
    return replace(solid, place=(spot.x, solid.place[1], spot.z))


def ceiling_light(scene: TracedScene, power: float = 3.2) -> TracedScene:
    """An area lamp above the picture, so that a room with its lamps off is still a picture."""
    panel = Solid("ceiling light", "box", (0.6, 3.6, -1.2), (0.7, 0.05, 0.7), OFF, shine=(1.0, 1.0, 1.0))
    return replace(
        scene.with_solid(panel), lamps=(*scene.lamps, Lamp(panel.name, (power, power, power * 1.03), area=True))
    )


def lit_room(rng: SeededRandom, *, open_air: float = 0.5) -> TracedScene:
    """A room under the sun, with this probability, or under a bright area lamp."""
    sunny = rng.chance(open_air)
    scene = room(rng, open_air=sunny)
    return scene if sunny else ceiling_light(scene, BRIGHT)


def switched(scene: TracedScene, name: str, color: Color, strength: float) -> TracedScene:
    """The scene with another light of a lamp that is there."""
    off = strength <= 0
    solid = replace(scene.solid(name), shine=(0.0, 0.0, 0.0) if off else color)
    scene = replace(scene.with_solid(solid), lamps=tuple(lamp for lamp in scene.lamps if lamp.solid != name))
    return scene if off else replace(scene, lamps=(*scene.lamps, Lamp(name, scaled(color, strength))))


def wall_mirror(rng: SeededRandom, scene: TracedScene, x: float) -> Solid:
    """A mirror on the back wall."""
    back = next(plane.place for plane in scene.planes if plane.side == "back")
    width, height = rng.uniform(1.3, 1.7), rng.uniform(1.1, 1.4)
    return Solid("mirror", "panel", (x, rng.uniform(0.25, 0.45), back - 0.03), (width, height, 0.04), MIRROR)


def srgb(color: tuple[float, float, float]) -> str:
    """A reflectance as people write colors: sRGB, 0 to 255.

    >>> srgb((1.0, 0.2140, 0.0))
    'RGB 255, 127, 0'
    """
    codes = [12.92 * c if c <= 0.0031308 else 1.055 * c ** (1 / 2.4) - 0.055 for c in color]
    return "RGB " + ", ".join(str(round(255 * code)) for code in codes)
