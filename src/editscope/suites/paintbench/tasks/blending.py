"""Blending: lay a color at some opacity over everything inside an outlined polygon."""

from __future__ import annotations

import numpy as np

from editscope.suites.generated.seeded_random import SeededRandom
from editscope.suites.paintbench.outlined import outlined_polygon, recolored
from editscope.suites.paintbench.problem import Problem, require, task
from editscope.suites.paintbench.scene import Scene


@task("blending")
def make(scene: Scene, rng: SeededRandom, mode: str) -> Problem:
    """out = round(p · color + (1 − p) · pixel) per channel, in whole numbers; no channel is ever at a half."""
    outline, color = scene.reserve(rng), scene.reserve(rng)
    scene.populate(rng)
    region = outlined_polygon(scene, rng, outline)
    opacity = rng.integer(10, 90)

    def blend(rgb: tuple[int, int, int]) -> tuple[int, int, int]:
        r, g, b = ((opacity * c + (100 - opacity) * p + 50) // 100 for c, p in zip(color.rgb, rgb, strict=True))
        return r, g, b

    present = [scene.colors[i] for i in np.unique(region.before[region.inside])]
    halves = any(
        (opacity * c + (100 - opacity) * p) % 100 == 50 for q in present for c, p in zip(color.rgb, q.rgb, strict=True)
    )
    require(not halves, "a channel lies halfway between two whole numbers")
    mapping = {c.index: blend(c.rgb) for c in scene.colors}
    after, extra = recolored(scene, region, mapping, region.inside)
    return Problem(
        f"Blend {color.phrase} at {opacity}% opacity over all pixels inside the {region.color.name} outlined polygon "
        f"(each RGB channel becomes {opacity}% of the new color plus {100 - opacity}% of the old, rounded to the "
        "nearest whole number). Leave the outline as it is.",
        region.before,
        after,
        {"blend_color": color.hex, "opacity": opacity, **region.describe()},
        extra,
    )
