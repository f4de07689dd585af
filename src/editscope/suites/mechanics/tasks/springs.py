"""Deformation: springs under weights and ropes between posts, by closed forms."""

from __future__ import annotations

from editscope.suites.generated.seeded_random import SeededRandom
from editscope.suites.mechanics.apparatus import (
    METAL,
    PALE,
    WOOD,
    beam,
    bystander,
    coil,
    colored,
    in_view,
    painted,
    rope,
    ruler,
    workshop,
)
from editscope.suites.mechanics.closed_forms import catenary, spring_length
from editscope.suites.physics.edit import Crowded, SceneEdit, with_article
from editscope.suites.physics.stage import COLORS
from editscope.suites.raytracing.scene import Solid, TracedScene

BEAM = 2.5
LEAST_WAY = 0.1
"""Meters by which a spring must stretch to be seen."""
TIGHT = 0.25
"""The length at which the coils of a pressed spring would touch."""
RULER = "The marks of the ruler are 10 cm apart."
HOOKE = "A spring changes its length in proportion to the load on it (Hooke's law)."
HANGING = (
    "A rope that hangs freely between two points forms a catenary: its sag follows from its length and from how far "
    "apart the points are."
)


def _weights(x: float, top: float, names: list[str], height: float) -> list[Solid]:
    """Weights under each other, the first one with its upper side at a height."""
    return [
        Solid(
            name,
            "cylinder",
            (x, round(top - height * (number + 1), 4), 0.0),
            (0.55, height - 0.01, 0.42),
            colored(name.split()[0]),
        )
        for number, name in enumerate(names)
    ]


def load_spring(rng: SeededRandom) -> SceneEdit:
    """Hang another weight on a spring, or take one off."""
    colors = rng.sample(list(COLORS), 2)
    first, second = (f"{color} weight" for color in colors)
    masses = rng.integer(1, 3), rng.integer(1, 4)
    give = rng.choice((0.05, 0.1, 0.15, 0.2))
    unloaded, height = rng.uniform(0.4, 0.55), rng.uniform(0.28, 0.34)
    if give * masses[1] < LEAST_WAY or spring_length(unloaded, give, sum(masses)) + 2 * height > BEAM - 0.1:
        raise Crowded
    x = rng.uniform(-0.9, 0.9)
    base = bystander(rng, workshop(rng, tall=True), colors)
    marks = ruler(x + rng.choice((-0.6, 0.5)), 0.0, BEAM)
    if not in_view(marks, base.camera):
        raise Crowded
    for solid in (*beam(BEAM), marks):
        base = base.with_solid(solid)

    def hung(names: list[str], load: float) -> TracedScene:
        length = round(spring_length(unloaded, give, load), 4)
        scene = base
        for solid in (coil("spring", (x, BEAM, 0.0), length, METAL), *_weights(x, BEAM - length, names, height)):
            scene = scene.with_solid(solid)
        return scene

    light, heavy = hung([first], masses[0]), hung([first, second], sum(masses))
    lengths = f"The spring stretches by {give * 100:.0f} cm for every kilogram."
    way = round(give * masses[1] * 100)
    roles = {second: "object", "spring": "moved", first: "moved"}
    if rng.chance(0.6):
        return SceneEdit(
            light, heavy,
            f"Hang {with_article(second)} of {masses[1]} kg directly under the {first}; it has the same size and "
            f"shape. {painted(second)} {lengths} {RULER}",
            HOOKE,
            {
                "object": f"The {second} hangs under the {first} {{where}}.",
                "moved": f"The spring is {way} cm longer, so the {first} hangs {way} cm lower.",
                "shadow": "The shadows of the spring and of the weights follow.",
            },
            target=second, roles=roles,
        )  # fmt: skip
    return SceneEdit(
        heavy, light,
        f"Take away the {second}, which has a mass of {masses[1]} kg. {lengths} {RULER}",
        HOOKE,
        {
            "object": f"The {second} is no longer {{where}}.",
            "moved": f"The spring is {way} cm shorter, so the {first} hangs {way} cm higher.",
            "shadow": "The shadows of the spring and of the weights follow.",
        },
        target=second, roles=roles,
    )  # fmt: skip


def press_springs(rng: SeededRandom) -> SceneEdit:
    """Put another weight on a stack of springs with plates between them."""
    colors = rng.sample(list(COLORS), 4)
    first, second = (f"{color} weight" for color in colors[:2])
    springs = [f"{color} spring" for color in colors[2:]]
    masses = rng.integer(1, 2), rng.integer(2, 4)
    gives = rng.sample((0.02, 0.03, 0.04, 0.05, 0.06), 2)
    unloaded = [rng.uniform(0.5, 0.62) for _ in springs]
    if any(spring_length(length, -give, sum(masses)) < TIGHT for length, give in zip(unloaded, gives, strict=True)):
        raise Crowded
    x, height = rng.uniform(-0.9, 0.9), rng.uniform(0.28, 0.34)
    base = bystander(rng, workshop(rng), colors)
    marks = ruler(x + rng.choice((-0.75, 0.65)), 0.0, 2.2)
    if not in_view(marks, base.camera):
        raise Crowded
    base = base.with_solid(marks)

    def stacked(names: list[str], load: float) -> TracedScene:
        scene, y = base, 0.0
        for number, (name, length, give) in enumerate(zip(springs, unloaded, gives, strict=True)):
            y = round(y + spring_length(length, -give, load), 4)
            scene = scene.with_solid(
                coil(
                    name,
                    (x, y, 0.0),
                    round(spring_length(length, -give, load), 4),
                    colored(name.split()[0]),
                    turns=5,
                    radius=0.24,
                )
            )
            scene = scene.with_solid(Solid(f"plate {number}", "box", (x, y, 0.0), (0.85, 0.05, 0.7), WOOD))
            y = round(y + 0.05, 4)
        for name in names:
            scene = scene.with_solid(
                Solid(name, "cylinder", (x, y, 0.0), (0.55, height, 0.42), colored(name.split()[0]))
            )
            y = round(y + height, 4)
        return scene

    plates = ["plate 0", "plate 1"]
    ways = [round(give * masses[1] * 100) for give in gives]
    return SceneEdit(
        stacked([first], masses[0]), stacked([first, second], sum(masses)),
        f"Put {with_article(second)} of {masses[1]} kg on top of the {first}; it has the same size and shape. "
        f"{painted(second)} For every kilogram on top, the {springs[0]} gets {gives[0] * 100:.0f} cm shorter and the "
        f"{springs[1]} {gives[1] * 100:.0f} cm. {RULER}",
        HOOKE,
        {
            "object": f"The {second} stands on the {first} {{where}}.",
            "moved": f"The {springs[0]} is {ways[0]} cm shorter and the {springs[1]} {ways[1]} cm, so the {first} is "
            f"{sum(ways)} cm lower.",
            "shadow": "The shadow of the stack follows.",
        },
        target=second,
        roles={second: "object", **dict.fromkeys((*springs, *plates, first), "moved")},
    )  # fmt: skip


def _posts(rng: SeededRandom) -> tuple[TracedScene, float, float]:
    """A place with two posts to hang a rope from: the left one, and how far apart they are."""
    height = rng.uniform(1.7, 2.1)
    apart = rng.integer(20, 30) / 10
    left = round(-apart / 2 + rng.uniform(-0.25, 0.25), 3)
    scene = workshop(rng, tall=True)
    for side, x in (("left", left), ("right", left + apart)):
        scene = scene.with_solid(Solid(f"{side} post", "cylinder", (round(x, 3), 0.0, 0.0), (0.12, height, 0.12), WOOD))
    return scene, left, apart


def _sag(apart: float, length: float) -> str:
    """How far below its ends the lowest point of a rope is."""
    return f"{-catenary(apart, length, 3)[1][1] * 100:.0f} cm"


def shorten_rope(rng: SeededRandom) -> SceneEdit:
    """Shorten a rope with beads on it."""
    scene, left, apart = _posts(rng)
    color = rng.choice(list(COLORS))
    top = scene.solid("left post").size[1] - 0.04
    long = apart + rng.integer(4, 9) / 10
    short = apart + rng.integer(1, 2) / 10

    def hung(length: float) -> TracedScene:
        result = scene.with_solid(rope("rope", (left, top, 0.0), apart, length, PALE))
        for number in range(3):
            x, y = catenary(apart, length, 5)[number + 1]
            result = result.with_solid(
                Solid(
                    f"bead {number}",
                    "sphere",
                    (round(left + x, 4), round(top + y - 0.1, 4), 0.0),
                    (0.2,) * 3,
                    colored(color),
                )
            )
        return result

    return SceneEdit(
        hung(long), hung(short),
        f"Shorten the rope between the posts from {long:.1f} m to {short:.1f} m. It stays tied where it is, at two "
        f"points that are {apart:.1f} m apart; the {color} beads are light and stay at one quarter, one half and "
        "three quarters of its length.",
        HANGING,
        {
            "object": f"The rope hangs higher {{where}}: its lowest point is {_sag(apart, short)} below its ends, not "
            f"{_sag(apart, long)}.",
            "moved": f"The {color} beads have moved up with the rope {{where}}.",
            "shadow": "The shadows of the rope and the beads follow.",
        },
        target="rope",
        roles={"rope": "object", **{f"bead {number}": "moved" for number in range(3)}},
    )  # fmt: skip


def move_post(rng: SeededRandom) -> SceneEdit:
    """Move one of the posts that a rope hangs from."""
    scene, left, apart = _posts(rng)
    top = scene.solid("left post").size[1] - 0.04
    length = apart + rng.integer(2, 3) / 10
    way = rng.integer(3, 7) / 10
    before = scene.with_solid(rope("rope", (left, top, 0.0), apart, length, PALE))
    side, to = rng.choice((("right", "left"), ("left", "right")))
    post = scene.solid(f"{side} post")
    begins = left if side == "right" else round(left + way, 3)
    x = begins if side == "left" else round(left + apart - way, 3)
    nearer = Solid(post.name, post.kind, (x, 0.0, 0.0), post.size, post.surface)
    after = scene.with_solid(nearer).with_solid(rope("rope", (begins, top, 0.0), round(apart - way, 3), length, PALE))
    return SceneEdit(
        before, after,
        f"Move the {side} post {way * 100:.0f} cm to the {to}. Before the move, the posts are {apart:.1f} m apart; "
        f"the rope that is tied to both is {length:.1f} m long and keeps its length.",
        HANGING,
        {
            "object": "The post now stands {where}, nearer to the other one.",
            "moved": f"The rope sags more {{where}}: its lowest point is {_sag(apart - way, length)} below its ends, "
            f"not {_sag(apart, length)}.",
            "shadow": "The shadows of the post and the rope follow.",
        },
        target=post.name,
        roles={post.name: "object", "rope": "moved"},
    )  # fmt: skip


TASKS = {
    "load_spring": load_spring,
    "press_springs": press_springs,
    "shorten_rope": shorten_rope,
    "move_post": move_post,
}
