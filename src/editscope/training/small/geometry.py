"""Geometry of the small editor's network: places it points at, a motion, a figure, and what is copied from where."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from editscope.editors.small.painting import CORNERS, KINDS
from editscope.editors.small.pictures import CELL, CELLS, OUTSIDE, SIDE

UNIT = 64.0
"""Pixels of the grid by which a place moves if the network's output grows by 1."""
POINTER = 64
"""Numbers in the query of a pointer and in the key of what it points at."""


class Pointers(nn.Module):
    """Places that a token points at: a point that the sentence gives, or the mean place of cells of the picture."""

    def __init__(self, width: int, count: int) -> None:
        super().__init__()
        self.count = count
        self.query = nn.Linear(width, 2 * count * POINTER)
        self.in_sentence = nn.Linear(width, count)

    def forward(
        self, token: Tensor, cells: Tensor, words: Tensor, places: Tensor, named: Tensor, size: Tensor
    ) -> Tensor:
        """Places in pixels of the grid, batch × count × 2.

        ``cells`` and ``words`` are keys, ``places`` those of words that are points (``named``), in cells.
        """
        batch = token.shape[0]
        query = self.query(token).reshape(batch, 2, self.count, POINTER) / math.sqrt(POINTER)
        at = torch.arange(CELLS, device=token.device, dtype=token.dtype)
        inside = (at[None, :] * CELL < size[:, 0, None])[:, None, :] & (at[None, :] * CELL < size[:, 1, None])[
            :, :, None
        ]
        seen = (query[:, 0] @ cells.transpose(1, 2)).masked_fill(~inside.flatten(1)[:, None], -1e4).softmax(dim=2)
        seen = seen.reshape(batch, self.count, CELLS, CELLS)
        middle = (at + 0.5) * CELL
        by_picture = torch.stack([(seen.sum(dim=2) * middle).sum(dim=2), (seen.sum(dim=3) * middle).sum(dim=2)], dim=2)
        read = (query[:, 1] @ words.transpose(1, 2)).masked_fill(~named[:, None], -1e4).softmax(dim=2)
        by_sentence = read @ ((places + 0.5) * CELL)
        share = self.in_sentence(token).masked_fill(~named.any(dim=1, keepdim=True), -1e4).sigmoid()[..., None]
        both: Tensor = share * by_sentence + (1 - share) * by_picture
        return both


def copied_places(field: Tensor, number: Tensor, size: Tensor) -> tuple[Tensor, Tensor]:
    """What the offsets copy to each pixel (the number of a color, or OUTSIDE), and the place in the grid it is from."""
    batch = field.shape[0]
    x, y = source_places(field)
    column, row = x.floor().long(), y.floor().long()
    width, height = size[:, 0, None, None].long(), size[:, 1, None, None].long()
    there = (column >= 0) & (row >= 0) & (column < width) & (row < height)
    place = row.clamp(0, SIDE - 1) * SIDE + column.clamp(0, SIDE - 1)
    brought = number.flatten(1).gather(1, place.flatten(1)).reshape(batch, SIDE, SIDE)
    return brought.masked_fill(~there, OUTSIDE), place


def source_places(field: Tensor) -> tuple[Tensor, Tensor]:
    """Where each pixel of the grid is copied from, by the offsets at the middle of its cell and their slopes."""
    within = torch.arange(CELL, device=field.device, dtype=field.dtype) + 0.5 - CELL / 2
    across, down = within[None, None, None, None, :], within[None, None, :, None, None]
    parts = field[:, :, :, None, :, None]  # batch, 6, row of cells, 1, column of cells, 1
    dx, dy, a, b, d, e = (parts[:, place] for place in range(6))
    shape = (field.shape[0], SIDE, SIDE)
    x = (dx + a * across + b * down).expand(-1, CELLS, CELL, CELLS, CELL).reshape(shape)
    y = (dy + d * across + e * down).expand(-1, CELLS, CELL, CELLS, CELL).reshape(shape)
    at = torch.arange(SIDE, device=field.device, dtype=field.dtype) + 0.5
    return x + at[None, None, :], y + at[None, :, None]


def motion_field(motion: Tensor, pointed: Tensor) -> Tensor:
    """The offsets of all cells by a single map for the whole picture: ``source = q + (1 + A) (place − p)``.

    ``motion`` has the four numbers of A, then what to add to p and q in units. ``pointed`` has p and q before that.
    """
    a, b, d, e = (motion[:, place, None, None].expand(-1, CELLS, CELLS) for place in range(4))
    p, q = motion[:, 4:6] * UNIT + pointed[:, 0], motion[:, 6:8] * UNIT + pointed[:, 1]
    at = (torch.arange(CELLS, device=motion.device, dtype=motion.dtype) + 0.5) * CELL
    x, y = at[None, None, :] - p[:, 0, None, None], at[None, :, None] - p[:, 1, None, None]
    move = (q - p)[:, :, None, None]
    return torch.stack([move[:, 0] + a * x + b * y, move[:, 1] + d * x + e * y, a, b, d, e], dim=1)


def figure_of(raw: Tensor, pointed: Tensor) -> Tensor:
    """A figure in pixels of the grid: logits of its kinds, points near those pointed at, the radius of its brush."""
    points = raw[:, KINDS:-1] * UNIT + pointed.flatten(1)
    return torch.cat([raw[:, :KINDS], points, raw[:, -1:] * UNIT], dim=1)


def inside_figure(figure: Tensor) -> Tensor:
    """The pixels of the grid that a figure covers, by the same rule as painting applies to every pixel of a picture."""
    kind = figure[:, :KINDS].argmax(dim=1)
    points = figure[:, KINDS:-1].reshape(-1, CORNERS, 2)
    radius = figure[:, -1].clamp(min=0)
    at = torch.arange(SIDE, device=figure.device, dtype=figure.dtype) + 0.5
    x, y = at[None, None, :], at[None, :, None]
    px, py, qx, qy = (points[:, n // 2, n % 2, None, None] for n in range(4))
    dx, dy = qx - px, qy - py
    along = (((x - px) * dx + (y - py) * dy) / (dx * dx + dy * dy).clamp(min=1e-6)).clamp(0, 1)
    stroke = (x - px - along * dx).square() + (y - py - along * dy).square() <= radius[:, None, None].square()
    count = kind + 2
    odd = torch.zeros_like(stroke)
    for first in range(CORNERS):
        then = torch.where((first + 1 < count)[:, None], points[:, (first + 1) % CORNERS], points[:, 0])
        x0, y0 = (points[:, first, axis, None, None] for axis in range(2))
        x1, y1 = (then[:, axis, None, None] for axis in range(2))
        crosses = (y0 <= y) != (y1 <= y)
        slope = torch.where(y1 == y0, torch.ones_like(y0), y1 - y0)
        odd = odd ^ (crosses & (x < x0 + (y - y0) * (x1 - x0) / slope) & (first < count)[:, None, None])
    is_stroke = (kind == 0)[:, None, None]
    return (stroke & is_stroke) | (odd & ~is_stroke)  # ONNX Runtime chooses between numbers only
