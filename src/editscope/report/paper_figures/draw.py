"""Names of the figures, and a function that draws those you choose into a folder."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from editscope.errors import BadInput, unknown

if TYPE_CHECKING:
    from editscope.report.paper_figures.registry import FigureContext, Kind
    from editscope.report.paper_figures.style import Figure
    from editscope.results.run import Run

NAMES = (
    "curves",
    "over-editing",
    "conditions",
    "palette",
    "distributions",
    "radar",
    "metrics",
    "histograms",
    "heat-metrics",
    "heat-models",
    "split",
    "before-after",
    "tasks",
    "failures",
    "effects",
    "ladder",
    "exemplars",
    "classes",
    "composition",
    "statistics",
    "correlation",
    "exact-judged",
    "cost",
    "grid",
)
"""Every figure, in the order in which they are drawn."""
BESIDE_PUBLISHED = ("radar", "heat-models", "tasks")
"""Figures that show published results beside the runs."""
OVER_ALL_SETS = ("correlation", "exact-judged")
"""Figures that look at all sets together, and so are drawn once."""


@dataclass(frozen=True)
class DrawnFigure:
    """A figure that was asked for: its files and caption, or the reason why there is none."""

    name: str
    suite: str
    files: tuple[Path, ...] = ()
    caption: str = ""
    reason: str = ""


def figure_names() -> tuple[str, ...]:
    """The names that ``only`` takes."""
    return NAMES


def figures_for(
    runs: Sequence[Run],
    out: str | Path,
    *,
    formats: Iterable[str] = ("pdf",),
    only: Iterable[str] | None = None,
    published: bool = False,
    width: str = "double",
    cases: Iterable[str] = (),
    pairs: bool = False,
) -> tuple[DrawnFigure, ...]:
    """Draw the figures of one or several runs into the folder ``out``, as ``<suite>-<figure>.<format>``.

    ``only`` names figures (all without it), ``formats`` are pdf, svg and png, ``width`` is a single column or
    the double width of a page, ``published`` adds published results where a figure can show them, and
    ``cases`` are the ids that the grid shows, and ``pairs`` takes the runs two by two, before and
    after. A figure for which the runs have no data is left out, and the answer says why. Runs over several sets give
    figures for each.
    """
    from editscope.report.model import gather
    from editscope.report.paper_figures.style import FORMATS, WIDTHS

    names = chosen_names("figure", only, NAMES)
    endings = chosen_names("format", formats, FORMATS)
    if width not in WIDTHS:
        raise unknown("width", width, WIDTHS)
    folder = folder_for(out)
    model = gather(runs, None)
    from editscope.report.paper_figures.registry import FigureContext

    drawn: list[DrawnFigure] = []
    often = [sheet.suite for sheet in model.sheets]
    for number, sheet in enumerate(model.sheets):
        prefix = sheet.suite if often.count(sheet.suite) == 1 else f"{sheet.suite}-{number + 1}"
        context = FigureContext(model, sheet, with_published=published, width=width, cases=tuple(cases), pairs=pairs)
        for name in names:
            if name not in OVER_ALL_SETS:
                drawn.append(_draw(name, context, folder / f"{prefix}-{name}", endings))
            elif number == 0:
                drawn.append(_draw(name, context, folder / name, endings))
    return tuple(drawn)


def folder_for(out: str | Path) -> Path:
    """The folder for the figures, made where it is not there."""
    folder = Path(out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"cannot make the folder {folder}: {error.strerror}; choose another place") from error
    return folder


def chosen_names(what: str, wanted: Iterable[str] | None, known: Sequence[str]) -> tuple[str, ...]:
    """The names that were asked for, in the order in which they are known; BadInput for one that is not."""
    names = tuple(known) if wanted is None else tuple(wanted)
    for name in names:
        if name not in known:
            raise unknown(what, name, known)
    return tuple(name for name in known if name in names)


def _draw(name: str, context: FigureContext, stem: Path, endings: Sequence[str]) -> DrawnFigure:
    from editscope.report.paper_figures.registry import NothingToDraw
    from editscope.report.paper_figures.style import settle, styled

    kind = _kind(name)
    suite = context.sheet.suite
    with styled():
        try:
            figure = settle(kind.draw(context))
        except NothingToDraw as reason:
            return DrawnFigure(name, suite, reason=str(reason))
        files = saved(figure, stem, endings)
    return DrawnFigure(name, suite, files, _caption(kind, context))


def saved(figure: Figure, stem: Path, endings: Sequence[str]) -> tuple[Path, ...]:
    """Write a figure in each format; BadInput where a file cannot be written."""
    from editscope.report.paper_figures.style import save

    files = tuple(stem.with_name(f"{stem.name}.{ending}") for ending in endings)
    for file in files:
        try:
            save(figure, file)
        except OSError as error:
            raise BadInput(f"cannot write {file}: {error.strerror or error}; choose another place") from error
    return files


def _kind(name: str) -> Kind:
    # Importing them registers their figures.
    from editscope.report.paper_figures import (  # noqa: F401
        composition,
        correlation,
        cost,
        curves,
        effects,
        exemplars,
        failures,
        grid,
        profile,
        scenes,
        set_statistics,
    )
    from editscope.report.paper_figures.registry import KINDS
    from editscope.report.paper_figures.scores import changes, heat_maps, histograms, metrics, splits  # noqa: F401

    return KINDS[name]


def _caption(kind: Kind, context: FigureContext) -> str:
    from editscope.wording import count

    what = (kind.judged if context.sheet.judged else "") or kind.caption
    number = max(len(context.cases_of(view)) for view in context.runs)
    parts = dict.fromkeys(view.part for view in context.runs if view.part)
    cases = " and ".join(parts) or count(number, "case")
    caption = f"{what} {context.suite}, {cases}, set {context.sheet.fingerprint}."
    return f"{caption} {_published_note(context)}".strip() if kind.name in BESIDE_PUBLISHED else caption


def _published_note(context: FigureContext) -> str:
    """Which setting the published results are of, where a figure has some."""
    from editscope.published import best, label

    first = best(context.sheet.suite) if context.published else None
    return f"Published results: {label(first)}." if first else ""
