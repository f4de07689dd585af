"""Histograms of single scores: a column for each metric, a row for each run."""

from __future__ import annotations

from editscope.report.figure_data.score_histograms import ScoreHistogram, score_histograms
from editscope.report.paper_figures.registry import FigureContext, NothingToDraw, figure
from editscope.report.paper_figures.style import SOFT, Axes, Figure, new_figure, plain_axes, short, two_lines

ACROSS = {"double": 6, "single": 2}
HEIGHT = 0.62
"""Inches: one histogram."""


@figure(
    "histograms",
    "How the scores of single cases are spread, by tenths of each metric's scale, in percent of cases.",
    judged="How often the judge gave each score, for each metric, in percent of its scores.",
)
def histograms(context: FigureContext) -> Figure:
    """Rows of small histograms on one vertical scale; metrics that find no room stand in further rows."""
    found = score_histograms(context.sheet)
    if not found:
        raise NothingToDraw("these runs have no scores on a scale of marks")
    across = min(len(found), ACROSS[context.width])
    blocks = [found[start : start + across] for start in range(0, len(found), across)]
    count = len(context.runs)
    drawing = new_figure(context.inches, len(blocks) * (0.42 + HEIGHT * count))
    frames = drawing.subplots(len(blocks) * count, across, sharey=True, squeeze=False)
    top = max(max(histogram.shares(place)) for histogram in found for place in range(count))
    for number, block in enumerate(blocks):
        rows = frames[number * count : (number + 1) * count]
        for place in range(count):
            for column, axes in enumerate(rows[place]):
                if column >= len(block):
                    axes.set_visible(False)
                    continue
                _histogram(axes, context, block[column], place, top)
                if place == 0:
                    axes.set_title(two_lines(short(block[column].label, 30)))
                if column == 0:
                    axes.set_ylabel(
                        context.names[place].replace(" · ", "\n") if count > 1 else "", rotation=0, ha="right"
                    )
                    axes.yaxis.label.set(va="center")
                if place < count - 1:
                    axes.set_xticklabels([])
    return drawing


def _histogram(axes: Axes, context: FigureContext, histogram: ScoreHistogram, place: int, top: float) -> None:
    shares, style = histogram.shares(place), context.styles[place]
    missing, mean = histogram.runs[place][2], histogram.means[place]
    axes.bar(range(len(shares)), shares, 0.86, color=style.color, alpha=0.85, linewidth=0)
    if mean is not None:
        axes.plot(mean, 0, marker="^", color=SOFT, markersize=3.2, clip_on=False, zorder=4)
    few = len(shares) <= 5
    between = len(histogram.steps) > len(shares)  # steps are the ends of bins
    axes.set(xlim=(-0.6, len(shares) - 0.4), ylim=(0, 1.18 * top or 1.0), yticks=())
    marks = range(0, len(histogram.steps), 5 if between else 1 if len(shares) <= 7 else 3)
    places = [mark - 0.5 if between else mark for mark in marks]
    axes.set_xticks(places, [histogram.steps[mark] for mark in marks], fontsize=5.4)
    axes.tick_params(axis="x", length=1.5, pad=1)
    for mark, share in enumerate(shares):
        if share >= 0.5 and few:
            axes.text(mark, share, f"{share:.0f}", ha="center", va="bottom", fontsize=5.0, color=SOFT)
    if missing:
        said = f"{missing:,} missing"
        axes.text(0.98, 0.97, said, transform=axes.transAxes, ha="right", va="top", fontsize=4.8, color=SOFT)
    plain_axes(axes, grid="")
    axes.spines["left"].set_visible(False)
