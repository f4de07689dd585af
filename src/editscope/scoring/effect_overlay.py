"""Overlay of effects: a gray picture on which the mask of every effect has its own color."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

import numpy as np

from editscope.cases import Effect
from editscope.images import Pixels

EFFECT_COLORS = {
    "object": "#e66767",
    "uncovered": "#f0a35e",
    "shadow": "#7b6fd6",
    "light": "#e0b818",
    "mirror image": "#2f9ec4",
    "refraction": "#3fae8d",
    "shading": "#c77fc9",
}
"""Colors of the effects that most suites have; told apart on gray, light and dark."""
OTHERS = ("#8fa63a", "#d1608f", "#5b8def", "#a9764c", "#4fb0b0", "#9a86a4")
TINT = 0.62
"""How much of a color covers the picture."""


def effect_color(name: str) -> str:
    """The color of an effect, the same in every picture and legend.

    >>> effect_color("shadow"), effect_color("mirror_image") == effect_color("mirror image")
    ('#7b6fd6', True)
    """
    plain = name.replace("_", " ")
    return EFFECT_COLORS.get(plain) or OTHERS[sha256(plain.encode()).digest()[0] % len(OTHERS)]


def effect_overlay(answer: Pixels, effects: Sequence[Effect]) -> Pixels:
    """The answer in gray with the masks over it; where masks overlap, the smaller one is seen.

    >>> mask = np.array([[True, False]])
    >>> effect_overlay(np.full((1, 2, 3), 200, np.uint8), [Effect("shadow", mask)]).tolist()
    [[[159, 152, 216], [219, 219, 219]]]
    """
    gray = answer.mean(axis=2, keepdims=True) * 0.65 + 89
    picture = np.repeat(gray, 3, axis=2)
    for effect in sorted(effects, key=lambda one: -int(one.mask.sum())):
        code = effect_color(effect.name)
        color = np.array([int(code[place : place + 2], 16) for place in (1, 3, 5)], np.float64)
        inside = effect.mask[..., None]
        picture = np.where(inside, (1 - TINT) * gray + TINT * color, picture)
    return np.asarray(np.rint(picture), dtype=np.uint8)
