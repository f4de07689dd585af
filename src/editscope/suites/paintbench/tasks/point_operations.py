"""Point operations: brighten, darken, invert or take the gray value of everything inside an outlined polygon."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from editscope.suites.generated.seeded_random import SeededRandom
from editscope.suites.paintbench.outlined import outlined_polygon, recolored
from editscope.suites.paintbench.problem import Problem, task
from editscope.suites.paintbench.scene import Scene

Rgb = tuple[int, int, int]


@task("point_operations")
def make(scene: Scene, rng: SeededRandom, mode: str) -> Problem:
    """Everything inside the outline is changed; what is gray already stays gray."""
    outline = scene.reserve(rng)
    scene.populate(rng)
    region = outlined_polygon(scene, rng, outline)
    where = f"all pixels inside the {region.color.name} outlined polygon"
    operation: Callable[[Rgb], Rgb]
    details: dict[str, Any] = {}
    if mode == "invert":
        words = f"Invert the colors of {where}: each RGB channel c becomes 255 - c."
        operation = inverted
    elif mode == "grayscale":
        words = (
            f"Convert {where} to grayscale: each RGB channel becomes 0.299 R + 0.587 G + 0.114 B, rounded to the "
            "nearest whole number."
        )
        operation = gray
    else:
        offset = rng.integer(30, 80) * rng.choice((-1, 1))
        details = {"brightness_offset": offset}
        verb, to = ("Add", "to") if offset > 0 else ("Subtract", "from")
        words = (
            f"{verb} {abs(offset)} {to} each RGB channel of {where}; values below 0 become 0 and values above 255 "
            "become 255."
        )

        def operation(rgb: Rgb) -> Rgb:
            r, g, b = (min(255, max(0, c + offset)) for c in rgb)
            return r, g, b

    mapping = {c.index: operation(c.rgb) for c in scene.colors}
    after, extra = recolored(scene, region, mapping, region.inside)
    return Problem(
        f"{words} Leave the outline as it is.", region.before, after, {**details, **region.describe()}, extra
    )


def inverted(rgb: Rgb) -> Rgb:
    """255 − c per channel."""
    return 255 - rgb[0], 255 - rgb[1], 255 - rgb[2]


def gray(rgb: Rgb) -> Rgb:
    """Rec. 601 luma, rounded with halves up, in whole numbers.

    >>> gray((255, 0, 0))
    (76, 76, 76)
    """
    y = (299 * rgb[0] + 587 * rgb[1] + 114 * rgb[2] + 500) // 1000
    return y, y, y
