"""Effects of the scene: each condition against the baseline, and accuracies under two palettes, run by run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from editscope.report.figure_data.statistics import condition_deltas, palettes
from editscope.report.model import RunView, Sheet
from editscope.stats.diagnosis import Delta, PaletteGap


@dataclass(frozen=True, eq=False)
class ConditionEffects:
    """The conditions beside the baseline, in the order of the tables, and each run's differences by condition."""

    conditions: tuple[str, ...]
    runs: tuple[tuple[RunView, Mapping[str, Delta]], ...]


def condition_effects(sheet: Sheet, resamples: int | None = None) -> ConditionEffects | None:
    """Differences of the headline metric from the baseline; None where no run has another condition beside it."""
    runs = tuple(
        (view, {delta.value: delta for delta in condition_deltas(sheet, view, resamples)[1:]}) for view in sheet.runs
    )
    conditions = tuple(key for key in sheet.keys("condition") if any(key in effects for _, effects in runs))
    return ConditionEffects(conditions, runs) if conditions else None


def palette_gaps(sheet: Sheet, resamples: int | None = None) -> list[tuple[RunView, PaletteGap | None]]:
    """Exact-match accuracies of each run with usual and with unusual colors; None where it lacks one of them."""
    return [
        (view, palettes(sheet, view, resamples) if "edit_accuracy_curve" in view.rows else None) for view in sheet.runs
    ]
