"""The compiled loop behind resamples of large runs."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from editscope.compiled import compiled


@compiled("u4[::1], f8[:, ::1]")
def count_draws(bits: npt.NDArray[np.uint32], counts: npt.NDArray[np.float64]) -> None:
    """Add to rows of zeros how often each position is drawn: ``(u * size) >> 32`` of each 32-bit number ``u``."""
    rows, size = counts.shape
    for row in range(rows):
        start = row * size
        for i in range(size):
            counts[row, (np.uint64(bits[start + i]) * np.uint64(size)) >> np.uint64(32)] += 1.0
