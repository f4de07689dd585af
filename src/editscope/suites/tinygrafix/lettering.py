"""Lettering: words as Matplotlib's Text draws them, with every letter rendered once and every word composed once.

Matplotlib lays a text out and renders each of its letters whenever it is drawn. Here the start of a text is pinned
to a whole pixel, so a letter looks the same wherever it stands, and its picture is kept. What is drawn is, pixel for
pixel, what ``Label.plain()`` draws.
"""

from __future__ import annotations

import math
import string
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

import matplotlib
import numpy as np
import numpy.typing as npt
from matplotlib.artist import Artist
from matplotlib.backend_bases import GraphicsContextBase
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.colors import to_rgba
from matplotlib.font_manager import FontProperties, get_font
from matplotlib.ft2font import FT2Font, Kerning, LoadFlags, RenderMode
from matplotlib.text import Text

HEIGHT, DPI = 768, 160
Across: TypeAlias = Literal["left", "center", "right"]
Along: TypeAlias = Literal["top", "center", "middle", "bottom", "baseline"]

HINTING = LoadFlags.DEFAULT
"""What Matplotlib's default setting of ``text.hinting`` stands for."""
CAPITAL = 0.729
"""Height of capitals and digits of DejaVu Sans as part of its size."""
KEEPS = all(hasattr(FT2Font, name) for name in ("_layout", "_render_glyph", "_set_transform"))
"""Whether this Matplotlib lets letters be rendered one by one; if not, labels are drawn the plain way."""
_PLAIN = frozenset(string.ascii_letters + string.digits + " .-")
_JOINED = ("ff", "fi", "fl")
"""Letters that the font writes as one."""


class Piece(NamedTuple):
    """Coverage of a part of a word: a picture, and where its top left corner is from the start of the word."""

    coverage: npt.NDArray[np.uint8]
    right: int
    down: int


class Size(NamedTuple):
    """How much room a line takes, in pixels: its width, and what it reaches above and below the baseline."""

    width: float
    above: float
    below: float


@cache
def font_file() -> str:
    """DejaVu Sans as it ships with Matplotlib, by file, so that no other font can take its place."""
    return str(Path(matplotlib.get_data_path()) / "fonts" / "ttf" / "DejaVuSans.ttf")


@cache
def font(size: float) -> FontProperties:
    """That font in a size in points."""
    return FontProperties(fname=font_file(), size=size)


class Lettering:
    """The letters of one size in points, measured and rendered when first needed."""

    def __init__(self, size: float) -> None:
        self.points = size
        self.face: Any = get_font([font_file()])
        pixels = size * DPI / 72
        heights: Any = self.face.get_sfnt_table("OS/2")
        self.ascent = heights["sTypoAscender"] * pixels / self.face.units_per_EM
        self.descent = -heights["sTypoDescender"] * pixels / self.face.units_per_EM
        self.capital = CAPITAL * pixels
        self._letters: dict[str, tuple[int, float, int, int]] = {}
        self._steps: dict[str, float] = {}
        # Bounded: most letters start at a whole pixel, those behind a kerned pair at any of 64 places.
        self._rendered = lru_cache(maxsize=1024)(self._render)
        self.run = lru_cache(maxsize=256)(self._run)
        self.measure = lru_cache(maxsize=1024)(self._measure)

    def _ready(self) -> Any:
        """The font in this size, upright, as Matplotlib's renderer prepares it."""
        self.face.clear()
        self.face.set_size(self.points, DPI)
        if KEEPS:
            self.face._set_transform(_matrix(0), [0, 0])
        return self.face

    def _letter(self, char: str) -> tuple[int, float, int, int]:
        """Number, advance in pixels, lowest and highest point in 1/64 pixel."""
        known = self._letters.get(char)
        if known is None:
            glyph = self._ready().load_char(ord(char), HINTING)
            _, low, _, high = glyph.bbox
            known = self.face.get_char_index(ord(char)), glyph.horiAdvance / 64, low, high
            self._letters[char] = known
        return known

    def _step(self, pair: str) -> float:
        """From the start of a letter to the start of the next."""
        step = self._steps.get(pair)
        if step is None:
            (left, step, *_), (right, *_) = self._letter(pair[0]), self._letter(pair[1])
            if self._ready().get_kerning(left, right, Kerning.UNFITTED):
                # The font's other table of distances is the one that counts, and rounds its own way.
                step = self.face._layout(pair, HINTING)[1].x
            self._steps[pair] = step
        return step

    def _placed(self, text: str) -> Iterator[tuple[int, float]]:
        """The letters' numbers and where each starts, in pixels from the start of the text."""
        if not _is_plain(text):
            for item in self._ready()._layout(text, HINTING):
                if item.ft_object is not self.face:  # a letter that DejaVu Sans does not have
                    raise ValueError(f"{text!r} has letters that the font of the charts lacks; use others")
                yield item.glyph_index, item.x
            return
        at = 0.0
        for i, char in enumerate(text):
            yield self._letter(char)[0], at
            if i + 1 < len(text):
                at += self._step(text[i : i + 2])

    def _measure(self, text: str) -> Size:
        """What Matplotlib says of a line: its advance, and how far its ink reaches up and down."""
        if not text:
            return Size(0.0, 0.0, 0.0)
        if not _is_plain(text):
            face = self._ready()
            face.set_text(text, 0.0, flags=HINTING)
            (width, height), below = face.get_width_height(), face.get_descent()
            return Size(width / 64, (height - below) / 64, below / 64)
        letters = [self._letter(char) for char in text]
        width = sum(self._step(text[i : i + 2]) for i in range(len(text) - 1)) + letters[-1][1]
        return Size(width, max(high for *_, high in letters) / 64, -min(low for _, _, low, _ in letters) / 64)

    def _render(self, number: int, turn: int, part: int) -> Piece:
        """One letter that starts ``part`` 64ths of a pixel behind a whole one."""
        face = self._ready()
        face._set_transform(_matrix(turn), [part, 0] if turn == 0 else [0, part])
        bitmap = face._render_glyph(number, HINTING, RenderMode.NORMAL)
        return Piece(np.array(bitmap.buffer), bitmap.left, -bitmap.top)

    def _run(self, text: str, turn: int) -> tuple[Piece, ...]:
        """A text as few pictures: letters that touch each other are in different ones, as they blend one by one."""
        placed: list[Piece] = []
        for number, at in self._placed(text):
            whole, part = divmod(round(64 * at), 64)
            letter = self._rendered(number, turn, part)
            if letter.coverage.size:
                right, down = (whole, 0) if turn == 0 else (0, -whole)
                placed.append(Piece(letter.coverage, letter.right + right, letter.down + down))
        return tuple(_merged(placed)) if placed else ()


@cache
def lettering(size: float) -> Lettering:
    """The letters of a size; a chart type uses a handful of sizes."""
    return Lettering(size)


def _is_plain(text: str) -> bool:
    return KEEPS and _PLAIN.issuperset(text) and not any(pair in text for pair in _JOINED)


def _matrix(turn: int) -> npt.NDArray[np.int64]:
    one = 0x10000
    return np.array([[one, 0], [0, one]] if turn == 0 else [[0, -one], [one, 0]])


def _merged(pieces: list[Piece]) -> Iterator[Piece]:
    """Pieces put together in order, with a new picture begun where a piece has ink on ink."""
    x0, y0 = min(p.right for p in pieces), min(p.down for p in pieces)
    x1 = max(p.right + p.coverage.shape[1] for p in pieces)
    y1 = max(p.down + p.coverage.shape[0] for p in pieces)
    page = np.zeros((y1 - y0, x1 - x0), np.uint8)
    for coverage, right, down in pieces:
        rows, columns = coverage.shape
        part = page[down - y0 : down - y0 + rows, right - x0 : right - x0 + columns]
        if np.logical_and(part, coverage).any():
            yield Piece(page, x0, y0)
            page = np.zeros_like(page)
            part = page[down - y0 : down - y0 + rows, right - x0 : right - x0 + columns]
        part |= coverage
    yield Piece(page, x0, y0)


@lru_cache(maxsize=128)
def _ink(color: str) -> GraphicsContextBase:
    context = GraphicsContextBase()
    context.set_foreground(to_rgba(color), isRGBA=True)
    return context


class Label(Artist):
    """A line of text that starts at a whole pixel, ``x`` from the left and ``y`` from the top on the baseline."""

    def __init__(self, x: int, y: int, text: str, color: str, size: float, turn: int) -> None:
        super().__init__()
        self.x, self.y, self.text, self.color, self.size, self.turn = x, y, text, color, size, turn

    def draw(self, renderer: Any) -> None:
        """Draw it with Agg, from kept pictures."""
        assert isinstance(renderer, RendererAgg) and renderer.dpi == DPI, "labels are made for one resolution"
        if not KEEPS:
            text, figure = self.plain(), self.get_figure()
            assert figure is not None
            text.set_figure(figure)
            text.draw(renderer)
            return
        for coverage, right, down in lettering(self.size).run(self.text, self.turn):
            # Agg wants the lower left corner.
            bottom = self.y + down + len(coverage)
            renderer._renderer.draw_text_image(coverage, self.x + right, bottom, 0, _ink(self.color))
        self.stale = False

    def plain(self) -> Text:
        """The Matplotlib artist that draws the same pixels."""
        return Text(
            self.x,
            HEIGHT - self.y,
            self.text,
            color=self.color,
            fontproperties=font(self.size),
            horizontalalignment="left",
            verticalalignment="baseline",
            rotation=self.turn,
            rotation_mode="anchor",
            parse_math=False,
        )


def label(x: float, y: float, text: str, color: str, size: float, across: Across, along: Along, turn: int) -> Label:
    """A text with a side or the middle of its box at a point; the box is as high as the font, whatever the letters."""
    letters = lettering(size)
    width = letters.measure(text).width
    ascent, descent = letters.ascent, letters.descent
    if turn == 0:
        right = {"left": 0.0, "center": -width / 2, "right": -width}[across]
        down = {
            "top": ascent,
            "center": (ascent - descent) / 2,
            "middle": letters.capital / 2,
            "bottom": -descent,
            "baseline": 0.0,
        }[along]
    else:
        right = {"left": ascent, "center": (ascent - descent) / 2, "right": -descent}[across]
        down = {"top": width, "center": width / 2, "middle": width / 2, "bottom": 0.0, "baseline": 0.0}[along]
    return Label(math.floor(x + right + 0.5), math.floor(y + down + 0.5), text, color, size, turn)
