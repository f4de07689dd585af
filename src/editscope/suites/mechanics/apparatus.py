"""Apparatus of the scenes: beams, ropes, coil springs, rulers, tanks and bystanders."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from editscope.suites.generated.seeded_random import SeededRandom
from editscope.suites.mechanics.closed_forms import catenary
from editscope.suites.physics.stage import COLORS, place_solids, room, srgb
from editscope.suites.raytracing.render import place_in_picture
from editscope.suites.raytracing.scene import ALL, SHADOWING, Camera, Point, Solid, Surface, TracedScene

WOOD = Surface("matte", (0.36, 0.2, 0.09))
METAL = Surface("matte", (0.2, 0.21, 0.23))
DARK = Surface("matte", (0.05, 0.05, 0.06))
PALE = Surface("matte", (0.72, 0.7, 0.62))
WATER = Surface("clear", (0.18, 0.55, 0.72))
IN_VIEW = 0.01
"""The share of the width that is left beside a ruler."""
MARK = 0.1
"""How far apart the marks of a ruler are."""
PER_TURN = 8
"""Rods in one turn of a coil."""


def workshop(rng: SeededRandom, *, tall: bool = False) -> TracedScene:
    """A floor and a wall in the sun; a tall one is seen from farther away."""
    scene = room(rng, open_air=True)
    x = scene.camera.place[0]
    if tall:
        return replace(scene, camera=Camera((x, rng.uniform(1.35, 1.6), -4.9), (0.0, 1.12, 0.6)))
    return replace(scene, camera=Camera((x, rng.uniform(1.25, 1.5), -4.4), (0.0, 0.75, 0.6)))


def painted(name: str) -> str:
    """What color a thing has that is not in the picture yet; its name begins with the word for it."""
    return f"Under full white light, the {name} would be {srgb(COLORS[name.split()[0]])}."


def colored(color: str) -> Surface:
    """A matte surface of a color that has a name."""
    return Surface("matte", COLORS[color])


def bystander(rng: SeededRandom, scene: TracedScene, taken: Sequence[str]) -> TracedScene:
    """One thing that stands in the background and has nothing to do with what happens."""
    color = rng.choice([name for name in COLORS if name not in taken])
    side = rng.choice((-1, 1))
    solid = place_solids(
        rng, TracedScene((), ()), 1, x=(side * 2.0, side * 2.2), z=(1.4, 1.7), shapes=("cylinder", "cone")
    ).solids[0]
    shape = solid.name.split()[1]
    return scene.with_solid(
        Solid(f"{color} {shape}", solid.kind, solid.place, solid.size, colored(color), turn=solid.turn)
    )


def polyline(points: Sequence[Point]) -> tuple[tuple[Point, Point], ...]:
    """The lines between points that follow each other."""
    return tuple(pairwise(points))


def wire(name: str, place: Point, points: Sequence[Point], thick: float, surface: Surface) -> Solid:
    """A bent wire through points."""
    return Solid(name, "wire", place, (thick, thick, thick), surface, lines=polyline(points))


def lying(name: str, middle: Point, length: float, thick: float, surface: Surface) -> Solid:
    """A rod that points away from the camera, such as an axle."""
    half = (length - thick) / 2
    return wire(name, middle, ((0.0, 0.0, -half), (0.0, 0.0, half)), thick, surface)


def coil(name: str, top: Point, length: float, surface: Surface, *, turns: int = 8, radius: float = 0.1) -> Solid:
    """A spring that hangs down from a point, with a straight piece at both ends."""
    end = 0.05
    inner = length - 2 * end
    points: list[Point] = [(0.0, 0.0, 0.0), (0.0, -end, 0.0)]
    for step in range(turns * PER_TURN + 1):
        angle = 2 * math.pi * step / PER_TURN
        down = -end - inner * step / (turns * PER_TURN)
        points.append((_short(radius * math.sin(angle)), _short(down), _short(-radius * math.cos(angle))))
    points += [(0.0, -length + end, 0.0), (0.0, -length, 0.0)]
    return wire(name, top, points, 0.03, surface)


def rope(name: str, left: Point, apart: float, length: float, surface: Surface, rods: int = 24) -> Solid:
    """A rope that hangs between two points at the same height."""
    points = [(_short(x), _short(y), 0.0) for x, y in catenary(apart, length, rods + 1)]
    return wire(name, left, points, 0.05, surface)


def ruler(x: float, z: float, height: float, *, start: float = 0.0) -> Solid:
    """An upright ruler with a mark every ten centimeters and a long one every half meter."""
    lines: list[tuple[Point, Point]] = [((0.0, 0.0, 0.0), (0.0, height - start, 0.0))]
    for number in range(round((height - start) / MARK) + 1):
        wide = 0.12 if number % 5 == 0 else 0.06
        y = _short(number * MARK)
        lines.append(((0.0, y, 0.0), (wide, y, 0.0)))
    return Solid("ruler", "wire", (x, start, z), (0.018, 0.018, 0.018), DARK, lines=tuple(lines))


def in_view(marks: Solid, camera: Camera) -> bool:
    """Whether a ruler lies between the left and the right edge of the picture."""
    ends = [end for line in marks.lines for end in line]
    left, right = (side(end[0] for end in ends) for side in (min, max))
    x, y, z = marks.place
    return all(IN_VIEW < place_in_picture((x + end, y, z), camera, (1, 1))[0] < 1 - IN_VIEW for end in (left, right))


def beam(height: float, half: float = 1.75, z: float = 0.0) -> tuple[Solid, ...]:
    """A beam on two posts; things hang from its lower side, which is at a height."""
    posts = tuple(
        Solid(f"{side} post", "box", (x, 0.0, z), (0.12, height, 0.12), WOOD)
        for side, x in (("left", -half), ("right", half))
    )
    return (Solid("beam", "box", (0.0, height, z), (2 * half + 0.12, 0.12, 0.12), WOOD), *posts)


def frame(name: str, place: Point, size: tuple[float, float, float]) -> Solid:
    """The edges of a box, such as a tank whose panes are too clear to be seen."""
    w, h, d = size[0] / 2, size[1], size[2] / 2
    low = [(-w, 0.0, -d), (w, 0.0, -d), (w, 0.0, d), (-w, 0.0, d)]
    high = [(x, h, z) for x, _, z in low]
    lines = [*polyline([*low, low[0]]), *polyline([*high, high[0]]), *zip(low, high, strict=True)]
    return Solid(name, "wire", place, (0.03, 0.03, 0.03), METAL, lines=tuple(lines))


def water(place: Point, size: tuple[float, float, float], level: float) -> tuple[Solid, Solid]:
    """The water in a tank up to a level, and the line of its surface at the panes."""
    width, _, depth = size
    w, d = width / 2, depth / 2
    edge = [(-w, 0.0, -d), (w, 0.0, -d), (w, 0.0, d), (-w, 0.0, d), (-w, 0.0, -d)]
    body = Solid("water", "box", place, (width - 0.002, round(level, 4), depth - 0.002), WATER, parts=ALL & ~SHADOWING)
    pale = Surface("matte", (0.55, 0.75, 0.8))
    line = wire("surface", (place[0], round(place[1] + level, 4), place[2]), edge, 0.014, pale)
    # The line is drawn for the eye; water itself has no edge that could cast a shadow.
    return body, replace(line, parts=ALL & ~SHADOWING)


def _short(number: float) -> float:
    """Tenths of a millimeter, so that pictures do not depend on the mathematics library of a machine."""
    return round(number, 4) + 0.0
