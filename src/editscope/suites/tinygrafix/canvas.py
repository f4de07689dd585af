"""Drawing with Matplotlib's artists and Agg, without its layout: positions are pixels from the top left.

A canvas is made once per process and reused. What two pictures of a problem share is drawn once and copied;
drawing onto a copy gives the same pixels as drawing everything again, which the tests check.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any, TypeAlias

import matplotlib
import numpy as np
import numpy.typing as npt
from matplotlib.artist import Artist
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Circle, PathPatch, Polygon, Rectangle
from matplotlib.path import Path as Outline
from matplotlib.transforms import Affine2D

from editscope.compiled import compiled
from editscope.images import Pixels
from editscope.suites.tinygrafix.lettering import DPI as DPI
from editscope.suites.tinygrafix.lettering import HEIGHT as HEIGHT
from editscope.suites.tinygrafix.lettering import Across, Along, label, lettering
from editscope.suites.tinygrafix.versions import versions as versions

WIDTH = 1024
Point: TypeAlias = tuple[float, float]
Layer: TypeAlias = Sequence[Artist]

# Pixels from the top left, y down, to Agg's, y up.
_FLIP = Affine2D().scale(1, -1).translate(0, HEIGHT)


class Canvas:
    """1024 × 768 pixels of Agg, and makers of artists in pixel coordinates."""

    def __init__(self) -> None:
        with plain_settings():
            self.figure = Figure(figsize=(WIDTH / DPI, HEIGHT / DPI), dpi=DPI)
            agg: Any = FigureCanvasAgg(self.figure)
            self.renderer: Any = agg.get_renderer()
        self._view = np.asarray(self.renderer.buffer_rgba())
        self._kept = np.empty_like(self._view)

    def draw(self, *layers: Layer) -> Pixels:
        """A picture of the layers, from the first at the bottom, everything drawn anew."""
        self.renderer.clear()
        for layer in layers:
            self._add(layer)
        return without_alpha(self._view)

    def draw_pair(self, shared: Layer, first: Layer, second: Layer) -> tuple[Pixels, Pixels]:
        """Two pictures over the same ground, which is drawn once."""
        self.renderer.clear()
        self._add(shared)
        np.copyto(self._kept, self._view)
        self._add(first)
        first_picture = without_alpha(self._view)
        np.copyto(self._view, self._kept)
        self._add(second)
        return first_picture, without_alpha(self._view)

    def _add(self, layer: Layer) -> None:
        for artist in layer:
            artist.draw(self.renderer)

    # Makers of artists

    def _own(self, artist: Artist, flip: bool = True) -> Any:
        artist.set_figure(self.figure)
        if flip:
            artist.set_transform(_FLIP)
        return artist

    def ground(self, color: str) -> Artist:
        """The background of the whole picture."""
        return self.rectangle(0, 0, WIDTH, HEIGHT, color)

    def rectangle(
        self, x0: float, y0: float, x1: float, y1: float, color: str, edge: str | None = None, line: float = 0.0
    ) -> Artist:
        """A filled rectangle between two corners; ``line`` is the width of its edge in pixels."""
        patch = Rectangle(
            (x0, y0), x1 - x0, y1 - y0, facecolor=color, edgecolor=edge or "none", linewidth=_points(line), snap=True
        )
        artist: Artist = self._own(patch)
        return artist

    def box(self, x0: float, y0: float, x1: float, y1: float, color: str, line: float = 2.0) -> Artist:
        """The outline of a rectangle."""
        patch = Rectangle((x0, y0), x1 - x0, y1 - y0, fill=False, edgecolor=color, linewidth=_points(line), snap=True)
        artist: Artist = self._own(patch)
        return artist

    def line(self, points: Sequence[Point], color: str, width: float, snap: bool | None = False) -> Artist:
        """A polyline with round joins; ``width`` in pixels."""
        xs, ys = zip(*points, strict=True)
        artist: Artist = self._own(
            Line2D(
                xs,
                ys,
                color=color,
                linewidth=_points(width),
                solid_capstyle="butt",
                solid_joinstyle="round",
                snap=snap,
            )
        )
        return artist

    def strokes(self, lines: Sequence[tuple[Point, Point]], color: str, width: float) -> Artist:
        """Many straight lines at once, each moved to whole pixels; ``width`` in pixels."""
        codes = [Outline.MOVETO, Outline.LINETO] * len(lines)
        path = Outline([point for line in lines for point in line], codes)
        patch = PathPatch(path, fill=False, edgecolor=color, linewidth=_points(width), capstyle="butt", snap=True)
        artist: Artist = self._own(patch)
        return artist

    def polygon(self, points: Sequence[Point], color: str) -> Artist:
        """A filled polygon without an edge."""
        artist: Artist = self._own(Polygon(points, closed=True, facecolor=color, edgecolor="none", linewidth=0))
        return artist

    def disc(self, center: Point, radius: float, color: str, edge: str | None = None, line: float = 0.0) -> Artist:
        """A filled circle; ``line`` is the width of its edge in pixels."""
        artist: Artist = self._own(
            Circle(center, radius, facecolor=color, edgecolor=edge or "none", linewidth=_points(line))
        )
        return artist

    def path(self, vertices: npt.NDArray[np.float64], codes: npt.NDArray[np.uint8], color: str) -> Artist:
        """Any filled path."""
        artist: Artist = self._own(PathPatch(Outline(vertices, codes), facecolor=color, edgecolor="none", linewidth=0))
        return artist

    def text(
        self,
        x: float,
        y: float,
        text: str,
        color: str,
        size: float = 10.0,
        across: Across = "center",
        along: Along = "center",
        turn: float = 0.0,
    ) -> Artist:
        """Words at a point; ``size`` in points (1/72 inch, 2.2 pixels), ``turn`` 0, or 90 for words that run upwards.

        ``along="middle"`` puts the middle of capitals and digits at the point, ``"center"`` that of the whole line.
        The start of the text is moved to the nearest whole pixel.
        """
        if turn not in (0.0, 90.0):
            raise ValueError(f"a label is turned by 0 or 90 degrees, not by {turn}")
        artist: Artist = self._own(label(x, y, text, color, size, across, along, int(turn)), flip=False)
        return artist

    def text_size(self, text: str, size: float = 10.0) -> tuple[float, float]:
        """Width and height of a line of text, in pixels."""
        width, above, below = lettering(size).measure(text)
        return width, above + below


def _points(pixels: float) -> float:
    return pixels * 72.0 / DPI


SETTING_GROUPS = (
    "agg",
    "font",
    "hatch",
    "image",
    "lines",
    "markers",
    "patch",
    "path",
    "pcolor",
    "pcolormesh",
    "scatter",
    "text",
)
PLAIN = {
    key: matplotlib.rcParamsDefault[key]
    for key in matplotlib.rcParamsDefault
    if key.split(".")[0] in SETTING_GROUPS or key == "axes.autolimit_mode"  # which decides about ticks
}


@contextmanager
def plain_settings() -> Iterator[None]:
    """Matplotlib's defaults for all that is drawn here, whatever a user's matplotlibrc says; put back afterwards.

    ``matplotlib.rc_context`` does the same for every setting there is, which takes longer than to draw a chart.
    """
    settings = matplotlib.rcParams
    now = dict.items(settings)  # past the look-up that checks for deprecated names
    changed = {key: value for key, value in now if key in PLAIN and value != PLAIN[key]}
    for key in changed:
        settings[key] = PLAIN[key]
    try:
        yield
    finally:
        for key, value in changed.items():
            settings[key] = value


@cache
def the_canvas() -> Canvas:
    """The canvas of this process."""
    return Canvas()


def without_alpha(rgba: npt.NDArray[np.uint8]) -> Pixels:
    """The colors of an opaque picture.

    >>> without_alpha(np.arange(32, dtype=np.uint8).reshape(2, 4, 4))[1, 3].tolist()
    [28, 29, 30]
    """
    out = np.empty((*rgba.shape[:2], 3), np.uint8)
    _drop_fourth(rgba.reshape(-1), out.reshape(-1))
    return out


@compiled("u1[::1], u1[::1]")
def _drop_fourth(fours: npt.NDArray[np.uint8], threes: npt.NDArray[np.uint8]) -> None:
    """Over flat arrays: a quarter of the time of a loop over rows, columns and channels."""
    for i in range(len(fours) // 4):
        threes[3 * i] = fours[4 * i]
        threes[3 * i + 1] = fours[4 * i + 1]
        threes[3 * i + 2] = fours[4 * i + 2]
