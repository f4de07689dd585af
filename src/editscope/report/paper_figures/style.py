"""Style of every figure: a paper's column widths, type, colors that all can tell apart, files without dates."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

Figure: TypeAlias = Any
Axes: TypeAlias = Any

WIDTHS = {"single": 3.35, "double": 6.9}
"""Inches: one column of a two-column paper, or the whole page."""
FORMATS = ("pdf", "svg", "png")
PNG_DPI = 300
FEW = 0.35
"""How opaque a mark is that too few cases are behind."""

COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#6B4C9A", "#3B3B3B")
"""Okabe and Ito's colors without yellow, which white paper swallows, and with a violet in its place."""
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "p")
DASHES: tuple[Any, ...] = ("-", (0, (4, 1.5)), (0, (1.2, 1.2)))
INK, SOFT, RULE, PAPER_GRAY = "#1A1A1A", "#5C5C5C", "#D9D9D9", "#8C8C8C"
FAILURE_COLORS = {
    "success": "#009E73",
    "color_imprecision": "#E69F00",
    "tone_shift": "#F0E442",
    "too_weak": "#A6C96A",
    "misplaced_consequences": "#6B4C9A",
    "consequences_missing": "#D55E00",
    "consequences_only": "#CC79A7",
    "structural_imprecision": "#56B4E9",
    "execution_omission": "#999999",
    "structural_catastrophe": "#B2182B",
    "no_output": "#E5E5E5",
}
FAILURE_INKS = {
    "success": "#00704F",
    "color_imprecision": "#946200",
    "structural_imprecision": "#1B6CA0",
    "execution_omission": "#606060",
    "structural_catastrophe": "#B2182B",
}
"""The same colors, dark enough for small letters."""
SETTINGS: dict[Any, Any] = {
    "font.family": ["DejaVu Sans"],
    "font.size": 7.0,
    "axes.titlesize": 7.5,
    "axes.labelsize": 7.0,
    "xtick.labelsize": 6.5,
    "ytick.labelsize": 6.5,
    "legend.fontsize": 6.5,
    "axes.linewidth": 0.6,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "lines.linewidth": 1.2,
    "lines.markersize": 3.6,
    "patch.linewidth": 0.5,
    "legend.frameon": False,
    "legend.handlelength": 1.8,
    "legend.columnspacing": 1.4,
    "text.parse_math": False,
    "pdf.fonttype": 42,
    "ps.fonttype": 42,
    "svg.fonttype": "path",
    "svg.hashsalt": "editscope",
    "figure.dpi": PNG_DPI,
    "savefig.dpi": PNG_DPI,
    "text.hinting": "none",
    "figure.constrained_layout.h_pad": 0.03,
    "figure.constrained_layout.w_pad": 0.03,
}
# A paper is compiled on another day than its figures were drawn; nothing in a file may depend on that.
METADATA: dict[str, dict[str, Any]] = {
    "pdf": {"Creator": "Editscope", "Producer": None, "CreationDate": None},
    "svg": {"Creator": "Editscope", "Date": None},
    "png": {"Software": None},
}


@dataclass(frozen=True)
class RunStyle:
    """How one run is drawn everywhere."""

    color: str
    marker: str
    dash: Any


def run_style(index: int) -> RunStyle:
    """The style of the index-th run: colors repeat after eight, with another dash.

    >>> run_style(0).color == run_style(8).color, run_style(0).dash == run_style(8).dash
    (True, False)
    """
    return RunStyle(
        COLORS[index % len(COLORS)], MARKERS[index % len(MARKERS)], DASHES[index // len(COLORS) % len(DASHES)]
    )


@contextmanager
def styled() -> Iterator[None]:
    """Draw inside this and nothing of the user's own Matplotlib settings shows."""
    import matplotlib

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(SETTINGS)
        yield


def new_figure(width: float, height: float) -> Figure:
    """An empty figure of so many inches, whose parts make room for one another."""
    from matplotlib.figure import Figure as Empty

    return Empty(figsize=(width, height), layout="constrained")


def settle(figure: Figure) -> Figure:
    """Lay the figure out once and keep the places, rounded: a solver's last bits would name things in an SVG."""
    figure.draw_without_rendering()
    if figure.get_layout_engine() is not None:
        places = [axes.get_position() for axes in figure.axes]
        figure.set_layout_engine("none")
        for axes, place in zip(figure.axes, places, strict=True):
            axes.set_position([round(float(side), 6) for side in place.bounds])
    return figure


def save(figure: Figure, path: Path) -> None:
    """Write a figure; its format is the ending of the path."""
    kind = path.suffix[1:]
    figure.savefig(path, format=kind, metadata=METADATA[kind])


def plain_axes(axes: Axes, *, grid: str = "y") -> None:
    """Two spines, and faint lines to read values from."""
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    if grid:
        axes.grid(axis=grid, color=RULE, linewidth=0.5)
    axes.set_axisbelow(True)


def legend_above(figure: Figure, handles: Sequence[Any], width: float) -> None:
    """One legend for all panels, in as few rows as fit."""
    if len(handles) < 2:
        return
    longest = max(len(str(handle.get_label())) for handle in handles)
    columns = max(1, min(len(handles), math.floor(width / (0.062 * longest + 0.42))))
    rows = math.ceil(len(handles) / columns)
    figure.legend(handles=handles, loc="outside upper center", ncols=math.ceil(len(handles) / rows))


def legend_rows(names: Sequence[str], width: float) -> int:
    """How many rows that legend takes.

    >>> legend_rows(["one", "two"], 6.9), legend_rows(["only"], 6.9)
    (1, 0)
    """
    if len(names) < 2:
        return 0
    columns = max(1, min(len(names), math.floor(width / (0.062 * max(map(len, names)) + 0.42))))
    return math.ceil(len(names) / columns)


def short(text: str, longest: int = 28) -> str:
    """A name that fits a legend.

    >>> short("x" * 40, 10)
    'xxxxxxxxx…'
    """
    text = drawable(" ".join(text.split()))
    return text if len(text) <= longest else text[: longest - 1] + "…"


def wrapped(text: str, inches: float, size: float, lines: int) -> str:
    """Text in italics of a size, in at most so many lines of that width; an ellipsis where something had to go."""
    broken: list[str] = []
    for word in drawable(text).split():
        longer = f"{broken[-1]} {word}" if broken else word
        if broken and _inches(longer, size) <= inches:
            broken[-1] = longer
        else:
            broken.append(word)
    shown = broken[:lines]
    if len(broken) > lines:
        shown[-1] += " …"
    return "\n".join(_cut(line, inches, size) for line in shown)


def _cut(line: str, inches: float, size: float) -> str:
    """As much of a line as fits: a word may be wider than the page, and an ellipsis takes room."""
    while _inches(line, size) > inches and len(line) > 2:
        line = line.removesuffix("…").rstrip()[:-1].rstrip() + "…"
    return line


def _inches(text: str, size: float) -> float:
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(family=["DejaVu Sans"], style="italic", size=size)
    width: float = text_to_path.get_text_width_height_descent(text, font, ismath=False)[0]
    return width / 72


def two_lines(label: str) -> str:
    """A label broken at its first space."""
    return label.replace(" ", "\n", 1)


def drawable(text: str) -> str:
    """Text in letters that the font has; any other becomes an empty box, as browsers show it.

    >>> drawable("ΔE ≤ 5"), drawable("中 a")
    ('ΔE ≤ 5', '▯ a')
    """
    known = _charmap()
    return "".join(char if ord(char) in known or char == " " else "▯" for char in text.replace("\n", " "))


def _charmap() -> Mapping[int, int]:
    from matplotlib.font_manager import FontProperties, findfont, get_font

    charmap: Mapping[int, int] = get_font(findfont(FontProperties(family=["DejaVu Sans"]))).get_charmap()
    return charmap
