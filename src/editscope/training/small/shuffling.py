"""Orders that follow from a number alone."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def shuffled_places(count: int, seed: int) -> npt.NDArray[np.int64]:
    """The places 0 … count − 1 in an order of their own."""
    return np.random.default_rng(seed).permutation(count)
