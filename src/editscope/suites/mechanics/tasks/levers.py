"""Causality: a seesaw that is loaded or unloaded, by the sum of its torques."""

from __future__ import annotations

import math
from collections.abc import Sequence

from editscope.suites.generated.seeded_random import SeededRandom
from editscope.suites.mechanics.apparatus import DARK, METAL, WOOD, bystander, colored, lying, painted, workshop
from editscope.suites.mechanics.closed_forms import seesaw_tilt, torque, torque_at
from editscope.suites.physics.edit import Crowded, SceneEdit, with_article
from editscope.suites.physics.stage import COLORS
from editscope.suites.raytracing.scene import Solid, TracedScene

LEVER = (
    "A lever turns to the side on which mass times distance from the axle is larger, until its end lies on the floor."
)
STEP = 0.25
MARKS = 4
HALF = MARKS * STEP + 0.2
RADIUS = 0.05
THICK = 0.07
BOARD_KG = 10.0
"""The sentence says nothing of the board: a seesaw is a problem only where even one as heavy as this tips."""


def _side(place: int) -> str:
    marks = "mark" if abs(place) == 1 else "marks"
    return f"{abs(place)} {marks} {'left' if place < 0 else 'right'} of the middle"


def load_seesaw(rng: SeededRandom) -> SceneEdit:
    """Put a weight on a seesaw, or take one off, so that it tips to the other side."""
    colors = rng.sample(list(COLORS), 3)
    names = [f"{color} weight" for color in colors]
    side = rng.choice((-1, 1))
    masses = [rng.integer(1, 5) for _ in names]
    places = [-side * rng.integer(1, MARKS), side * rng.integer(1, MARKS), side * rng.integer(1, MARKS)]
    count = rng.integer(2, 3)
    loads = list(zip(masses, places, strict=True))[:count]
    # The last weight decides: without it the seesaw lies on one side, with it on the other.
    without, every = torque(loads[:-1]), torque(loads)
    if without * every >= 0 or len(set(places[:count])) < count:
        raise Crowded
    base = bystander(rng, workshop(rng), colors)
    x, axle = round(rng.uniform(-0.3, 0.3), 3), round(rng.uniform(0.3, 0.4), 3)
    base = base.with_solid(Solid("post", "box", (x, 0.0, 0.0), (0.14, axle, 0.3), METAL))
    base = base.with_solid(lying("axle", (x, axle, 0.0), 0.6, 2 * RADIUS, METAL))
    wide = rng.integer(21, 24) / 100

    def seen(number: int, tilt: float) -> TracedScene:
        scene = base.with_solid(
            _fixed("board", "box", (0.0, RADIUS + THICK / 2), (2 * HALF, THICK, 0.45), x, axle, tilt)
        )
        for mark in range(-MARKS, MARKS + 1):
            size = (0.02, THICK + 0.006, 0.456)
            stripe = _fixed(f"mark {mark}", "box", (mark * STEP, RADIUS + THICK / 2), size, x, axle, tilt)
            scene = scene.with_solid(stripe)
        for name, mass, place in zip(names[:number], masses, places, strict=False):
            size = (wide, _height(mass), wide)
            middle = (place * STEP, RADIUS + THICK + size[1] / 2)
            scene = scene.with_solid(_fixed(name, "box", middle, size, x, axle, tilt))
        return scene

    down = seesaw_tilt(axle, RADIUS, HALF)
    for change, lies, turns in ((loads, without, every), (loads[:-1], every, without)):
        if _tipping(math.copysign(down, lies), change) * turns <= 0:
            raise Crowded  # what stands high on the low side holds it down
    light = seen(count - 1, math.copysign(down, without))
    heavy = seen(count, math.copysign(down, every))
    target = names[count - 1]
    others = [
        f"the {name} has a mass of {mass} kg and stands {_side(place)}"
        for name, (mass, place) in zip(names, loads[:-1], strict=False)
    ]
    known = f"{'; '.join(others)}"
    known = f"{known[0].upper()}{known[1:]}. The marks are equally far apart, and nothing slides."
    roles = {
        target: "object",
        **dict.fromkeys(
            ("board", *(f"mark {mark}" for mark in range(-MARKS, MARKS + 1)), *names[: count - 1]), "moved"
        ),
    }
    added = rng.chance(0.6)
    side_down = "left" if (every if added else without) > 0 else "right"
    moved = f"The {side_down} end of the seesaw now lies on the floor, and what stands on the board tilts with it."
    shadow = "The shadow of the seesaw follows."
    mass, place = loads[-1]
    if added:
        like = "as the other is" if count == 2 else "as the others are"
        return SceneEdit(
            light, heavy,
            f"Put {with_article(target)} of {mass} kg on the seesaw, {_side(place)}. It is a box "
            f"{wide * 100:.0f} cm wide and deep, {like}, and {_height(mass) * 100:.0f} cm high. "
            f"{painted(target)} {known}",
            LEVER,
            {"object": f"The {target} stands on the board {{where}}.", "moved": moved, "shadow": shadow},
            target=target, roles=roles,
        )  # fmt: skip
    return SceneEdit(
        heavy, light,
        f"Take the {target} of {mass} kg off the seesaw. {known}",
        LEVER,
        {"object": f"The {target} is no longer {{where}}.", "moved": moved, "shadow": shadow},
        target=target, roles=roles,
    )  # fmt: skip


def _height(mass: int) -> float:
    """How high a weight is."""
    return round(0.16 + 0.06 * mass, 2)


def _tipping(tilt: float, loads: Sequence[tuple[int, int]]) -> float:
    """The torque at which a tilted seesaw begins to turn, with masses at marks; above 0 counterclockwise."""
    weights = [(float(mass), place * STEP, RADIUS + THICK + _height(mass) / 2) for mass, place in loads]
    return torque_at(tilt, [*weights, (BOARD_KG, 0.0, RADIUS + THICK / 2)])


def _fixed(
    name: str,
    kind: str,
    middle: tuple[float, float],
    size: tuple[float, float, float],
    x: float,
    axle: float,
    tilt: float,
) -> Solid:
    """A box that is fixed to a board; ``middle`` is its middle from the axle while the board is level."""
    angle = math.radians(tilt)
    across = middle[0] * math.cos(angle) - middle[1] * math.sin(angle)
    up = middle[0] * math.sin(angle) + middle[1] * math.cos(angle)
    surface = WOOD if name == "board" else DARK if name.startswith("mark") else colored(name.split()[0])
    return Solid(
        name, "box", (round(x + across, 4), round(axle + up - size[1] / 2, 4), 0.0), size, surface, tilt=round(tilt, 3)
    )


TASKS = {"load_seesaw": load_seesaw}
