"""PSNR and SSIM: how far pixels, and small windows of them, are apart."""

from __future__ import annotations

from collections.abc import Sequence
from math import nan

import numpy as np
import numpy.typing as npt

from editscope.images import Pixels
from editscope.scoring.classic.registry import Comparison, Loaded, Settings, library, measure, versions
from editscope.scoring.psnr import psnr

REACH = 5
"""Pixels to each side that a window of SSIM sees: a Gaussian of σ 1.5, cut at 3.5 σ."""
STRIP = 64
"""Rows that are computed at a time."""


@measure("psnr", title="PSNR", unit="dB")
def load_psnr(settings: Settings) -> Loaded:
    """Peak signal-to-noise ratio over all that counts; 100 dB for equal pictures."""

    def compare(batch: Sequence[Comparison]) -> list[float]:
        return [round(psnr(pair.first, pair.second, pair.keep), 4) for pair in batch]

    return Loaded(compare)


@measure("ssim", title="SSIM", libraries=("torch", "torchmetrics"))
def load_ssim(settings: Settings) -> Loaded:
    """Structural similarity of torchmetrics with its defaults, mean of the map over all that counts."""

    def compare(batch: Sequence[Comparison]) -> list[float]:
        return [round(_ssim(pair, settings.device), 6) for pair in batch]

    return Loaded(compare, versions("torch", "torchmetrics"))


def _ssim(pair: Comparison, device: str) -> float:
    if min(pair.first.shape[:2]) <= REACH or (pair.keep is not None and not pair.keep.any()):
        return nan
    # Filled, so that windows across the border do not see what was asked for.
    similarity = ssim_map(pair.filled(), pair.second, device)
    kept = similarity if pair.keep is None else similarity[pair.keep]
    return float(kept.mean(dtype=np.float64))


def ssim_map(first: Pixels, second: Pixels, device: str = "") -> npt.NDArray[np.float32]:
    """SSIM at every pixel and channel, height × width × 3, on the range [0, 1] of values.

    Where the windows of both pictures are equal it is 1, so only what lies near a difference is computed; and that
    in strips, which fit the processor's cache.
    """
    height, width = first.shape[:2]
    found = np.ones((height, width, 3), np.float32)
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
        found[top:bottom, left:right] = inner[
            top - rows.start : bottom - rows.start, left - columns.start : right - columns.start
        ]
    return found


def _torchmetrics_map(first: Pixels, second: Pixels, device: str) -> npt.NDArray[np.float32]:
    torch = library("torch")
    image = library("torchmetrics.functional.image")

    def tensor(pixels: Pixels) -> object:
        values = torch.from_numpy(np.array(pixels, np.float32) / np.float32(255))
        # Channels last in memory, as they come: more than twice as fast as planes.
        moved = values.permute(2, 0, 1)[None]
        return moved.to(device) if device else moved

    _, found = image.structural_similarity_index_measure(
        tensor(first), tensor(second), data_range=1.0, return_full_image=True
    )
    result: npt.NDArray[np.float32] = found[0].permute(1, 2, 0).cpu().numpy()
    return result
