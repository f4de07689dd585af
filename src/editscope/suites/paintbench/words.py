"""Words of instructions: numbers exactly as they were used, shapes, points, lists."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from editscope.suites.paintbench.geometry import Point

RANKED_BY = {
    "size": ("largest", "smallest"),
    "width": ("widest", "narrowest"),
    "height": ("tallest", "shortest"),
}
"""What shapes are ranked by, with the words for both ends of the ranking."""
ORDINALS = ("", "second ", "third ", "fourth ", "fifth ", "sixth ", "seventh ", "eighth ", "ninth ")


def number(value: float) -> str:
    """A number with the decimals it has, at most two.

    >>> number(12.50), number(7.0), number(3.25)
    ('12.5', '7', '3.25')
    """
    return f"{value:.2f}".rstrip("0").rstrip(".")


def percent(value: float) -> str:
    """A percentage.

    >>> percent(23.7)
    '23.7%'
    """
    return number(value) + "%"


def plural(kind: str) -> str:
    """The plural of a shape's name.

    >>> plural("cross"), plural("star")
    ('crosses', 'stars')
    """
    return kind + ("es" if kind.endswith("s") else "s")


def article(words: str) -> str:
    """Words with "a" or "an" before them.

    >>> article("orange star"), article("red star")
    ('an orange star', 'a red star')
    """
    return ("an " if words[0] in "aeio" else "a ") + words


def listed(items: Sequence[str]) -> str:
    """Items joined the way a sentence does.

    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    return items[0] if len(items) == 1 else ", ".join(items[:-1]) + " and " + items[-1]


@dataclass(frozen=True, slots=True)
class PointRef:
    """A point that the instruction names: a coordinate, a point of the image, or a point of a shape."""

    phrase: str
    at: Point
    shape: int | None = None
    name: str | None = None


def on_top(over: bool) -> str:
    """What happens where the new place of a shape meets others or the edge of the image."""
    layer = "on top of" if over else "underneath"
    return f"Where it meets other shapes, it goes {layer} them; whatever leaves the image is cut off."
