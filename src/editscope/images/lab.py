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


def differences(one: Bytes, two: Bytes) -> Floats:
    """ΔE76 between the colors that stand at the same place of two arrays, whose last axis is red, green, blue.

    >>> differences(np.full((1, 1, 3), 100, np.uint8), np.full((1, 1, 3), 110, np.uint8)).round(2).tolist()
    [[4.06]]
    """
    found = np.empty(one.shape[:-1], np.float64)
    _differences(np.ascontiguousarray(one).reshape(-1), np.ascontiguousarray(two).reshape(-1), found.reshape(-1))
    return found


@compiled()
def _curve(t: float) -> float:
    return math.pow(t, 1 / 3) if t > (6 / 29) ** 3 else t * (29 / 6) ** 2 / 3 + 4 / 29


@compiled()
def difference(one: Bytes, two: Bytes, i: int) -> float:
    """ΔE76 between the pixels of two flat pictures that begin at byte i."""
    r, g, b = _LINEAR[one[i]], _LINEAR[one[i + 1]], _LINEAR[one[i + 2]]
    x0 = _curve((0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047)
    y0 = _curve(0.2126729 * r + 0.7151522 * g + 0.0721750 * b)
    z0 = _curve((0.0193339 * r + 0.1191920 * g + 0.9503041 * b) / 1.08883)
    r, g, b = _LINEAR[two[i]], _LINEAR[two[i + 1]], _LINEAR[two[i + 2]]
    x1 = _curve((0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047)
    y1 = _curve(0.2126729 * r + 0.7151522 * g + 0.0721750 * b)
    z1 = _curve((0.0193339 * r + 0.1191920 * g + 0.9503041 * b) / 1.08883)
    dl, da, db = 116 * (y1 - y0), 500 * (x1 - y1 - x0 + y0), 200 * (y1 - z1 - y0 + z0)
    return math.sqrt(dl * dl + da * da + db * db)


@compiled()
def _differences(one: Bytes, two: Bytes, found: Floats) -> None:
    for k in range(len(found)):
        i = 3 * k
        same = one[i] == two[i] and one[i + 1] == two[i + 1] and one[i + 2] == two[i + 2]
        found[k] = 0.0 if same else difference(one, two, i)
