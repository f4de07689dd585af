"""The record of an edit that a task asks for, before anything is drawn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from editscope.suites.generated.seeded_random import SeededRandom
from editscope.suites.raytracing.render import place_in_picture
from editscope.suites.raytracing.scene import Point, TracedScene


@dataclass(frozen=True, slots=True)
class SceneEdit:
    """Both scenes, what is asked, the rule behind it, and a sentence for each effect that may follow.

    ``target`` is the solid that changes; "" where the whole scene does, which ``whole`` then names. ``{where}`` in
    a sentence becomes the part of the picture that the effect is in. ``roles`` has the effect of every solid that
    changes or moves, where one change sets others in motion. ``measures`` are the solids whose size the answer needs:
    half of each must be in view. ``points`` are the points of the floor that the sentence names: nothing but the target
    may stand before them.
    """

    before: TracedScene
    after: TracedScene
    asked: str
    rule: str
    sentences: Mapping[str, str]
    target: str = ""
    whole: str = ""
    shadows: bool = False
    roles: Mapping[str, str] = field(default_factory=dict)
    measures: tuple[str, ...] = ()
    points: tuple[Point, ...] = ()
    details: Mapping[str, object] = field(default_factory=dict)


class DrawAgain(Exception):
    """A scene that is not a problem; the next one is drawn."""


class Crowded(DrawAgain):
    """There is no place for another solid."""


Task: TypeAlias = Callable[[SeededRandom], SceneEdit]


def spoken_place(point: tuple[float, float, float], scene: TracedScene) -> str:
    """Where a point of the floor lies in the picture, in percent, so that the size of the picture does not matter."""
    x, y = place_in_picture(point, scene.camera, (1000, 1000))
    return f"{x / 10:.1f}% from the left and {y / 10:.1f}% from the top of the picture"


def with_article(name: str) -> str:
    """A name with its article.

    >>> with_article("orange weight"), with_article("red weight")
    ('an orange weight', 'a red weight')
    """
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"
