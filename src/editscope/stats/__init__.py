"""Statistics: means of a hierarchy, comparisons, ratings and agreement, as pure functions on frames."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from editscope.stats.agreement import Agreement, cohen_kappa, krippendorff_alpha, percent_agreement
    from editscope.stats.calibration import (
        Calibrated,
        CalibratedDifference,
        calibrated_difference,
        calibrated_mean,
        prediction_powered_mean,
    )
    from editscope.stats.missing import Bounds, BoundsGroup, BoundsTable, missing_bounds
    from editscope.stats.multiple import holm
    from editscope.stats.paired import Paired, PairedGroup, PairedTable, compare_rows, sign_test
    from editscope.stats.power import (
        cases_needed,
        cases_needed_for_shares,
        design_spread,
        pairs_needed_for_shares,
        smallest_difference,
    )
    from editscope.stats.rank_correlation import kendall_tau, spearman_rho
    from editscope.stats.ratings import Match, Rating, bradley_terry, elo, expected_share
    from editscope.stats.relation import Correlation, LinearFit, Relation, correlation, ols, relate
    from editscope.stats.repeats import (
        RepeatMeans,
        Spread,
        pass_at_k,
        pass_rate,
        repeat_means,
        repeat_spread,
        variance_components,
    )
    from editscope.stats.summary import summarize

__all__ = [
    "Agreement",
    "Bounds",
    "BoundsGroup",
    "BoundsTable",
    "Calibrated",
    "CalibratedDifference",
    "Correlation",
    "LinearFit",
    "Match",
    "Paired",
    "PairedGroup",
    "PairedTable",
    "Rating",
    "Relation",
    "RepeatMeans",
    "Spread",
    "bradley_terry",
    "calibrated_difference",
    "calibrated_mean",
    "cases_needed",
    "cases_needed_for_shares",
    "cohen_kappa",
    "compare_rows",
    "correlation",
    "design_spread",
    "elo",
    "expected_share",
    "holm",
    "kendall_tau",
    "krippendorff_alpha",
    "missing_bounds",
    "ols",
    "pairs_needed_for_shares",
    "pass_at_k",
    "pass_rate",
    "percent_agreement",
    "prediction_powered_mean",
    "relate",
    "repeat_means",
    "repeat_spread",
    "sign_test",
    "smallest_difference",
    "spearman_rho",
    "summarize",
    "variance_components",
]

_HOMES = {
    "agreement": (
        "Agreement",
        "cohen_kappa",
        "krippendorff_alpha",
        "percent_agreement",
    ),
    "calibration": (
        "Calibrated",
        "CalibratedDifference",
        "calibrated_difference",
        "calibrated_mean",
        "prediction_powered_mean",
    ),
    "missing": (
        "Bounds",
        "BoundsGroup",
        "BoundsTable",
        "missing_bounds",
    ),
    "multiple": ("holm",),
    "paired": (
        "Paired",
        "PairedGroup",
        "PairedTable",
        "compare_rows",
        "sign_test",
    ),
    "power": (
        "cases_needed",
        "cases_needed_for_shares",
        "design_spread",
        "pairs_needed_for_shares",
        "smallest_difference",
    ),
    "rank_correlation": ("kendall_tau", "spearman_rho"),
    "ratings": (
        "Match",
        "Rating",
        "bradley_terry",
        "elo",
        "expected_share",
    ),
    "relation": (
        "Correlation",
        "LinearFit",
        "Relation",
        "correlation",
        "ols",
        "relate",
    ),
    "repeats": (
        "RepeatMeans",
        "Spread",
        "pass_at_k",
        "pass_rate",
        "repeat_means",
        "repeat_spread",
        "variance_components",
    ),
    "summary": ("summarize",),
}


def __getattr__(name: str) -> Any:
    # A run needs means only; ratings, relations and the rest load when they are asked for.
    for module, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"editscope.stats.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
