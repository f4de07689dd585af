"""The two palettes of eleven colors (paper, Table 6)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Color:
    """A named color; ``index`` is its place in the shuffled palette of a scene."""

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
