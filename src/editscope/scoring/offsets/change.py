"""What a case asks for, as far as its error can be measured in pixels, degrees, percent or color."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Rgb: TypeAlias = tuple[int, int, int]
Angle: TypeAlias = Literal["", "turn", "slant_x", "slant_y"]
Size: TypeAlias = Literal["", "area", "sides"]


@dataclass(frozen=True, slots=True)
class AskedChange:
    """An object of one color that the answer has somewhere else or in another form; or a region of new colors.

    ``color`` is that of the object, None where a region gets new colors and its place is given. ``angle`` says which
    angle can be wrong: the ``turn`` of the object, or its ``slant`` along x or y; "" where none is measured. ``size``
    says whether its size is that of its ``area``, or whether both ``sides`` count, which an edit may stretch apart.
    """

    color: Rgb | None = None
    angle: Angle = ""
    size: Size = ""


def rgb_of(code: object) -> Rgb | None:
    """The color of a hex code; None for anything else.

    >>> rgb_of("#FF8000"), rgb_of("orange")
    ((255, 128, 0), None)
    """
    text = str(code).removeprefix("#")
    try:
        value = int(text, 16) if len(text) == 6 else -1
    except ValueError:
        value = -1
    return (value >> 16, value >> 8 & 255, value & 255) if value >= 0 else None
