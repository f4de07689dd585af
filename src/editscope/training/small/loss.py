"""Loss of the small editor: how likely its pixels are right, and how far off its offsets, maps and gradients are."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor
from torch.nn import functional

from editscope.editors.small.painting import COPY, CORNERS, FIGURE, KEEP, KINDS, LUMA, MAP, RAMP
from editscope.editors.small.pictures import CELL, COLORS, OUTSIDE, SIDE
from editscope.training.small.examples import RAMP as RAMP_CODE
from editscope.training.small.network import Prediction

SOFT = 0.03
"""The difference to the right color, as a share of the whole scale, at which a color counts 1/e as much."""
LEAST = 48.0
"""Pixels that are added to the size of an edit, so that the smallest edits do not outweigh all others."""


def losses(prediction: Prediction, known: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The parts of the loss, each a number for every example of the batch.

    The probability of a pixel's right color is the sum over all ways to get it: take that color, keep the color if it
    is the right one, copy it from where the offsets point, map it, be part of a gradient or of the figure.
    """
    answer, grid, palette = known["answer"].long(), known["grid"].long(), known["palette"]
    inside = grid != OUTSIDE
    share = prediction.choice.float().log_softmax(dim=1)
    actions = share[:, COLORS:].exp()
    numbered = inside & (answer < COLORS)
    taken = share[:, :COLORS].gather(1, torch.where(numbered, answer, 0)[:, None])[:, 0].exp() * numbered
    right = taken + actions[:, KEEP] * (answer == grid) + actions[:, COPY] * (answer == prediction.copied)
    wanted = right_colors(answer, palette, known)
    right = right + actions[:, MAP] * _likeness(mapped_colors(prediction.color_map, grid, palette), wanted)
    right = right + actions[:, RAMP] * _likeness(_ramped(prediction, palette), wanted)
    right = right + actions[:, FIGURE] * torch.where(prediction.covered, answer == drawn_color(known), answer == grid)
    surprise = -(right + 1e-6).log() * inside
    changed = (answer != grid) & inside
    edited = changed.sum(dim=(1, 2)).float()
    weight = 1.0 / (edited + LEAST)
    return {
        "changed": (surprise * changed).sum(dim=(1, 2)) * weight,
        "kept": (surprise * ~changed).sum(dim=(1, 2)) * weight,
        **_parts(prediction, known, answer),
    }


def _parts(prediction: Prediction, known: Mapping[str, Tensor], answer: Tensor) -> dict[str, Tensor]:
    """How far off the parts are that make up an answer."""
    weight = known["field_weight"].float()
    single = known["one_motion"].float()
    taught = torch.where(single[:, None, None, None] > 0, prediction.motion, prediction.own_field)
    off = (taught - known["field"].permute(0, 3, 1, 2)).abs()
    off = torch.cat([off[:, :2], off[:, 2:] * CELL], dim=1)
    cells = weight.sum(dim=(1, 2))
    field = (_far(off).mean(dim=1) * weight).sum(dim=(1, 2)) / cells.clamp(min=1)
    one_motion = functional.binary_cross_entropy_with_logits(prediction.one_motion[:, 0], single, reduction="none")
    mapped = known["color_map"]
    color_map = ((prediction.color_map - mapped[:, :5]).abs() * 20).log1p().mean(dim=1) * mapped[:, 5]
    ramp = known["ramp"]
    has = ramp[:, 5]
    pixels = (answer == RAMP_CODE).float()
    progress = (((prediction.progress - progress_of(ramp)).abs() * 20).log1p() * pixels).sum(dim=(1, 2))
    ends = functional.cross_entropy(
        prediction.ends.float().flatten(0, 1), ramp[:, 3:5].long().flatten(), reduction="none"
    )
    return {
        "field": field,
        "one_motion": one_motion * (cells > 0),
        "figure": _figure_off(prediction.figure, known["figure"]),
        "color_map": color_map,
        "progress": progress / pixels.sum(dim=(1, 2)).clamp(min=1),
        "ends": ends.reshape(-1, 2).mean(dim=1) * has,
    }


def _far(off: Tensor) -> Tensor:
    """The cost of an error in pixels: flat at 0, so that values that are often 0 are not stuck there."""
    return (1 + (off / 8).square()).sqrt() - 1 + 0.15 * off.square().log1p()


def _figure_off(prediction: Tensor, figure: Tensor) -> Tensor:
    """How far off a figure is: its kind, its points, and the radius of its brush."""
    kind, has = figure[:, 0].long(), figure[:, -1]
    named = functional.cross_entropy(prediction[:, :KINDS], kind, reduction="none")
    off = _far((prediction[:, KINDS:] - figure[:, 1:-1]).abs())
    count = torch.where(kind == 0, 2, kind + 2)[:, None]
    used = (torch.arange(2 * CORNERS, device=prediction.device)[None] < 2 * count).to(off.dtype)
    points = (off[:, :-1] * used).sum(dim=1) / (2 * count[:, 0])
    return (named + points + off[:, -1] * (kind == 0)) * has


def drawn_color(known: Mapping[str, Tensor]) -> Tensor:
    """The number of the color that the sentence names first, which figures are drawn in; −1 if it names none."""
    first = known["marks"] == 1
    number = torch.where(first.any(dim=1), first.to(torch.int64).argmax(dim=1), -1)
    return number[:, None, None]


def progress_of(ramp: Tensor) -> Tensor:
    """The position of each pixel of the grid in the gradient of its example, 0 to 1."""
    at = torch.arange(SIDE, device=ramp.device) + 0.5
    x, y = at[None, None, :], at[None, :, None]
    return (ramp[:, 0, None, None] * x + ramp[:, 1, None, None] * y + ramp[:, 2, None, None]).clamp(0, 1)


def right_colors(answer: Tensor, palette: Tensor, known: Mapping[str, Tensor]) -> Tensor:
    """The right color of every pixel, on a scale from 0 to 1."""
    colors = palette.float() / 255
    number = answer.clamp(max=palette.shape[1] - 1)
    flat = colors.gather(1, number.flatten(1)[..., None].expand(-1, -1, 3)).reshape(*answer.shape, 3)
    ramp = known["ramp"]
    first, second = (_numbered(colors, ramp[:, place].long()) for place in (3, 4))
    along = progress_of(ramp)[..., None]
    ramped = first + along * (second - first)
    return torch.where((answer == RAMP_CODE)[..., None], ramped, flat)


def mapped_colors(numbers: Tensor, grid: Tensor, palette: Tensor) -> Tensor:
    """The color of every pixel after the color map."""
    colors = palette[:, :COLORS].float() / 255
    gray = (colors * torch.tensor(LUMA, device=colors.device)).sum(dim=2, keepdim=True)
    new = numbers[:, None, 0:1] * colors + numbers[:, None, 1:2] * gray + numbers[:, None, 2:5]
    new = new.clamp(0, 1)
    number = torch.where(grid == OUTSIDE, 0, grid).flatten(1)
    return new.gather(1, number[..., None].expand(-1, -1, 3)).reshape(*grid.shape, 3)


def _ramped(prediction: Prediction, palette: Tensor) -> Tensor:
    """The color of every pixel in the predicted gradient."""
    colors = palette[:, :COLORS].float() / 255
    first, second = torch.einsum("bek,bkc->bec", prediction.ends.float().softmax(dim=2), colors).unbind(dim=1)
    along = prediction.progress.clamp(0, 1)[..., None]
    return first[:, None, None] + along * (second - first)[:, None, None]


def _likeness(color: Tensor, wanted: Tensor) -> Tensor:
    return (-(color - wanted).abs().amax(dim=3) / SOFT).exp()


def _numbered(colors: Tensor, number: Tensor) -> Tensor:
    picked = colors.gather(1, number[:, None, None].expand(-1, 1, 3))[:, 0]
    return picked[:, None, None]


WEIGHTS: Mapping[str, float] = {
    "changed": 1.0,
    "kept": 1.0,
    "field": 0.4,
    "one_motion": 0.1,
    "figure": 0.2,
    "color_map": 0.3,
    "progress": 0.3,
    "ends": 0.1,
}


def total(parts: Mapping[str, Tensor]) -> Tensor:
    """The loss of a batch on its lessons."""
    taught = (WEIGHTS[name] * value.mean() for name, value in parts.items() if name in WEIGHTS)
    return sum(taught, start=torch.zeros(()).to(parts["kept"]))
