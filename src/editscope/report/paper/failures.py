"""What went wrong: shares of failure modes, for all cases and in every category."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from editscope.report.paper.material import Material, NothingToDraw, axis_label, figure
from editscope.report.paper.style import FAILURE_COLORS, INK, SOFT, Axes, Figure, new_figure, two_lines
from editscope.report.words import failure, failure_order
from editscope.stats.diagnosis import Shares, failure_shares

LIGHT = ("structural_imprecision", "no_output", "color_imprecision", "execution_omission")


@figure("failures", "Shares of cases by failure mode, for all cases and in every category.")
def failures(material: Material) -> Figure:
    """Stacked bars, one for each run; one panel for all cases and one for each category."""
    exclude = material.sheet.aggregation.exclude
    by = material.sheet.aggregation.groups[0].by if material.sheet.aggregation.groups else ()
    shares: list[dict[tuple[str, ...], Shares]] = []
    for view in material.runs:
        rows = material.rows(view)
        if "failure" not in rows:
            raise NothingToDraw("these runs have no failure modes")
        shares.append({one.key: one for one in failure_shares(rows, (), exclude)})
        if by:
            shares[-1] |= {one.key: one for one in failure_shares(rows, by, exclude)}
    keys = [(), *(tuple(key.split("/")) for key in material.keys(material.group(0) or ""))]
    keys = [key for key in keys if any(key in one for one in shares)]
    if len(keys) == 2:
        keys = keys[:1]  # one category is all cases again
    modes = failure_order({mode for one in shares for found in one.values() for mode, n in found.shares.items() if n})
    columns = min(len(keys), 6 if material.wide else 1)
    rows_ = -(-len(keys) // columns)
    panel = (0.34 if material.wide else 0.24) + 0.17 * len(shares)
    legend = 0.17 * (1 if material.wide else 3)
    drawing = new_figure(material.inches, rows_ * panel + legend + 0.3)
    panels = np.ravel(drawing.subplots(rows_, columns, sharex=True, sharey=True))
    for axes, key in zip(panels, keys, strict=False):
        _stack(axes, material, [one.get(key) for one in shares], modes)
        title = "All cases" if not key else axis_label(key[-1])
        axes.set_title(two_lines(title) if material.wide else title, fontweight="normal" if key else "bold")
    for axes in panels[len(keys) :]:
        axes.set_visible(False)
    handles = [_swatch(mode) for mode in modes]
    drawing.legend(handles=handles, loc="outside lower center", ncols=len(modes) if material.wide else 2)
    return drawing


def _swatch(mode: str) -> object:
    from matplotlib.patches import Patch

    return Patch(facecolor=_color(mode), edgecolor="white", label=failure(mode).label)


def _color(mode: str) -> str:
    return FAILURE_COLORS.get(mode, SOFT)


def _stack(axes: Axes, material: Material, shares: Sequence[Shares | None], modes: Sequence[str]) -> None:
    for place, one in enumerate(shares):
        left = 0.0
        for mode in modes:
            share = 100 * one.shares.get(mode, 0.0) if one else 0.0
            if not share:
                continue
            axes.barh(place, share, 0.74, left=left, color=_color(mode), edgecolor="white", linewidth=0.4)
            if share >= 18:
                ink = INK if mode in LIGHT else "white"
                said = ">99" if 99 < share < 100 else f"{share:.0f}"
                axes.text(left + share / 2, place, said, ha="center", va="center_baseline", color=ink, fontsize=5.8)
            left += share
    axes.set(xlim=(0, 100), ylim=(len(shares) - 0.5, -0.5), xticks=(0, 100))
    axes.set_xticklabels(["0", "100 %"])
    axes.set_yticks(range(len(shares)), material.names)
    axes.tick_params(axis="y", length=0)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
