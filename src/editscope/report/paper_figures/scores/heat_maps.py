"""Heat maps: rows of the finest table by metric for each run, and runs by those rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from editscope.report.figure_data.groups import group_means
from editscope.report.figure_data.metric_means import MetricGrid, metric_grid
from editscope.report.paper_figures.registry import FigureContext, NothingToDraw, figure
from editscope.report.paper_figures.style import INK, PAPER_GRAY, Axes, Figure, new_figure, short, two_lines
from editscope.wording import ends, metric_name, metric_title, plain, value

ACROSS = {"double": 3, "single": 1}
CELL = 0.135
"""Inches: the height of a cell."""
DEEP = 0.64
"""From this share of the scale on, letters are white."""


@figure(
    "heat-metrics",
    "Every task by metric, one map for each run; the darker, the better.",
    judged="Every sub-task by metric, one map for each run; the darker, the better. Empty: not judged there.",
)
def heat_metrics(context: FigureContext) -> Figure:
    """Rows of the finest group against metrics, with a map for each run."""
    group = context.sheet.fine
    grid = metric_grid(context.sheet, group.name) if group else None
    if grid is None:
        raise NothingToDraw("these runs have one metric only, or their tables do not divide the cases")
    down = -(-len(grid.runs) // ACROSS[context.width])
    across = -(-len(grid.runs) // down)  # rows of nearly the same length
    size = down * (0.95 + CELL * len(grid.keys))
    drawing = new_figure(context.inches, size)
    frames = np.ravel(drawing.subplots(down, across, sharey=True, squeeze=False))
    for axes, name, (_, rows) in zip(frames, context.names, grid.runs, strict=False):
        means = [[None if cell is None else float(cell["mean"]) for cell in row] for row in rows]
        _map(axes, context, means, _labels(grid, context), _metric_labels(grid))
        axes.set_title(name, fontweight="bold", fontsize=7, pad=3)
    for axes in frames[len(grid.runs) :]:
        axes.set_visible(False)
    return drawing


@figure(
    "heat-models",
    "The headline metric of every run in every task; the darker, the better.",
    judged="The headline metric of every run in every sub-task; the darker, the better.",
)
def heat_models(context: FigureContext) -> Figure:
    """Runs against rows of the finest group; published models below the runs where they have such figures."""
    group, metric = context.sheet.fine, context.sheet.headline
    if group is None:
        raise NothingToDraw("the tables of these runs do not divide the cases")
    record = group_means(context.sheet, group.name)
    rows: list[tuple[str, list[float | None]]] = [
        (name, record.means(place)) for place, name in enumerate(context.names)
    ]
    own = len(rows)
    for column, figures in context.group_figures.published_models() if context.published else ():
        cells = [figures.get((group.name, key, metric)) for key in record.keys]
        means = [None if cell is None or cell.value is None else float(cell.value) for cell in cells]
        if any(mean is not None for mean in means):
            rows.append((short(str(column.edition["model"]), 24), means))
    turned = len(rows) <= 8 and not context.wide
    table = [means for _, means in rows]
    labels = [two_lines(_row_label(context, key)) for key in record.keys]
    names = [name for name, _ in rows]
    if turned:
        rows_of = [label.replace("\n", " ") for label in labels]
        table, labels, names = [list(row) for row in zip(*table, strict=True)], names, rows_of
    drawing = new_figure(context.inches, 1.05 + CELL * len(table))
    axes = drawing.subplots()
    _map(axes, context, table, names, labels)
    axes.set_xlabel(metric_title(metric))
    for tick in (axes.get_xticklabels() if turned else axes.get_yticklabels())[own:]:
        tick.set_color(PAPER_GRAY)
    return drawing


def _labels(grid: MetricGrid, context: FigureContext) -> list[str]:
    return [_row_label(context, key) for key in grid.keys]


def _row_label(context: FigureContext, key: str) -> str:
    parents = [parent for parent in context.sheet.keys(context.groups[0]) if key.startswith(f"{parent}_")]
    return short(plain(key.removeprefix(f"{parents[0]}_") if parents else key.replace("/", " · ")), 30)


def _metric_labels(grid: MetricGrid) -> list[str]:
    return [two_lines(short(metric_name(metric), 30)) for metric in grid.metrics]


def _map(
    axes: Axes,
    context: FigureContext,
    table: Sequence[Sequence[float | None]],
    rows: Sequence[str],
    columns: Sequence[str],
) -> None:
    """Colored cells with their figures; white for the low end of the scale, hatched where there is none."""
    import matplotlib

    metric = context.sheet.headline
    low, high = ends(metric)
    values = np.array([[np.nan if cell is None else cell for cell in row] for row in table], dtype=np.float64)
    shares = np.clip((values - low) / (high - low), 0, 1)
    # Figures must stay readable: the darkest cell is a deep blue and no black.
    axes.imshow(shares * 0.85, cmap=matplotlib.colormaps["Blues"], vmin=0, vmax=1, aspect="auto")
    whole = high - low > 10
    for (row, column), share in np.ndenumerate(shares):
        if np.isnan(share):
            axes.text(column, row, "–", ha="center", va="center_baseline", fontsize=5.0, color=PAPER_GRAY)
            continue
        text = f"{values[row, column]:.0f}" if whole else value(float(values[row, column]), metric)
        ink = "white" if share > DEEP else INK
        axes.text(column, row, text, ha="center", va="center_baseline", fontsize=5.2, color=ink)
    axes.set_yticks(range(len(rows)), rows, fontsize=5.8)
    axes.set_xticks(range(len(columns)), columns, rotation=90, fontsize=5.8, linespacing=0.95)
    axes.set_xticks(np.arange(len(columns) + 1) - 0.5, minor=True)
    axes.set_yticks(np.arange(len(rows) + 1) - 0.5, minor=True)
    axes.grid(which="minor", color="white", linewidth=0.8)
    axes.tick_params(which="both", length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)
