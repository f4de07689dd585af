"""Network of the small editor: a transformer over cells, words and colors, and a decoder that decides every pixel."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from editscope.editors.small.painting import ACTIONS, CORNERS, KEEP, NUMBERS
from editscope.editors.small.pictures import CELL, CELLS, COLORS, OUTSIDE, SIDE
from editscope.editors.small.sentences import CODES, NUMBER, TOKENS, word_tokens
from editscope.training.small.geometry import (
    POINTER,
    UNIT,
    Pointers,
    copied_places,
    figure_of,
    inside_figure,
    motion_field,
)
from editscope.training.small.layers import Block, ConvBlock, ConvStage, UpStage
from editscope.training.small.settings import NetworkSettings

PICKED = 2
"""Numbers of each pixel that are copied with it, so that the copy knows what it is a part of."""
FREQUENCIES = 12
QUERY = 32
"""Numbers in the query of a pixel and in the key of a color."""


@dataclass(frozen=True, slots=True)
class Prediction:
    """What the network predicts for a batch of B pictures.

    ``choice`` has the logits of the colors and then of the actions, B × 21 × 256 × 256; ``field`` the offsets of cells,
    B × 6 × 32 × 32; ``progress`` the position of each pixel in a gradient, B × 256 × 256; ``color_map`` its five
    numbers; ``ends`` the logits of the two colors of a gradient, B × 2 × 16; ``figure`` the 15 numbers of a figure.
    """

    choice: Tensor
    field: Tensor
    progress: Tensor
    color_map: Tensor
    ends: Tensor
    figure: Tensor
    copied: Tensor
    """The color that the offsets copy to each pixel, as its number, B × 256 × 256."""
    covered: Tensor
    """The pixels that the figure covers."""
    own_field: Tensor
    """Offsets that each cell predicts on its own, for lessons with several motions."""
    motion: Tensor
    """Offsets by a single motion for all cells."""
    one_motion: Tensor
    """Logit that the single motion applies. ``field`` is either ``motion`` or ``own_field``."""


class SmallNetwork(nn.Module):
    """The network. Its inputs are those arrays of ``examples.example_of`` that an editor knows, too."""

    def __init__(self, settings: NetworkSettings) -> None:
        super().__init__()
        self.settings = settings
        d, fine = settings.width, settings.fine
        self.words = nn.Embedding(settings.words, d)
        self.value = nn.Linear(2 * FREQUENCIES + 2, d)
        self.height = nn.Linear(2 * FREQUENCIES + 2, d)
        self.word_place = nn.Parameter(torch.randn(TOKENS, d) * 0.02)
        self.color = nn.Linear(3 + CODES + 1, d)
        self.point_signs = _point_signs()
        self.registers = nn.Parameter(torch.randn(settings.registers, d) * 0.02)
        self.kinds = nn.Parameter(torch.randn(4, d) * 0.02)
        self.stem2 = ConvStage(4 * 9, fine, 1)
        self.stem4 = ConvStage(fine, 2 * fine, 2)
        self.cells = nn.Conv2d(2 * fine, d, 2, stride=2)
        self.cell_place = nn.Parameter(torch.randn(CELLS * CELLS, d) * 0.02)
        self.blocks = nn.ModuleList(Block(d, settings.heads) for _ in range(settings.layers))
        self.norm = nn.RMSNorm(d)
        self.offsets = nn.Linear(d, 6)
        self.motion = nn.Sequential(nn.Linear(d, d), nn.GELU(), nn.Linear(d, 8))
        self.one_motion = nn.Linear(d, 1)
        self.cell_keys, self.word_keys = nn.Linear(d, POINTER), nn.Linear(d, POINTER)
        self.motion_points, self.figure_points = Pointers(d, 2), Pointers(d, CORNERS)
        self.figure = nn.Sequential(nn.Linear(d, d), nn.GELU(), nn.Linear(d, NUMBERS))
        self.color_map = nn.Sequential(nn.Linear(d, d), nn.GELU(), nn.Linear(d, 5))
        self.ends = nn.Linear(d, 2 * 64)
        self.end_keys = nn.Linear(d, 64)
        self.keys = nn.Linear(d, QUERY)
        self.up4 = UpStage(d, 2 * fine)
        self.up2 = UpStage(2 * fine, fine)
        self.picked = nn.Conv2d(fine, 4 * PICKED, 1)
        self.seen_copy = ConvStage(4 * (5 + PICKED), fine, 1)
        self.join = nn.Conv2d(2 * fine, fine, 1)
        self.last = ConvBlock(fine)
        self.query = nn.Conv2d(fine, 4 * QUERY, 1)
        self.actions = nn.Conv2d(fine, 4 * ACTIONS, 1)
        self.progress = nn.Conv2d(fine, 4, 1)
        self.turns: Tensor
        self.register_buffer("turns", _turns(d // settings.heads), persistent=False)
        self._start()

    def _start(self) -> None:
        """Set the weights so that the untrained editor changes nothing."""
        start: Tensor
        ends = (self.offsets, self.actions, self.motion[-1], self.figure[-1])
        for start in (value for end in ends for value in end.parameters()):
            nn.init.zeros_(start)
        with torch.no_grad():
            keep: Any = self.actions.bias
            keep[4 * KEEP : 4 * KEEP + 4] = 8.0
        block: Any
        for block in self.blocks:
            nn.init.zeros_(block.out.weight)
            nn.init.zeros_(block.down.weight)

    def forward(
        self, grid: Tensor, palette: Tensor, marks: Tensor, tokens: Tensor, values: Tensor, size: Tensor
    ) -> Prediction:
        """Decide what to do with every pixel."""
        x, turn, wanted, fine2, fine4 = self.read(grid, palette, marks, tokens, values, size)
        for block in self.blocks:
            x = block(x, turn, wanted)
        return self.decide(x, fine2, fine4, grid, palette, marks, tokens, values, size)

    def read(
        self, grid: Tensor, palette: Tensor, marks: Tensor, tokens: Tensor, values: Tensor, size: Tensor
    ) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
        """Tokens of cells, words, colors and registers, their places, which are used, and the stem's features."""
        batch = grid.shape[0]
        colors = _colors(palette)
        number, inside = _known(grid)
        rgb = _painted(colors, number) * inside[:, None]
        full = torch.cat([rgb, inside[:, None], _coordinates(size, inside)], dim=1)
        fine2 = self.stem2(functional.pixel_unshuffle(full, 2))
        fine4 = self.stem4(fine2)
        cells = self.cells(fine4).flatten(2).transpose(1, 2) + self.cell_place + self.kinds[0]
        places, points = self.points(tokens, values, size)
        words = self.sentence(tokens.long(), values.float(), places, points)
        named = functional.one_hot(marks.long().clamp(max=CODES), CODES + 1).to(colors.dtype)
        hues = self.color(torch.cat([colors, named], dim=2)) + self.kinds[2]
        registers = (self.registers + self.kinds[3]).expand(batch, -1, -1)
        wanted = torch.cat(
            [
                torch.ones(batch, CELLS * CELLS, dtype=torch.bool, device=grid.device),
                tokens != 0,
                marks != OUTSIDE,
                torch.ones(batch, self.settings.registers, dtype=torch.bool, device=grid.device),
            ],
            dim=1,
        )
        x = torch.cat([part.to(fine4.dtype) for part in (cells, words, hues, registers)], dim=1)
        turn = torch.cat(
            [_cell_places(batch, grid.device), places, places.new_zeros(batch, x.shape[1] - CELLS * CELLS - TOKENS, 2)],
            dim=1,
        )
        angles = (turn[..., None] * self.turns).flatten(2)
        turn = torch.stack([angles.cos(), angles.sin()])[:, :, None]
        return x * wanted[..., None].to(x.dtype), turn, wanted, fine2, fine4

    def points(self, tokens: Tensor, values: Tensor, size: Tensor) -> tuple[Tensor, Tensor]:
        """The places of the tokens of a sentence, in cells, and which of them are points.

        The first number of a point such as (29.8%, 87%) has that place; all other tokens are at 0.
        """
        known = functional.pad(tokens.long(), (1, 5))
        point = torch.ones_like(tokens, dtype=torch.bool)
        for offset, wanted in enumerate(self.point_signs):
            point = point & (known[:, offset : offset + TOKENS] == wanted)
        both = torch.stack([values.float(), functional.pad(values.float(), (0, 3))[:, 3:]], dim=2)
        place = (both / 100 * size[:, None].float() / CELL - 0.5).clamp(-1, CELLS)
        return place * point[..., None], point

    def sentence(self, tokens: Tensor, values: Tensor, places: Tensor, points: Tensor) -> Tensor:
        """Tokens of words. The first number of a point also has the second one, and the embedding of its cell."""
        at = torch.arange(CELLS, device=tokens.device, dtype=places.dtype)
        column, row = ((1 - (places[..., axis, None] - at).abs()).clamp(min=0) for axis in range(2))
        near = (row[..., :, None] * column[..., None, :]).flatten(2) * points[..., None]
        height = functional.pad(values, (0, 3))[:, 3:]
        words = self.words(tokens) + self.value(_features(values)) + self.word_place + self.kinds[1]
        located: Tensor = words + self.height(_features(height)) * points[..., None] + near @ self.cell_place
        return located

    def decide(
        self,
        x: Tensor,
        fine2: Tensor,
        fine4: Tensor,
        grid: Tensor,
        palette: Tensor,
        marks: Tensor,
        tokens: Tensor,
        values: Tensor,
        size: Tensor,
    ) -> Prediction:
        """The prediction for every pixel, from the tokens after the last block."""
        batch = grid.shape[0]
        colors = _colors(palette)
        number, _ = _known(grid)
        x = self.norm(x)
        cells, words, hues, registers = torch.split(x, [CELLS * CELLS, TOKENS, COLORS, self.settings.registers], dim=1)
        shapes = self._shapes(batch, cells, words, registers, tokens, values, size)
        copied, place = copied_places(shapes["field"].detach(), number, size)
        covered = inside_figure(shapes["figure"].detach())
        plane = cells.transpose(1, 2).reshape(batch, -1, CELLS, CELLS)
        plane = self.up2(self.up4(plane, fine4), fine2)
        plane = self.last(self.join(torch.cat([plane, self._beside(plane, colors, copied, place, covered)], dim=1)))
        pixels = self._pixels(batch, plane, hues, registers, marks)
        return Prediction(**shapes, **pixels, copied=copied, covered=covered)

    def _shapes(
        self, batch: int, cells: Tensor, words: Tensor, registers: Tensor, tokens: Tensor, values: Tensor, size: Tensor
    ) -> dict[str, Tensor]:
        """Offsets of cells, the figure, and the numbers of a gradient.

        ``batch`` is handed on, since ONNX would get another size of the batch from another tensor.
        """
        # Places and colors need more digits than bf16 has.
        with torch.autocast(cells.device.type, enabled=False):
            own_field = self.offsets(cells.float()).transpose(1, 2).reshape(batch, 6, CELLS, CELLS)
            own_field = torch.cat([own_field[:, :2] * UNIT, own_field[:, 2:]], dim=1)
            color_map = self.color_map(registers[:, 0].float())
            moves, draws = registers[:, 2].float(), registers[:, 3].float()
            keys = (
                self.cell_keys(cells.float()),
                self.word_keys(words.float()),
                *self.points(tokens, values, size),
                size,
            )
            motion = motion_field(self.motion(moves), self.motion_points(moves, *keys))
            figure = figure_of(self.figure(draws), self.figure_points(draws, *keys))
            one_motion = self.one_motion(registers[:, 4].float())
        field = torch.where((one_motion > 0)[:, :, None, None], motion, own_field)
        return {
            "field": field,
            "own_field": own_field,
            "motion": motion,
            "one_motion": one_motion,
            "figure": figure,
            "color_map": color_map,
        }

    def _pixels(self, batch: int, plane: Tensor, hues: Tensor, registers: Tensor, marks: Tensor) -> dict[str, Tensor]:
        """The choice of every pixel, its position in a gradient, and the colors at the ends of the gradient."""
        listed = (marks != OUTSIDE)[..., None]
        queries = functional.pixel_shuffle(self.query(plane), 2)
        taken = torch.einsum("bchw,bkc->bkhw", queries, self.keys(hues)) / math.sqrt(QUERY)
        taken = taken.masked_fill(~listed[..., None], -1e4)
        with torch.autocast(plane.device.type, enabled=False):
            progress = functional.pixel_shuffle(self.progress(plane.float()), 2)[:, 0]
        ends = self.ends(registers[:, 1]).reshape(batch, 2, 64)
        pointed = torch.einsum("bec,bkc->bek", ends, self.end_keys(hues)) / 8.0
        pointed = pointed.masked_fill(~listed.transpose(1, 2), -1e4)
        choice = torch.cat([taken, functional.pixel_shuffle(self.actions(plane), 2)], dim=1)
        return {"choice": choice, "progress": progress, "ends": pointed}

    def _beside(self, plane: Tensor, colors: Tensor, copied: Tensor, place: Tensor, covered: Tensor) -> Tensor:
        """What the decoder sees besides the picture: what would be copied to each pixel, and the figure."""
        known = (copied != OUTSIDE).to(colors.dtype)
        seen = _painted(colors, torch.where(copied == OUTSIDE, 0, copied)) * known[:, None]
        picked = functional.pixel_shuffle(self.picked(plane), 2).flatten(2)
        brought = picked.gather(2, place.flatten(1)[:, None].expand(-1, PICKED, -1)).reshape(-1, PICKED, SIDE, SIDE)
        parts = [seen, known[:, None], covered[:, None].to(seen.dtype), brought.to(seen.dtype) * known[:, None]]
        beside: Tensor = self.seen_copy(functional.pixel_unshuffle(torch.cat(parts, dim=1), 2))
        return beside


def _painted(colors: Tensor, number: Tensor) -> Tensor:
    """Planes of colors: batch × 3 × height × width."""
    batch = colors.shape[0]
    rgb = colors.gather(1, number.flatten(1)[..., None].expand(-1, -1, 3))
    return rgb.transpose(1, 2).reshape(batch, 3, SIDE, SIDE)


def _colors(palette: Tensor) -> Tensor:
    """The colors to choose from, centered on 0."""
    return palette[:, :COLORS].float() / 255 - 0.5


def _known(grid: Tensor) -> tuple[Tensor, Tensor]:
    """Numbers of colors (0 outside of the picture), and a mask of the pixels inside."""
    number = grid.long()
    return torch.where(number == OUTSIDE, 0, number), (number != OUTSIDE).float()


def _coordinates(size: Tensor, inside: Tensor) -> Tensor:
    """The place of each pixel: shares of width and height, and distances from the middle in a common unit."""
    at = (torch.arange(SIDE, device=size.device) + 0.5).to(torch.float32)
    width, height = size[:, 0, None, None].float(), size[:, 1, None, None].float()
    batch = size.shape[0]
    x, y = at[None, None, :].expand(batch, SIDE, SIDE), at[None, :, None].expand(batch, SIDE, SIDE)
    planes = [x / width - 0.5, y / height - 0.5, (x - width / 2) / SIDE, (y - height / 2) / SIDE]
    flags = (width / height).log().expand(batch, SIDE, SIDE)
    return torch.stack([*planes, flags], dim=1) * inside[:, None]


def _point_signs() -> tuple[int, ...]:
    """The tokens of a point, from the one before its first number to the one after its second."""
    known = word_tokens()
    return tuple(NUMBER if sign == "0" else known[sign] for sign in ("(", "0", "%", ",", "0", "%", ")"))


def _features(values: Tensor) -> Tensor:
    """Numbers of a sentence as waves of many lengths, from 0.04 to 360."""
    steps = torch.arange(FREQUENCIES, device=values.device, dtype=torch.float32)
    lengths = 720.0 * 2.0**-steps
    turns = values[..., None].float() / lengths * (2 * math.pi)
    plain = torch.stack([values.float() / 29 - 1.7, values.float() / 180 - 1], dim=-1).clamp(-8, 8)
    return torch.cat([turns.sin(), turns.cos(), plain], dim=-1)


def _turns(width: int) -> Tensor:
    """Angles by which queries and keys turn from one cell to the next: half of them by column, half by row."""
    quarter = width // 4
    return 1.0 / (100.0 ** (torch.arange(quarter) / quarter))


def _cell_places(batch: int, device: torch.device) -> Tensor:
    """Column and row of every cell."""
    at = torch.arange(CELLS, device=device, dtype=torch.float32)
    row, column = torch.meshgrid(at, at, indexing="ij")
    return torch.stack([column.flatten(), row.flatten()], dim=1)[None].expand(batch, -1, -1)


def parameters_of(network: nn.Module) -> int:
    """The number of parameters."""
    return sum(value.numel() for value in network.parameters())


def new_network(settings: NetworkSettings, seed: int = 0) -> SmallNetwork:
    """A network whose initial weights follow from a seed."""
    state = torch.random.get_rng_state()
    torch.manual_seed(seed)
    network = SmallNetwork(settings)
    torch.random.set_rng_state(state)
    return network
