"""The two palettes of eleven colours (paper, Table 6)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, slots=True)
class Color:
    """A named colour; ``index`` is its place in the shuffled palette of a scene."""

    name: str
    hex: str
    index: int = -1

    @property
    def rgb(self) -> tuple[int, int, int]:
        """Red, green, blue, 0 to 255."""
        return int(self.hex[1:3], 16), int(self.hex[3:5], 16), int(self.hex[5:7], 16)

    @property
    def phrase(self) -> str:
        """Name and code, for instructions that introduce a color.

        >>> Color("tan-colored", "#CBAA85").phrase
        'tan (#CBAA85)'
        """
        return f"{self.name.removesuffix('-colored')} ({self.hex})"

    @property
    def luminance(self) -> float:
        """Rec. 601 luma, to choose an ink that can be seen."""
        r, g, b = self.rgb
        return 0.299 * r + 0.587 * g + 0.114 * b


def _palette(text: str) -> tuple[Color, ...]:
    entries = (entry.rpartition("#") for entry in text.split(", "))
    return tuple(Color(name.strip(), f"#{code}") for name, _, code in entries)


STANDARD = _palette(
    "red #FF0000, orange #FFA500, yellow #FFFF00, green #00FF00, blue #0000FF, purple #800080, "
    "pink #FFC0CB, brown #8B4513, black #000000, gray #808080, white #FFFFFF"
)
NONSTANDARD = _palette(
    "crimson #C31B37, tangerine-colored #F47B16, gold #E4BA18, olive-colored #717A1E, cyan #0FE1DF, "
    "lavender #D9D2E9, magenta #F20DD8, tan-colored #CBAA85, jet black #101211, silver #BBBCBA, ivory white #F8F6E8"
)
PALETTES = {"standard": STANDARD, "nonstandard": NONSTANDARD}


def differences(one: npt.ArrayLike, two: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """ΔE76 of RGB colors that stand at the same place of two arrays.

    >>> [round(float(d), 1) for d in differences([[255, 0, 0], [0, 0, 0]], [[254, 0, 0], [255, 255, 255]])]
    [0.4, 100.0]
    """
    delta = _lab(np.asarray(one, np.float64)) - _lab(np.asarray(two, np.float64))
    found: npt.NDArray[np.float64] = np.sqrt((delta * delta).sum(axis=-1))
    return found


def _lab(rgb: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """CIE L*a*b* under D65."""
    c = rgb / 255
    linear = np.where(c > 0.04045, ((c + 0.055) / 1.055) ** 2.4, c / 12.92)
    xyz = linear @ _TO_XYZ
    f = np.where(xyz > (6 / 29) ** 3, np.cbrt(xyz), xyz / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.stack([116 * f[..., 1] - 16, 500 * (f[..., 0] - f[..., 1]), 200 * (f[..., 1] - f[..., 2])], axis=-1)


_TO_XYZ = (
    np.array([[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]])
    / np.array([[0.95047], [1.0], [1.08883]])
).T
