"""Parts that all plots share: the frame on the page, colors by name, and the script of Plotly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeAlias

from editscope.errors import BadInput
from editscope.report.html.markup import Html, el, json_for_script

Json: TypeAlias = dict[str, Any]

DASHES = ("solid", "dash", "dot", "dashdot")
MARKS = ("circle", "square", "diamond", "triangle-up", "cross", "x", "pentagon", "star")


@dataclass(frozen=True, eq=False)
class Choices:
    """Versions of one plot to choose from: for each, what changes in each of its traces."""

    label: str
    options: Sequence[tuple[str, Sequence[Json]]]


def script() -> str | None:
    """The text of Plotly's script from the installed package, or None where there is none."""
    path = _script_path()
    if path is None:
        return None
    text = path.read_text(encoding="utf-8").replace("\r\n", "\n").replace("\r", "\n")
    if "</script" in text.lower() or "<!--" in text:
        raise BadInput(f"{path} cannot stand inside a page; `pip install --upgrade plotly` gets one that can")
    return text


def installed() -> bool:
    """Whether plots can be interactive."""
    return _script_path() is not None


def _script_path() -> Path | None:
    # find_spec does not import the package, which would take longer than everything else here.
    spec = find_spec("plotly")
    if spec is None or spec.origin is None:
        return None
    path = Path(spec.origin).parent / "package_data" / "plotly.min.js"
    return path if path.is_file() else None


def shown(text: str) -> str:
    """Text that Plotly shows as it is: it knows a few tags, and names from outside are not to use them.

    >>> shown("<b>A & B</b>")
    '&lt;b&gt;A &amp; B&lt;/b&gt;'
    """
    return escape(text, quote=False)


def run_color(index: int, alpha: float | None = None) -> str:
    """The color of a run as a name that the page's script looks up in the theme.

    >>> run_color(1), run_color(9, 0.25)
    ('@run1', '@run1/0.25')
    """
    return f"@run{index % 8}" + ("" if alpha is None else f"/{alpha:g}")


def layout(height: int, **more: Any) -> Json:
    """The layout that plots start from; fonts and surfaces come from the theme."""
    base: Json = {
        "height": height,
        "margin": {"l": 52, "r": 16, "t": 12, "b": 44},
        "hovermode": "closest",
        "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"},
    }
    return base | more


def axis(title: str = "", **more: Any) -> Json:
    """One axis in the style of the page."""
    base: Json = {"gridcolor": "@hair", "linecolor": "@line", "zerolinecolor": "@line", "automargin": True}
    if title:
        base["title"] = {"text": shown(title), "font": {"size": 12, "color": "@soft"}}
    return base | more


def figure(
    title: str,
    static: Html,
    traces: Sequence[Json],
    arrangement: Json,
    *,
    note: str = "",
    choices: Choices | None = None,
    cls: str = "",
) -> Html:
    """A figure: its title, the drawing, and the data of its interactive version where Plotly is installed."""
    data: Json = {"data": list(traces), "layout": arrangement}
    if choices is not None:
        data["choices"] = {"label": choices.label, "options": [[name, list(patch)] for name, patch in choices.options]}
    return el(
        "figure",
        el("figcaption", title, el("small", note) if note else None) if title else None,
        el("div", static, cls="static"),
        el("script", json_for_script(data), type="application/json") if installed() else None,
        cls=f"plot {cls}".strip(),
        aria_label=title or None,
        style=f"--height:{arrangement['height']}px",
    )
