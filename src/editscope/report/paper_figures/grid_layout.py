"""Layout of the grid: bands of pictures with a heading line, names above, and scores below."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from editscope.images import Pixels
from editscope.report.paper_figures.style import INK, RULE, SOFT, Figure, short

GAP, TEXT, SCORE, HEAD, BETWEEN = 0.05, 0.105, 0.21, 0.16, 0.1
"""Inches: between pictures, a line of an instruction, the lines under a picture, the names above, between bands."""
WORDS = 6.2
"""The size of an instruction's letters, in points."""
TALLEST = 1.3
"""A picture is at most this much taller than wide."""


@dataclass(frozen=True, eq=False)
class Tile:
    """A picture, the name above it, and two lines under it."""

    head: str
    pixels: Pixels | None
    under: str = ""
    note: str = ""
    color: str = SOFT


@dataclass(frozen=True, eq=False)
class Band:
    """An instruction and the pictures of its case."""

    text: str
    tiles: tuple[Tile, ...]

    def lines(self, across: int) -> list[tuple[Tile, ...]]:
        """The pictures in lines of so many."""
        return [self.tiles[start : start + across] for start in range(0, len(self.tiles), across)]

    @property
    def text_height(self) -> float:
        """Inches that the instruction takes."""
        return TEXT * (self.text.count("\n") + 1) + 0.02


def paint(bands: Sequence[Band], across: int, side: float) -> Figure:
    """One band below the other. Names stand once at the top, or above every line where a case needs several."""
    once = all(len(band.tiles) <= across for band in bands)
    head = 0.02 if once else HEAD
    heights = [
        band.text_height + sum(head + _height(line, side) + SCORE for line in band.lines(across)) for band in bands
    ]
    total = sum(heights) + BETWEEN * (len(bands) - 1) + (HEAD if once else 0.0)
    page = _Page(across * side + (across - 1) * GAP, total)
    top = total
    if once:
        top -= HEAD
        _heads(page, bands[0].tiles, side, top)
    for number, (band, height) in enumerate(zip(bands, heights, strict=True)):
        if number:
            page.rule(top + 0.04)
        page.text(0, top - 0.01, band.text, ha="left", va="top", fontsize=WORDS, style="italic", linespacing=1.15)
        y = top - band.text_height
        for line in band.lines(across):
            y -= head
            if not once:
                _heads(page, line, side, y)
            tall = _height(line, side)
            for place, tile in enumerate(line):
                _tile(page, tile, place * (side + GAP), y, side, tall)
            y -= tall + SCORE
        top -= height + BETWEEN
    return page.drawing


class _Page:
    """A figure on which everything is placed in inches from its lower left corner."""

    def __init__(self, width: float, height: float) -> None:
        from matplotlib.figure import Figure as Empty

        self.width, self.height = width, height
        self.drawing = Empty(figsize=(width, height))

    def text(self, x: float, y: float, words: str, **style: Any) -> None:
        """Text at a place."""
        self.drawing.text(x / self.width, y / self.height, words, **style)

    def axes(self, x: float, y: float, width: float, height: float) -> Any:
        """A frame without ticks."""
        box = (x / self.width, y / self.height, width / self.width, height / self.height)
        axes = self.drawing.add_axes(box)
        axes.set(xticks=(), yticks=())
        for spine in axes.spines.values():
            spine.set(color=RULE, linewidth=0.5)
        return axes

    def rule(self, y: float) -> None:
        """A line across."""
        from matplotlib.lines import Line2D

        self.drawing.add_artist(Line2D([0, 1], [y / self.height] * 2, color=RULE, linewidth=0.6))


def _height(tiles: Sequence[Tile], side: float) -> float:
    ratios = [tile.pixels.shape[0] / tile.pixels.shape[1] for tile in tiles if tile.pixels is not None]
    return side * min(max(ratios, default=1.0), TALLEST)


def _heads(page: _Page, tiles: Sequence[Tile], side: float, y: float) -> None:
    for place, tile in enumerate(tiles):
        name = short(tile.head, max(8, round(side / 0.055)))
        x = place * (side + GAP) + side / 2
        page.text(x, y + 0.03, name, ha="center", va="bottom", fontsize=6.2, color=INK, fontweight="bold")


def _tile(page: _Page, tile: Tile, x: float, y: float, side: float, tall: float) -> None:
    """A picture whose top left corner is at x, y."""
    axes = page.axes(x, y - tall, side, tall)
    if tile.pixels is None:
        axes.set_facecolor("#F4F4F4")
        axes.text(0.5, 0.5, "no picture", ha="center", va="center", color=SOFT, fontsize=6, transform=axes.transAxes)
    else:
        axes.imshow(tile.pixels, interpolation="none", aspect="equal")
        axes.set_anchor("N")
    middle, room = x + side / 2, max(10, round(side / 0.0365))
    page.text(middle, y - tall - 0.025, short(tile.under, room), ha="center", va="top", fontsize=5.8, color=INK)
    page.text(middle, y - tall - 0.115, short(tile.note, room), ha="center", va="top", fontsize=5.2, color=tile.color)
