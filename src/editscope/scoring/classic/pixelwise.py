"""PSNR and SSIM: how far pixels, and small windows of them, are apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import nan

import numpy as np
import numpy.typing as npt

from editscope.images import Pixels
from editscope.scoring.classic.metric import ImagePair, Metric, MetricSettings, library, versions
from editscope.scoring.psnr import psnr

REACH = 5
"""Pixels to each side that a window of SSIM sees: a Gaussian of σ 1.5, cut at 3.5 σ."""
STRIP = 64
"""Rows that are computed at a time."""


class Psnr(Metric):
    """Peak signal-to-noise ratio over all that counts; 100 dB for equal pictures."""

    name, label, unit = "psnr", "PSNR", "dB"

    def measure_batch(self, pairs: Sequence[ImagePair]) -> list[float]:
        """The values to four digits."""
        return [round(psnr(pair.output, pair.reference, pair.keep), 4) for pair in pairs]


class Ssim(Metric):
    """Structural similarity of torchmetrics with its defaults, mean of the map over all that counts."""

    name, label = "ssim", "SSIM"
    libraries = ("torch", "torchmetrics")
    device = ""

    def load(self, settings: MetricSettings) -> None:
        """Choose the device."""
        self.device = settings.device

    def made_with(self) -> Mapping[str, str]:
        """The versions of its libraries."""
        return versions(*self.libraries)

    def measure_batch(self, pairs: Sequence[ImagePair]) -> list[float]:
        """The values to six digits; NaN for a picture that is smaller than a window."""
        return [round(_ssim(pair, self.device), 6) for pair in pairs]


def _ssim(pair: ImagePair, device: str) -> float:
    if min(pair.output.shape[:2]) <= REACH or pair.empty:
        return nan
    # Filled, so that windows across the border do not see what was asked for.
    similarity = ssim_map(pair.filled(), pair.reference, device)
    values = similarity if pair.keep is None else similarity[pair.keep]
    return float(values.mean(dtype=np.float64))


def ssim_map(first: Pixels, second: Pixels, device: str = "") -> npt.NDArray[np.float32]:
    """SSIM at every pixel and channel, height × width × 3, on the range [0, 1] of values.

    Where the windows of both pictures are equal it is 1, so only what lies near a difference is computed; and that
    in strips, which fit the processor's cache.
    """
    height, width = first.shape[:2]
    similarity = np.ones((height, width, 3), np.float32)
    differs = (first != second).any(axis=2)
    for top in range(0, height, STRIP):
        bottom = min(top + STRIP, height)
        rows = slice(max(0, top - REACH), min(height, bottom + REACH))
        changed = np.flatnonzero(differs[rows].any(axis=0))
        if not changed.size:
            continue
        # A window sees a difference from 5 pixels away, and 5 more keep the padding of the cut out of sight.
        left, right = max(0, int(changed[0]) - REACH), min(width, int(changed[-1]) + 1 + REACH)
        columns = slice(max(0, left - REACH), min(width, right + REACH))
        inner = _torchmetrics_map(first[rows, columns], second[rows, columns], device)
        similarity[top:bottom, left:right] = inner[
            top - rows.start : bottom - rows.start, left - columns.start : right - columns.start
        ]
    return similarity


def _torchmetrics_map(first: Pixels, second: Pixels, device: str) -> npt.NDArray[np.float32]:
    torch = library("torch")
    image = library("torchmetrics.functional.image")

    def tensor(pixels: Pixels) -> object:
        values = torch.from_numpy(np.array(pixels, np.float32) / np.float32(255))
        # Channels last in memory, as they come: more than twice as fast as planes.
        moved = values.permute(2, 0, 1)[None]
        return moved.to(device) if device else moved

    _, similarity = image.structural_similarity_index_measure(
        tensor(first), tensor(second), data_range=1.0, return_full_image=True
    )
    result: npt.NDArray[np.float32] = similarity[0].permute(1, 2, 0).cpu().numpy()
    return result
