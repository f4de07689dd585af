"""Over-editing and mIoU by the size of the region that should change, run by run."""

from __future__ import annotations

from dataclasses import dataclass

from editscope.report.figure_data.statistics import region_sizes
from editscope.report.model import RunView, Sheet
from editscope.stats.diagnosis import SizeBin


@dataclass(frozen=True, eq=False)
class EditSizes:
    """The sizes that cases have, and the bins of each run in the same order; () for a run without counts."""

    labels: tuple[str, ...]
    runs: tuple[tuple[RunView, tuple[SizeBin, ...]], ...]


def edit_sizes(sheet: Sheet, resamples: int | None = None) -> EditSizes | None:
    """The bins of every run; None where the cases are of fewer than two sizes."""
    runs = [
        (view, region_sizes(sheet, view, resamples) if "changed_pixels" in view.rows else ()) for view in sheet.runs
    ]
    first = next((bins for _, bins in runs if bins), ())
    used = [i for i in range(len(first)) if any(bins and bins[i].n for _, bins in runs)]
    if len(used) < 2:
        return None
    chosen = tuple((view, tuple(bins[i] for i in used) if bins else ()) for view, bins in runs)
    return EditSizes(tuple(first[i].label for i in used), chosen)
