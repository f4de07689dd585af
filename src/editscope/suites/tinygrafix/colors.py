"""Colors of a chart: uniform in L*a*b*, far enough from each other to be told apart."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from editscope.suites.generated.seeded_random import SeededRandom

LEAST_APART = 20.0
"""Two colors of a chart, background included, differ by more than this ΔE76."""
CONTRAST = 5.0
"""Least contrast ratio (WCAG) between text and background."""
DARK_SHARE = 0.3
DARK_PAPER, LIGHT_INK = (0.0, 0.35), (0.7, 1.0)
"""Range of each channel of a dark background, and of the text on it."""
LIGHT_PAPER, DARK_INK = (0.6, 0.95), (0.0, 0.3)
"""The same of a light background."""
_WHITE = (0.95047, 1.0, 1.08883)


def hex_of(rgb: tuple[int, int, int]) -> str:
    """``#RRGGBB``."""
    return "#{:02X}{:02X}{:02X}".format(*rgb)


def rgb_of(color: str) -> tuple[int, int, int]:
    """Red, green, blue, 0 to 255, of ``#RRGGBB``."""
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)


def _linear(value: int) -> float:
    v = value / 255
    return v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4


def lab_of(color: str) -> tuple[float, float, float]:
    """CIE L*a*b* (D65) of a color.

    >>> [round(v, 1) for v in lab_of("#FF0000")]
    [53.2, 80.1, 67.2]
    """
    r, g, b = (_linear(v) for v in rgb_of(color))
    x = (0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / _WHITE[0]
    y = 0.2126729 * r + 0.7151522 * g + 0.0721750 * b
    z = (0.0193339 * r + 0.1191920 * g + 0.9503041 * b) / _WHITE[2]
    fx, fy, fz = ((math.cbrt(t) if t > (6 / 29) ** 3 else t * (29 / 6) ** 2 / 3 + 4 / 29) for t in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


def delta_e(first: str, second: str) -> float:
    """ΔE76 between two colors."""
    return math.dist(lab_of(first), lab_of(second))


def _from_lab(lightness: float, a: float, b: float) -> str | None:
    """The sRGB color of an L*a*b* value, or None when no screen can show it."""
    fy = (lightness + 16) / 116
    fx, fz = fy + a / 500, fy - b / 200
    x, y, z = (
        w * (f**3 if f > 6 / 29 else (f - 4 / 29) * 3 * (6 / 29) ** 2)
        for f, w in zip((fx, fy, fz), _WHITE, strict=True)
    )
    linear = (
        3.2404542 * x - 1.5371385 * y - 0.4985314 * z,
        -0.9692660 * x + 1.8760108 * y + 0.0415560 * z,
        0.0556434 * x - 0.2040259 * y + 1.0572252 * z,
    )
    if not all(-1e-4 <= v <= 1.0001 for v in linear):
        return None
    clipped = (min(1.0, max(0.0, v)) for v in linear)
    r, g, b8 = (round(255 * (12.92 * v if v <= 0.0031308 else 1.055 * v ** (1 / 2.4) - 0.055)) for v in clipped)
    return hex_of((r, g, b8))


def random_color(
    rng: SeededRandom, avoid: Sequence[str], lightness: tuple[float, float] = (0.0, 100.0), least: float = LEAST_APART
) -> str:
    """A color drawn uniformly from the part of L*a*b* that screens show, not within ``least`` of any in ``avoid``."""
    far = [lab_of(color) for color in avoid]
    while True:
        color = _from_lab(rng.uniform(*lightness), rng.uniform(-90, 100), rng.uniform(-110, 95))
        if color is not None and all(math.dist(lab_of(color), other) > least for other in far):
            return color


def random_colors(rng: SeededRandom, count: int, avoid: Sequence[str]) -> list[str]:
    """Several colors, each far from ``avoid`` and from all before it."""
    chosen: list[str] = []
    for _ in range(count):
        chosen.append(random_color(rng, [*avoid, *chosen]))
    return chosen


def contrast(first: str, second: str) -> float:
    """WCAG contrast ratio, 1 to 21.

    >>> round(contrast("#000000", "#FFFFFF"))
    21
    """
    levels = sorted(
        0.2126 * _linear(r) + 0.7152 * _linear(g) + 0.0722 * _linear(b) for r, g, b in (rgb_of(first), rgb_of(second))
    )
    return (levels[1] + 0.05) / (levels[0] + 0.05)


@dataclass(frozen=True, slots=True)
class Theme:
    """Colors of paper and ink: background, and everything that is written or ruled."""

    background: str
    text: str

    @staticmethod
    def random(rng: SeededRandom) -> Theme:
        """Light text on dark in three of ten charts, dark on light in the others; backgrounds are grayish."""
        paper, ink = (DARK_PAPER, LIGHT_INK) if rng.chance(DARK_SHARE) else (LIGHT_PAPER, DARK_INK)
        background = _random_rgb(rng, paper)
        while contrast(background, text := _random_rgb(rng, ink)) < CONTRAST:
            continue
        return Theme(background, text)


def _random_rgb(rng: SeededRandom, channel: tuple[float, float]) -> str:
    """A color whose three channels are drawn independently from the same range."""
    red, green, blue = (round(255 * rng.uniform(*channel)) for _ in range(3))
    return hex_of((red, green, blue))
