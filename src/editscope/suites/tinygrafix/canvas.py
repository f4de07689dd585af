"""Drawing with Matplotlib's artists and Agg, without its layout: positions are pixels from the top left.

A canvas is made once per process and reused. What two pictures of a problem share is drawn once and copied;
drawing onto a copy gives the same pixels as drawing everything again, which the tests check.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Literal, TypeAlias

import matplotlib
import numpy as np
import numpy.typing as npt
from matplotlib.artist import Artist
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.lines import Line2D
from matplotlib.patches import Circle, PathPatch, Polygon, Rectangle
from matplotlib.path import Path as Outline
from matplotlib.text import Text
from matplotlib.transforms import Affine2D

from editscope.compiled import compiled
from editscope.images import Pixels

WIDTH, HEIGHT, DPI = 1024, 768, 160
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

    def draw(self, *layers: Layer) -> Pixels:
        """A picture of the layers, from the first at the bottom, everything drawn anew."""
        self.renderer.clear()
        self._add(layers)
        return self._pixels()

    def draw_pair(self, shared: Layer, first: Iterable[Artist], second: Iterable[Artist]) -> tuple[Pixels, Pixels]:
        """Two pictures over the same ground, which is drawn once."""
        self.renderer.clear()
        self._add([shared])
        view = np.asarray(self.renderer.buffer_rgba())
        ground = view.copy()
        self._add([list(first)])
        one = self._pixels()
        view[...] = ground
        self._add([list(second)])
        return one, self._pixels()

    def _add(self, layers: Iterable[Layer]) -> None:
        for layer in layers:
            for artist in layer:
                artist.draw(self.renderer)

    def _pixels(self) -> Pixels:
        rgba = np.asarray(self.renderer.buffer_rgba())
        return _without_alpha(rgba)

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
        across: Literal["left", "center", "right"] = "center",
        along: Literal["top", "center", "bottom", "baseline"] = "center",
        turn: float = 0.0,
    ) -> Artist:
        """Words at a point; ``size`` in points (1/72 inch, 2.2 pixels), ``turn`` in degrees counterclockwise."""
        artist: Artist = self._own(
            Text(
                x,
                HEIGHT - y,
                text,
                color=color,
                fontproperties=font(size),
                horizontalalignment=across,
                verticalalignment=along,
                rotation=turn,
                rotation_mode="anchor" if turn not in (0.0, 90.0) else "default",
                parse_math=False,
            ),
            flip=False,
        )
        return artist

    @lru_cache(maxsize=4096)  # noqa: B019 - one canvas lives as long as the process
    def text_size(self, text: str, size: float = 10.0) -> tuple[float, float]:
        """Width and height of a line of text, in pixels."""
        width, height, _ = self.renderer.get_text_width_height_descent(text, font(size), False)
        return float(width), float(height)


def _points(pixels: float) -> float:
    return pixels * 72.0 / DPI


@cache
def font(size: float) -> FontProperties:
    """DejaVu Sans as it ships with Matplotlib, by file, so that no other font can take its place."""
    return FontProperties(fname=Path(matplotlib.get_data_path()) / "fonts" / "ttf" / "DejaVuSans.ttf", size=size)


SETTINGS = tuple(
    k for k in matplotlib.rcParamsDefault if k.split(".")[0] in ("agg", "font", "lines", "patch", "path", "text")
)


@contextmanager
def plain_settings() -> Iterator[None]:
    """Matplotlib's defaults for all that is drawn here, whatever a user's matplotlibrc says; put back afterwards.

    ``matplotlib.rc_context`` does the same for every setting there is, which takes longer than to draw a chart.
    """
    now, plain = matplotlib.rcParams, matplotlib.rcParamsDefault
    changed = {key: now[key] for key in SETTINGS if now[key] != plain[key]}
    for key in changed:
        now[key] = plain[key]
    try:
        yield
    finally:
        for key, value in changed.items():
            now[key] = value


@cache
def the_canvas() -> Canvas:
    """The canvas of this process."""
    return Canvas()


def versions() -> dict[str, str]:
    """What decides about the pixels besides our own code."""
    from matplotlib.ft2font import __freetype_version__

    return {"matplotlib": matplotlib.__version__, "freetype": __freetype_version__}


@compiled()
def _without_alpha(rgba: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    height, width = rgba.shape[0], rgba.shape[1]
    out = np.empty((height, width, 3), np.uint8)
    for y in range(height):
        for x in range(width):
            for c in range(3):
                out[y, x, c] = rgba[y, x, c]
    return out
