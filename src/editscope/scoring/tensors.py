"""Pixel scores of whole batches with PyTorch, where the pictures are: on a GPU, nothing but counts leaves it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from editscope.images import HALF_A_LEVEL, MAX_PIXELS, Layout, cover_places, picture_layout
from editscope.scoring._lab import BINS, KNEE, LINEAR64, OFFSET, SLOPE, XB, XG, XR, YB, YG, YR, ZB, ZG, ZR
from editscope.scoring.pixels import TOLERANCES, PixelScore

if TYPE_CHECKING:
    import torch

Tensors: TypeAlias = "tuple[torch.Tensor, torch.Tensor, torch.Tensor]"

PIXELS_AT_ONCE = 1 << 22
"""Pixels whose L*a*b* are in memory together: about 150 bytes for each."""

SAME = 5e-4
"""No two colors are that near; what is less comes of rounding."""


def on_one_gpu(batches: Mapping[str, Any], layout: Layout | None) -> Tensors | None:
    """Inputs, answers and outputs as N × height × width × 3, on the GPU that has one of them; else None.

    The others may be NumPy arrays or tensors elsewhere. None also stands for what the way over the CPU has to handle:
    lists, gray pictures and alpha, other types, values outside 0 … 1, sizes that do not agree.
    """
    given = list(batches.values())
    devices = {str(batch.device) for batch in given if _is_tensor(batch) and batch.device.type == "cuda"}
    return as_levels(given, layout, devices.pop()) if len(devices) == 1 else None


def as_levels(batches: list[Any], layout: Layout | None, device: str) -> Tensors | None:
    """The batches as uint8 tensors on a device, channels last; None where they are not plain RGB pictures."""
    import torch

    if layout not in (None, "hwc", "chw"):
        return None
    if not all(_is_tensor(batch) or isinstance(batch, np.ndarray) for batch in batches):
        return None
    if any(batch.ndim != 4 or 0 in batch.shape for batch in batches):
        return None
    tensors = []
    for batch in batches:
        tensor = _is_tensor(batch)
        first = (layout or picture_layout(batch.shape[1:], tensor)) == "chw"
        values = batch.detach() if tensor else _from_numpy(batch)
        if values is None or not (values.dtype == torch.uint8 or values.is_floating_point()):
            return None
        values = values.to(device)
        values = values.movedim(1, -1) if first else values
        levels = _levels(values) if values.shape[-1] == 3 else None
        if levels is None:
            return None
        tensors.append(levels)
    before, answer, output = tensors
    sizes_agree = before.shape == answer.shape and len(answer) == len(output)
    small = max(answer[0, :, :, 0].numel(), output[0, :, :, 0].numel()) <= MAX_PIXELS
    return (before, answer, output) if sizes_agree and small else None


def score_tensors(before: torch.Tensor, answer: torch.Tensor, output: torch.Tensor) -> list[PixelScore]:
    """The scores of batches of N × height × width × 3, uint8, on one device: those of ``score_pixels``.

    ΔE is float64 throughout. An output of another size is fitted as ``cover`` does.

    >>> import torch
    >>> before = torch.zeros(1, 2, 2, 3, dtype=torch.uint8)
    >>> after = before.clone(); after[0, 0] = 255
    >>> score_tensors(before, after, before)[0].miou
    0.0
    """
    height, width = answer.shape[1:3]
    size = (output.shape[2], output.shape[1])
    resized = size != (width, height)
    if resized:
        import torch

        rows, columns = (torch.from_numpy(places).to(output.device) for places in cover_places(size, width, height))
        output = output.index_select(1, rows).index_select(2, columns)
    step = max(1, PIXELS_AT_ONCE // (height * width))
    parts = [
        _histograms(*(batch[start : start + step] for batch in (before, answer, output)))
        for start in range(0, len(answer), step)
    ]
    counts = np.concatenate([part.cpu().numpy() for part in parts])
    return _scores(counts, resized=resized, output_size=size)


def _histograms(before: torch.Tensor, answer: torch.Tensor, output: torch.Tensor) -> torch.Tensor:
    """The histograms of ``_kernels.grade``, three rows of bins for each picture."""
    import torch

    number, pixels = len(answer), answer.shape[1] * answer.shape[2]
    colors = lab(output)
    to_answer = tolerance_bins(colors, lab(answer))
    to_before = tolerance_bins(colors, lab(before))
    del colors
    kept = (before == answer).all(dim=-1).reshape(number, pixels)
    rows = torch.arange(number, device=answer.device).unsqueeze(1) * (3 * BINS)
    places = torch.stack((rows + kept * BINS + to_answer, rows + 2 * BINS + to_before))
    return torch.bincount(places.reshape(-1), minlength=number * 3 * BINS).reshape(number, 3, BINS)


def lab(levels: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """L* + 16, a* and b* of each pixel, pictures × pixels, in float64."""
    import torch

    table = torch.from_numpy(LINEAR64).to(levels.device)
    red, green, blue = table[levels.reshape(len(levels), -1, 3).int()].unbind(-1)
    fx = _curve(XR * red + XG * green + XB * blue)
    fy = _curve(YR * red + YG * green + YB * blue)
    fz = _curve(ZR * red + ZG * green + ZB * blue)
    return 116 * fy, 500 * (fx - fy), 200 * (fy - fz)


def _curve(x: torch.Tensor) -> torch.Tensor:
    import torch

    return torch.where(x > KNEE, x.pow(1 / 3), x * SLOPE + OFFSET)


def tolerance_bins(one: Sequence[torch.Tensor], two: Sequence[torch.Tensor]) -> torch.Tensor:
    """The least whole tolerance that two colors are within, from their ``lab``; the last bin is for all beyond."""
    lightness, a, b = ((first - second).square_() for first, second in zip(one, two, strict=True))
    distance = (lightness + a + b).sqrt_()
    return distance.masked_fill_(distance < SAME, 0).ceil_().clamp_(max=BINS - 1).long()


def _scores(counts: npt.NDArray[np.int64], *, resized: bool, output_size: tuple[int, int]) -> list[PixelScore]:
    totals = counts.sum(axis=2)
    within = counts.cumsum(axis=2)[:, :, : len(TOLERANCES)]
    beyond = totals[:, :, None] - within
    rows = zip(totals.tolist(), within[:, 0].tolist(), beyond[:, 1].tolist(), beyond[:, 2].tolist(), strict=True)
    return [
        PixelScore(edit, rest, tuple(hits), tuple(spilled), tuple(changed), resized, output_size)
        for (edit, rest, _), hits, spilled, changed in rows
    ]


def _levels(values: torch.Tensor) -> torch.Tensor | None:
    """Values as 8 bits, as ``images.quantized`` makes them; None where some lie outside 0 … 1 or are NaN."""
    import torch

    if values.dtype == torch.uint8:
        return values
    if values.element_size() < 4:
        values = values.float()
    low, high = (float(end) for end in values.aminmax())
    if not (low > -HALF_A_LEVEL and high < 1 + HALF_A_LEVEL):
        return None
    return (values * 255).round_().clamp_(0, 255).to(torch.uint8)


def _from_numpy(array: npt.NDArray[Any]) -> torch.Tensor | None:
    import torch

    if array.dtype not in (np.uint8, np.float16, np.float32, np.float64) or not array.dtype.isnative:
        return None
    ready = array.flags.c_contiguous and array.flags.writeable
    return torch.from_numpy(array if ready else np.array(array, order="C"))


def _is_tensor(batch: Any) -> bool:
    return hasattr(batch, "detach") and hasattr(batch, "movedim") and hasattr(batch, "device")
