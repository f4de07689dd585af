"""The interval of a mean in the benchmarks of the small editor, from the bootstrap that runs use."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from editscope.stats.bootstrap import Floats, Hierarchy, hierarchical_bootstrap, percentile_interval


def mean_interval(values: Sequence[float] | Floats) -> tuple[float, float]:
    """The 95 % bootstrap interval of a mean."""
    rows = np.asarray(values, np.float64)[:, None]
    one_row = Hierarchy(leaf=np.zeros(len(rows), np.int64))
    _, (samples,) = hierarchical_bootstrap(rows, ["all"] * len(rows), [one_row])
    low, high = percentile_interval(samples[0])
    return float(low[0]), float(high[0])
