"""Causality: supports are taken away, strings cut and boards tilted, and MuJoCo says where things come to rest."""

from __future__ import annotations

import math
from dataclasses import replace

from editscope.suites.generated.seeded_random import SeededRandom
from editscope.suites.mechanics.apparatus import METAL, PALE, WOOD, beam, bystander, colored, wire, workshop
from editscope.suites.mechanics.settling import Unsettled, settled
from editscope.suites.physics.edit import SceneEdit
from editscope.suites.physics.stage import COLORS, SHAPES
from editscope.suites.raytracing.scene import Point, Solid, TracedScene

FALL = "Anything that nothing holds up falls straight down until it rests on something."
TIP = "A plank that is held up at one end only tips over until its other end lies on the floor."
SLOPE = (
    "On a slope a ball rolls down until something stops it; a box slides only where the slope is steeper than its "
    "friction allows."
)
BEAM = 2.4
MOST_SLIP = 0.04
"""Meters by which things that are said not to slide may do so in the simulation."""


def _listed(names: list[str]) -> str:
    """Names as people say them: "the red box and the blue box"."""
    said = [f"the {name}" for name in names]
    return said[0] if len(said) == 1 else f"{', '.join(said[:-1])} and {said[-1]}"


def _moves(names: list[str], verb: str) -> str:
    listed = _listed(names)
    return f"{listed[0].upper()}{listed[1:]} {verb if len(names) > 1 else verb + 's'}"


def _stack(rng: SeededRandom, scene: TracedScene, x: float, colors: list[str]) -> tuple[TracedScene, list[str]]:
    """Boxes and cylinders on each other, each narrower than the one below and a little off the middle."""
    names, y, width = [], 0.0, rng.uniform(1.0, 1.15)
    for number, color in enumerate(colors):
        shape = rng.choice(("box", "box", "cylinder"))
        height = rng.uniform(0.3, 0.5)
        aside = rng.uniform(-0.06, 0.06) if number else 0.0
        turn = rng.uniform(-12, 12) if shape == "box" else 0.0
        names.append(f"{color} {shape}")
        size = (round(width, 3), round(height, 3), round(width * (rng.uniform(0.85, 1.0) if shape == "box" else 1), 3))
        place = (round(x + aside, 3), round(y, 3), 0.0)
        scene = scene.with_solid(Solid(names[-1], SHAPES[shape], place, size, colored(color), turn=round(turn, 1)))
        y += size[1]
        width -= rng.uniform(0.16, 0.22)  # narrower, so that what falls does not hide all that is taken away
    return scene, names


def remove_block(rng: SeededRandom) -> SceneEdit:
    """Take a block out of a stack: what stands on it drops."""
    colors = rng.sample(list(COLORS), rng.integer(3, 4))
    before, names = _stack(rng, bystander(rng, workshop(rng), colors), rng.uniform(-0.8, 0.8), colors)
    number = rng.integer(0, len(names) - 2)
    target, above = names[number], names[number + 1 :]
    after = settled(before.without(target), above)
    rest = f"the {names[number - 1]}" if number else "the floor"
    return SceneEdit(
        before, after,
        f"Remove the {target} from the stack.",
        FALL,
        {
            "object": f"The {target} is no longer {{where}}.",
            "fallen": f"{_moves(above, 'drop')} straight down by the height of the {target}; the {above[0]} now stands "
            f"on {rest}.",
            "shadow": "The shadow of the stack is shorter.",
        },
        target=target,
        roles={target: "object", **dict.fromkeys(above, "fallen")},
    )  # fmt: skip


def remove_support(rng: SeededRandom) -> SceneEdit:
    """Take away one of the two blocks under a plank: the plank tips over with what lies on it."""
    colors = rng.sample(list(COLORS), 3)
    scene = bystander(rng, workshop(rng), colors)
    x, high = rng.uniform(-0.3, 0.3), rng.uniform(0.45, 0.75)
    half, apart = rng.uniform(1.15, 1.35), rng.uniform(0.7, 0.85)
    width = rng.uniform(0.35, 0.45)
    side = rng.choice((-1, 1))
    kept, target, load = f"{colors[0]} box", f"{colors[1]} box", f"{colors[2]} box"
    for name, color, to in ((kept, colors[0], -side), (target, colors[1], side)):
        size = (round(width, 3), round(high, 3), 0.6)
        scene = scene.with_solid(Solid(name, "box", (round(x + to * apart, 3), 0.0, 0.0), size, colored(color)))
    scene = scene.with_solid(
        Solid("plank", "box", (round(x, 3), round(high, 3), 0.0), (round(2 * half, 3), 0.07, 0.5), WOOD)
    )
    loose = ["plank"]
    if rng.chance(0.6):
        loose.append(load)
        wide = rng.uniform(0.32, 0.42)
        place = (round(x - side * rng.uniform(0.0, 0.5), 3), round(high + 0.07, 3), 0.0)
        scene = scene.with_solid(
            Solid(load, "box", place, (round(wide, 3), round(wide * rng.uniform(0.6, 0.9), 3), 0.4), colored(colors[2]))
        )
    after = settled(scene.without(target), loose, friction=1.0)
    tilt = after.solid("plank").tilt
    edge = round(x - side * (apart - width / 2), 3)
    if not 5 < abs(tilt) < 60 or _slid(scene, after, edge, high, loose):
        raise Unsettled
    end, other = ("right", "left") if side > 0 else ("left", "right")
    carried = f" The {load} tilts with it and does not slide." if len(loose) > 1 else ""
    return SceneEdit(
        scene, after,
        f"Remove the {target} under the plank. All surfaces are rough: nothing slides.",
        TIP,
        {
            "object": f"The {target} is no longer {{where}}.",
            "fallen": f"The {end} end of the plank lies on the floor; toward the {other} the plank rests on the edge "
            f"of the {kept}, at a slope of about {abs(tilt):.0f} degrees.{carried}",
            "shadow": f"The shadow of the {target} is gone, and that of the plank follows.",
        },
        target=target,
        roles={target: "object", **dict.fromkeys(loose, "fallen")},
    )  # fmt: skip


def _slid(before: TracedScene, after: TracedScene, edge: float, high: float, loose: list[str]) -> bool:
    """Whether the plank slid over the edge that holds it, or what lies on the plank slid along it."""
    plank, tipped = before.solid("plank"), after.solid("plank")
    angle = math.radians(tipped.tilt)

    def along(x: float, y: float) -> float:
        return (x - tipped.center[0]) * math.cos(angle) + (y - tipped.center[1]) * math.sin(angle)

    points = [((edge, high), edge)]
    points += [(after.solid(name).center[:2], before.solid(name).center[0]) for name in loose[1:]]
    return any(abs(along(*now) - (once - plank.center[0])) > MOST_SLIP for now, once in points)


def cut_string(rng: SeededRandom) -> SceneEdit:
    """Cut the string of one of several weights."""
    colors = rng.sample(list(COLORS), 4)
    scene = workshop(rng, tall=True)
    for solid in beam(BEAM):
        scene = scene.with_solid(solid)
    count = rng.integer(2, 3)
    places = [-0.6, 0.6] if count == 2 else [-1.05, 0.0, 1.05]
    weights = []
    for color, across in zip(colors, places, strict=False):
        shape = rng.choice(("box", "cylinder"))
        x, width, height = across + rng.uniform(-0.15, 0.15), rng.uniform(0.45, 0.65), rng.uniform(0.35, 0.5)
        y = rng.uniform(0.7, 1.3)
        name = f"{color} {shape}"
        weights.append(name)
        size = (round(width, 3), round(height, 3), round(width, 3))
        scene = scene.with_solid(Solid(name, SHAPES[shape], (round(x, 3), round(y, 3), 0.0), size, colored(color)))
        top = round(y, 3) + size[1]
        line: list[Point] = [(0.0, round(BEAM - top, 3), 0.0), (0.0, 0.0, 0.0)]
        scene = scene.with_solid(wire(f"string of the {name}", (round(x, 3), round(top, 3), 0.0), line, 0.05, PALE))
    name = rng.choice(weights)
    fallen = scene.solid(name)
    below = f"{colors[3]} block"
    lands = "the floor"
    if rng.chance(0.5):
        size = (round(fallen.size[0] + rng.uniform(0.15, 0.3), 3), round(rng.uniform(0.2, 0.45), 3), 0.8)
        scene = scene.with_solid(Solid(below, "box", (fallen.place[0], 0.0, 0.0), size, colored(colors[3])))
        lands = f"the {below}"
    string = f"string of the {name}"
    after = settled(scene.without(string), [name])
    return SceneEdit(
        scene, after,
        f"Cut the string that holds the {name} and take the string away.",
        FALL,
        {
            "object": "The string is no longer {where}.",
            "fallen": f"The {name} has dropped straight down and stands on {lands}.",
            "shadow": f"The shadows of the {name} and its string follow.",
        },
        target=string,
        roles={string: "object", name: "fallen"},
    )  # fmt: skip


def _on_board(local: Point, axle: Point, tilt: float) -> Point:
    """A point that is fixed to a board which is tilted about an axle."""
    angle = math.radians(tilt)
    x, y, z = local
    c, s = math.cos(angle), math.sin(angle)
    return round(axle[0] + c * x - s * y, 4), round(axle[1] + s * x + c * y, 4), axle[2] + z


def _tilted(solid: Solid, axle: Point, tilt: float) -> Solid:
    x, y, z = solid.center
    x, y, z = _on_board((x - axle[0], y - axle[1], z - axle[2]), axle, tilt)
    return replace(solid, place=(x, round(y - solid.size[1] / 2, 4), z), tilt=tilt)


def tilt_board(rng: SeededRandom) -> SceneEdit:
    """Tilt a board on an axle: a ball rolls down, a box slides or stays."""
    colors = rng.sample(list(COLORS), 2)
    scene = bystander(rng, workshop(rng), colors)
    x, high, half = rng.uniform(-0.2, 0.2), rng.uniform(0.85, 1.1), rng.uniform(1.2, 1.4)
    axle = (round(x, 3), round(high, 3), 0.0)
    board = [
        Solid("board", "box", (axle[0], axle[1] + 0.04, 0.0), (round(2 * half, 3), 0.08, 0.6), WOOD),
        *(
            Solid(
                f"{side} lip",
                "box",
                (round(axle[0] + to * (half - 0.04), 3), axle[1] + 0.12, 0.0),
                (0.08, 0.14, 0.6),
                WOOD,
            )
            for side, to in (("left", -1), ("right", 1))
        ),
    ]
    post = Solid("post", "box", (axle[0], 0.0, 0.0), (0.16, round(high, 3) - 0.05, 0.4), METAL)
    pin = Solid("axle", "wire", axle, (0.09, 0.09, 0.09), METAL, lines=(((0.0, 0.0, -0.33), (0.0, 0.0, 0.33)),))
    boxed, slides = rng.chance(0.55), rng.chance(0.3)
    slides_at = rng.integer(2, 3) * 5 if slides else rng.integer(3, 5) * 5
    steep = rng.integer(slides_at + 4, 21) if boxed and slides else rng.integer(8, 20)
    tilt = steep * rng.choice((-1, 1))
    if boxed and abs(steep - slides_at) < 4:
        raise Unsettled
    shape = "box" if boxed else "ball"
    name = f"{colors[0]} {shape}"
    wide = rng.uniform(0.35, 0.48)
    size = (round(wide, 3), round(wide, 3), round(wide, 3))
    loose = Solid(
        name,
        SHAPES[shape],
        (round(axle[0] + rng.uniform(-0.6, 0.6), 3), axle[1] + 0.12, 0.0),
        size,
        colored(colors[0]),
    )
    for solid in (post, pin, *board, loose):
        scene = scene.with_solid(solid)
    tipped = scene
    for solid in (*board, loose):
        tipped = tipped.with_solid(_tilted(solid, axle, float(tilt)))
    after = settled(tipped, [name], friction=math.tan(math.radians(slides_at)))
    way = "clockwise" if tilt < 0 else "counterclockwise"
    lower = "right" if tilt < 0 else "left"
    stays = boxed and abs(tilt) < slides_at
    limit = f" The {name} starts to slide at a slope of {slides_at} degrees." if boxed else ""
    does = (
        "stays where it is on the board and tilts with it"
        if stays
        else f"{'slides' if boxed else 'rolls'} down and rests against the lip at the {lower} end"
    )
    return SceneEdit(
        scene, after,
        f"Tilt the board with its two lips {way} by {abs(tilt)} degrees about its axle.{limit}",
        SLOPE,
        {
            "object": f"The {lower} end of the board is down.",
            "moved": f"The {name} {does}.",
            "shadow": f"The shadows of the board and the {name} follow.",
        },
        target="board",
        roles={"board": "object", "left lip": "object", "right lip": "object", name: "moved"},
    )  # fmt: skip


TASKS = {
    "remove_block": remove_block,
    "remove_support": remove_support,
    "cut_string": cut_string,
    "tilt_board": tilt_board,
}
