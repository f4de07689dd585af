"""Reward of the small editor: the expected mIoU of its pixels, which gives a policy gradient over all of them.

The network is a policy: for every pixel, it predicts how likely each color and each action is. A sampled pixel is one
action among tens of thousands, so a reward for the whole picture says next to nothing about it. But mIoU is made of
counts, and the mean of a count is a sum of probabilities. So every action of every pixel is weighted by its effect on
the score, and nothing has to be sampled.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from editscope.editors.small.pictures import COLORS, OUTSIDE
from editscope.scoring.pixels import TOLERANCES
from editscope.scoring.tensors import lab, tolerance_bins
from editscope.training.small.loss import drawn_color, mapped_colors, right_colors
from editscope.training.small.network import Prediction


def expected_miou(prediction: Prediction, known: Mapping[str, Tensor]) -> Tensor:
    """The mIoU of each example on the grid, 0 to 1, if every pixel takes each action as often as the network predicts.

    The IoU at a tolerance is hits / (edited pixels + spilled pixels); both counts are means over the actions.
    """
    answer, grid = known["answer"].long().flatten(1), known["grid"].long().flatten(1)
    inside = grid != OUTSIDE
    share = prediction.choice.float().softmax(dim=1).flatten(2)
    needed = needed_tolerance(prediction, known)
    edited = ((answer != grid) & inside).to(share.dtype)
    rest = ((answer == grid) & inside).to(share.dtype)
    size = edited.sum(dim=1)
    total = torch.zeros_like(size)
    for tolerance in TOLERANCES:
        right = (share * (needed <= tolerance)).sum(dim=1)
        hits, spilled = (right * edited).sum(dim=1), ((1 - right) * rest).sum(dim=1)
        total = total + hits / (size + spilled).clamp(min=1e-6)
    return total / len(TOLERANCES)


@torch.no_grad()
def needed_tolerance(prediction: Prediction, known: Mapping[str, Tensor]) -> Tensor:
    """The lowest tolerance at which each action would make each pixel right: batch × actions × pixels.

    An action that is never right has a number beyond the last tolerance.
    """
    grid, palette = known["grid"].long(), known["palette"]
    wanted = lab(_levels(right_colors(known["answer"].long(), palette, known)))
    listed = lab(palette)
    taken = tolerance_bins([channel[:, None] for channel in wanted], [channel[:, :COLORS, None] for channel in listed])
    own = torch.where(grid == OUTSIDE, 0, grid).flatten(1)
    keep = tolerance_bins(wanted, [channel.gather(1, own) for channel in listed])
    copied = prediction.copied.long().flatten(1)
    beyond = copied == OUTSIDE
    copy = tolerance_bins(wanted, [channel.gather(1, torch.where(beyond, 0, copied)) for channel in listed])
    copy = copy.masked_fill(beyond, len(TOLERANCES))
    mapped = tolerance_bins(wanted, lab(_levels(mapped_colors(prediction.color_map, grid, palette))))
    ramped = tolerance_bins(wanted, lab(_levels(_painted_ramp(prediction, palette))))
    number = drawn_color(known).flatten(1)
    drawn = tolerance_bins(wanted, [channel.gather(1, number.clamp(min=0)) for channel in listed])
    figure = torch.where(prediction.covered.flatten(1) & (number >= 0), drawn, keep)
    return torch.cat([taken, torch.stack([keep, copy, mapped, ramped, figure], dim=1)], dim=1).to(torch.uint8)


def _painted_ramp(prediction: Prediction, palette: Tensor) -> Tensor:
    """The gradient as it is painted: between the likeliest color of each end."""
    colors = palette[:, :COLORS].float() / 255
    ends = prediction.ends.argmax(dim=2)
    first, second = (colors.gather(1, ends[:, place, None, None].expand(-1, 1, 3))[:, :, None] for place in range(2))
    return first + prediction.progress.float().clamp(0, 1)[..., None] * (second - first)


def _levels(colors: Tensor) -> Tensor:
    return (colors * 255 + 0.5).floor().clamp(0, 255).to(torch.uint8)
