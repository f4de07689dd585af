"""Constants of ΔE76: sRGB to CIE L*a*b* under D65, and the bins of distances."""

from __future__ import annotations

import numpy as np

BINS = 12
"""Bin 0: ΔE = 0. Bin k: k-1 < ΔE ≤ k. Bin 11: ΔE > 10."""

_steps = np.arange(256) / 255.0
LINEAR64 = np.where(_steps <= 0.04045, _steps / 12.92, ((_steps + 0.055) / 1.055) ** 2.4)

# sRGB to XYZ, each row divided by the D65 white point 0.95047, 1, 1.08883.
XR, XG, XB = 0.4124564 / 0.95047, 0.3575761 / 0.95047, 0.1804375 / 0.95047
YR, YG, YB = 0.2126729, 0.7151522, 0.0721750
ZR, ZG, ZB = 0.0193339 / 1.08883, 0.1191920 / 1.08883, 0.9503041 / 1.08883
KNEE = (6 / 29) ** 3
SLOPE, OFFSET = (29 / 6) ** 2 / 3, 4 / 29
