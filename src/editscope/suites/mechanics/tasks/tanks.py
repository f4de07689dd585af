"""Local state: the level of the water in a tank when things are put in or taken out, by Archimedes' law."""

from __future__ import annotations

from editscope.suites.generated.seeded_random import SeededRandom
from editscope.suites.mechanics.apparatus import bystander, colored, frame, in_view, painted, ruler, water, workshop
from editscope.suites.mechanics.closed_forms import draft, water_level
from editscope.suites.physics.edit import Crowded, SceneEdit, with_article
from editscope.suites.physics.stage import COLORS
from editscope.suites.raytracing.scene import Solid, TracedScene

ARCHIMEDES = (
    "A floating object displaces its own weight of water, and a sunken one its own volume; the level rises by the "
    "displaced volume divided by the area of the tank."
)
LEAST_CHANGE = 0.035
"""Meters by which the water must rise to be seen."""
Z = -0.7
"""Tanks stand near the camera, so that their marks can be read."""


def _tank(rng: SeededRandom, name: str) -> tuple[TracedScene, TracedScene, str, str]:
    """A tank without and with a block in it, what must be known about them, and what happens to the block."""
    colors = [name.split()[0]]
    base = bystander(rng, workshop(rng), colors)
    width, depth, high = rng.integer(12, 18) / 10, rng.integer(5, 7) / 10, 1.2
    level = rng.integer(4, 7) / 10
    block = rng.integer(4, 7) / 10, rng.integer(2, 4) / 10, rng.integer(3, 4) / 10
    floats = rng.chance(0.6)
    density = rng.integer(3, 8) / 10 if floats else rng.choice((1.5, 2.0, 2.5))
    deep = draft(block[1], density)
    risen = round(water_level(level, width * depth, block[0] * block[2] * deep), 4)
    # A sunken block must be under water whole, and a floating one must not touch the ground or be as high as wide.
    if risen - level < LEAST_CHANGE or block[1] > 0.75 * block[2] or risen > high - 0.1 or block[1] > level - 0.05:
        raise Crowded
    x = round(rng.uniform(-0.5, 0.5), 3)
    place = (x, 0.02, Z)
    base = base.with_solid(frame("tank", (x, 0.0, Z), (width + 0.03, high, depth + 0.03)))
    marks = ruler(round(x - width / 2 - 0.12, 3), round(Z - depth / 2, 3), 1.22, start=0.02)
    if not in_view(marks, base.camera):
        raise Crowded
    base = base.with_solid(marks)
    across = round(x + rng.uniform(-0.3, 0.3) * (width - block[0]), 3)
    bottom = round(0.02 + risen - deep, 4) if floats else 0.02
    thing = Solid(name, "box", (across, bottom, Z), block, colored(colors[0]))
    empty, full = base, base.with_solid(thing)
    for solid in water(place, (width, high, depth), level):
        empty = empty.with_solid(solid)
    for solid in water(place, (width, high, depth), risen):
        full = full.with_solid(solid)
    size = f"{block[0] * 100:.0f} cm wide, {block[1] * 100:.0f} cm high and {block[2] * 100:.0f} cm deep"
    known = (
        f"The block is {size}, and {density:.1f} times as dense as water. The tank is {width * 100:.0f} cm wide and "
        f"{depth * 100:.0f} cm deep inside; the marks of the ruler are 10 cm apart."
    )
    change = round((water_level(level, width * depth, block[0] * block[2] * deep) - level) * 100, 1)
    return empty, full, known, f"{change:g} cm"


def put_in_water(rng: SeededRandom) -> SceneEdit:
    """Put a block into a tank: it floats or sinks, and the water rises."""
    name = f"{rng.choice([color for color in COLORS if color not in ('blue', 'turquoise')])} block"
    empty, full, known, change = _tank(rng, name)
    block, level = full.solid(name), full.solid("water")
    floats = block.place[1] > 0.02
    tank = full.solid("tank").place[0] - level.size[0] / 2
    share = (block.place[0] - tank) / level.size[0] * 100
    stands = "floats upright" if floats else "lies on the bottom of the tank"
    under = (level.place[1] + level.size[1] - block.place[1]) / block.size[1] * 100
    how = f"with {under:.0f}% of its height under water" if floats else "under water"
    return SceneEdit(
        empty, full,
        f"Put {with_article(name)} into the water, halfway between the front and the back of the tank; its middle is "
        f"at {share:.0f}% of the width of the tank from the left. {known} "
        f"{painted(name)}",
        ARCHIMEDES,
        {
            "object": f"The {name} {stands} {{where}}, {how}.",
            "water": f"The water stands {change} higher.",
            "shadow": f"The shadow of the {name} falls away from the sun.",
        },
        target=name,
        roles={name: "object", "water": "water", "surface": "water"},
    )  # fmt: skip


def take_from_water(rng: SeededRandom) -> SceneEdit:
    """Take a block out of a tank: the water falls."""
    name = f"{rng.choice([color for color in COLORS if color not in ('blue', 'turquoise')])} block"
    empty, full, known, change = _tank(rng, name)
    return SceneEdit(
        full, empty,
        f"Take the {name} out of the water. {known}",
        ARCHIMEDES,
        {
            "object": f"The {name} is no longer {{where}}.",
            "water": f"The water stands {change} lower.",
            "shadow": f"The shadow of the {name} is gone.",
        },
        target=name,
        roles={name: "object", "water": "water", "surface": "water"},
    )  # fmt: skip


TASKS = {"put_in_water": put_in_water, "take_from_water": take_from_water}
