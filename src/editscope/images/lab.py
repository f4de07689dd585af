"""Color differences: ΔE76 in CIE L*a*b* under D65, pixel by pixel."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from editscope.compiled import compiled

Bytes = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float64]

_steps = np.arange(256) / 255.0
_LINEAR = np.where(_steps <= 0.04045, _steps / 12.92, ((_steps + 0.055) / 1.055) ** 2.4)


def differences(first: Bytes, second: Bytes) -> Floats:
    """ΔE76 between the colors that stand at the same place of two arrays, whose last axis is red, green, blue.

    >>> differences(np.full((1, 1, 3), 100, np.uint8), np.full((1, 1, 3), 110, np.uint8)).round(2).tolist()
    [[4.06]]
    """
    distances = np.empty(first.shape[:-1], np.float64)
    _differences(
        np.ascontiguousarray(first).reshape(-1), np.ascontiguousarray(second).reshape(-1), distances.reshape(-1)
    )
    return distances


@compiled(inner=True)
def _curve(t: float) -> float:
    return math.pow(t, 1 / 3) if t > (6 / 29) ** 3 else t * (29 / 6) ** 2 / 3 + 4 / 29


@compiled(inner=True)
def difference(first: Bytes, second: Bytes, i: int) -> float:
    """ΔE76 between the pixels of two flat pictures that begin at byte i."""
    r, g, b = _LINEAR[first[i]], _LINEAR[first[i + 1]], _LINEAR[first[i + 2]]
    x0 = _curve((0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047)
    y0 = _curve(0.2126729 * r + 0.7151522 * g + 0.0721750 * b)
    z0 = _curve((0.0193339 * r + 0.1191920 * g + 0.9503041 * b) / 1.08883)
    r, g, b = _LINEAR[second[i]], _LINEAR[second[i + 1]], _LINEAR[second[i + 2]]
    x1 = _curve((0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047)
    y1 = _curve(0.2126729 * r + 0.7151522 * g + 0.0721750 * b)
    z1 = _curve((0.0193339 * r + 0.1191920 * g + 0.9503041 * b) / 1.08883)
    dl, da, db = 116 * (y1 - y0), 500 * (x1 - y1 - x0 + y0), 200 * (y1 - z1 - y0 + z0)
    return math.sqrt(dl * dl + da * da + db * db)


@compiled("u1[::1], u1[::1], f8[::1]")
def _differences(first: Bytes, second: Bytes, distances: Floats) -> None:
    for k in range(len(distances)):
        i = 3 * k
        same = first[i] == second[i] and first[i + 1] == second[i + 1] and first[i + 2] == second[i + 2]
        distances[k] = 0.0 if same else difference(first, second, i)
