"""Words that fit some shapes of a scene: by color, by kind, one shape, or all but these."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from editscope.suites.generated.seeded_random import SeededRandom
from editscope.suites.paintbench.problem import Reject
from editscope.suites.paintbench.scene import Scene
from editscope.suites.paintbench.shapes import KINDS
from editscope.suites.paintbench.words import plural

TRIES = 30


@dataclass(frozen=True, slots=True)
class Attribute:
    """Words that fit some shapes of a scene, and which these are."""

    words: str
    kind: str
    inverted: bool
    members: tuple[int, ...]


def choose_attribute(
    scene: Scene,
    rng: SeededRandom,
    valid: Callable[[Attribute], bool] | None = None,
    *,
    ways: tuple[str, ...] = ("single", "color", "shape"),
    negation: str = "except",
) -> Attribute:
    """Words for at least one and not all shapes; half of the time for everything but these.

    ``ways`` are drawn alike: "single" names one shape by any phrase, "both" one by color and kind; "color" and "shape"
    take a value that stands in the scene. ``negation`` is how colors and kinds are turned around: "all shapes except
    the red ones", or with "not" "all shapes that are not red".
    """
    for _ in range(TRIES):
        attribute = _attribute(scene, rng, rng.choice(ways), negation)
        if 0 < len(attribute.members) < len(scene.shapes) and (valid is None or valid(attribute)):
            return attribute
    raise Reject("no attribute fits some shapes but not all")


def _attribute(scene: Scene, rng: SeededRandom, by: str, negation: str) -> Attribute:
    shapes = scene.shapes
    if by in ("single", "both"):
        example = rng.choice(shapes)
        fits = [s is example for s in shapes]
        words = scene.phrase(rng, example) if by == "single" else f"the {example.color.name} {example.kind}"
        those = no = words
    elif by == "color":
        color = rng.choice([c for c in scene.colors if any(s.color.index == c.index for s in shapes)])
        fits = [s.color.index == color.index for s in shapes]
        single = sum(fits) == 1
        words = f"the {color.name} shape" if single else f"all {color.name} shapes"
        those, no = f"the {color.name} one" if single else f"the {color.name} ones", color.name
    else:
        kind = rng.choice([k for k in KINDS if any(s.kind == k for s in shapes)])
        fits = [s.kind == kind for s in shapes]
        words = f"the {kind}" if sum(fits) == 1 else f"all {plural(kind)}"
        those, no = f"the {kind}" if sum(fits) == 1 else f"the {plural(kind)}", plural(kind)
    inverted = rng.chance(0.5)
    if inverted:
        plain = by in ("single", "both") or negation == "except"
        words = f"all shapes except {those}" if plain else f"all shapes that are not {no}"
    members = tuple(i for i, fit in enumerate(fits) if fit != inverted)
    return Attribute(words, by, inverted, members)
