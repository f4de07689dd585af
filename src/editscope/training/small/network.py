"""Network of the small editor: a transformer over cells, words and colors, and a decoder that decides every pixel."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from editscope.editors.small.pictures import CELL, CELLS, COLORS, OUTSIDE, SIDE
from editscope.editors.small.sentences import CODES, TOKENS

KEEP, COPY, MAP, RAMP = range(4)
"""What a pixel can do besides taking a color: stay, show another place, be mapped, be part of a gradient."""
ACTIONS = 4
FREQUENCIES = 12
QUERY = 32
"""Numbers by which a pixel and a color find each other."""


@dataclass(frozen=True, slots=True)
class NetworkSettings:
    """Sizes of the network."""

    words: int
    width: int = 384
    layers: int = 12
    heads: int = 6
    registers: int = 8
    fine: int = 64
    """Channels at half the size of the grid; twice as many at a quarter."""

    def as_json(self) -> dict[str, int]:
        """The settings as a file has them."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Prediction:
    """What the network says of a batch of B pictures.

    ``choice`` are logits of the colors and then of the actions, B × 20 × 256 × 256; ``field`` the offsets at cells,
    B × 6 × 32 × 32; ``progress`` how far a gradient has come, B × 256 × 256; ``color_map`` its five numbers;
    ``ends`` logits of the two colors of a gradient, B × 2 × 16.
    """

    choice: Tensor
    field: Tensor
    progress: Tensor
    color_map: Tensor
    ends: Tensor
    copied: Tensor
    """What the offsets bring to each pixel, as numbers of colors, B × 256 × 256."""


class SmallNetwork(nn.Module):
    """The network. It is called with what ``examples.example_of`` gives, without the answer."""

    def __init__(self, settings: NetworkSettings) -> None:
        super().__init__()
        self.settings = settings
        d, fine = settings.width, settings.fine
        self.words = nn.Embedding(settings.words, d)
        self.value = nn.Linear(2 * FREQUENCIES + 2, d)
        self.word_place = nn.Parameter(torch.randn(TOKENS, d) * 0.02)
        self.color = nn.Linear(3 + CODES + 1, d)
        self.registers = nn.Parameter(torch.randn(settings.registers, d) * 0.02)
        self.kinds = nn.Parameter(torch.randn(4, d) * 0.02)
        self.stem2 = ConvStage(4 * 9, fine, 1)
        self.stem4 = ConvStage(fine, 2 * fine, 2)
        self.cells = nn.Conv2d(2 * fine, d, 2, stride=2)
        self.cell_place = nn.Parameter(torch.randn(CELLS * CELLS, d) * 0.02)
        self.blocks = nn.ModuleList(Block(d, settings.heads) for _ in range(settings.layers))
        self.norm = nn.RMSNorm(d)
        self.offsets = nn.Linear(d, 6)
        self.color_map = nn.Sequential(nn.Linear(d, d), nn.GELU(), nn.Linear(d, 5))
        self.ends = nn.Linear(d, 2 * 64)
        self.end_keys = nn.Linear(d, 64)
        self.keys = nn.Linear(d, QUERY)
        self.up4 = UpStage(d, 2 * fine)
        self.up2 = UpStage(2 * fine, fine)
        self.seen_copy = ConvStage(4 * 4, fine, 1)
        self.join = nn.Conv2d(2 * fine, fine, 1)
        self.last = ConvBlock(fine)
        self.query = nn.Conv2d(fine, 4 * QUERY, 1)
        self.actions = nn.Conv2d(fine, 4 * ACTIONS, 1)
        self.progress = nn.Conv2d(fine, 4, 1)
        cos, sin = _turns(d // settings.heads)
        self.register_buffer("cos", cos, persistent=False)
        self.register_buffer("sin", sin, persistent=False)
        self._start()

    def _start(self) -> None:
        """Begin with an editor that changes nothing."""
        start: Tensor
        for start in (*self.offsets.parameters(), *self.actions.parameters()):
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
        """What to do with every pixel, from numbers of colors, their RGB, marks, tokens, values and the size."""
        x, wanted, fine2, fine4 = self.read(grid, palette, marks, tokens, values, size)
        for block in self.blocks:
            x = block(x, self.cos, self.sin, wanted)
        return self.decide(x, fine2, fine4, grid, palette, marks, size)

    def read(
        self, grid: Tensor, palette: Tensor, marks: Tensor, tokens: Tensor, values: Tensor, size: Tensor
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Tokens of cells, words, colors and registers, which of them count, and what the stem saw."""
        batch = grid.shape[0]
        colors = _colors(palette)
        number, inside = _known(grid)
        rgb = _painted(colors, number) * inside[:, None]
        full = torch.cat([rgb, inside[:, None], _coordinates(size, inside)], dim=1)
        fine2 = self.stem2(functional.pixel_unshuffle(full, 2))
        fine4 = self.stem4(fine2)
        cells = self.cells(fine4).flatten(2).transpose(1, 2) + self.cell_place + self.kinds[0]
        words = self.words(tokens.long()) + self.value(_features(values)) + self.word_place + self.kinds[1]
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
        return x * wanted[..., None].to(x.dtype), wanted, fine2, fine4

    def decide(
        self, x: Tensor, fine2: Tensor, fine4: Tensor, grid: Tensor, palette: Tensor, marks: Tensor, size: Tensor
    ) -> Prediction:
        """What the tokens say, pixel by pixel."""
        batch = grid.shape[0]
        colors = _colors(palette)
        number, _ = _known(grid)
        x = self.norm(x)
        cells, _, hues, registers = torch.split(x, [CELLS * CELLS, TOKENS, COLORS, self.settings.registers], dim=1)
        # Places and colors need more digits than bf16 has.
        with torch.autocast(grid.device.type, enabled=False):
            field = self.offsets(cells.float()).transpose(1, 2).reshape(batch, 6, CELLS, CELLS)
            color_map = self.color_map(registers[:, 0].float())
        copied = copied_numbers(field.detach(), number, size)
        plane = cells.transpose(1, 2).reshape(batch, -1, CELLS, CELLS)
        plane = self.up2(self.up4(plane, fine4), fine2)
        known = (copied != OUTSIDE).to(colors.dtype)
        seen = _painted(colors, torch.where(copied == OUTSIDE, 0, copied)) * known[:, None]
        beside = self.seen_copy(functional.pixel_unshuffle(torch.cat([seen, known[:, None]], dim=1), 2))
        plane = self.last(self.join(torch.cat([plane, beside], dim=1)))
        listed = (marks != OUTSIDE)[..., None]
        queries = functional.pixel_shuffle(self.query(plane), 2)
        taken = torch.einsum("bchw,bkc->bkhw", queries, self.keys(hues)) / math.sqrt(QUERY)
        taken = taken.masked_fill(~listed[..., None], -1e4)
        with torch.autocast(grid.device.type, enabled=False):
            progress = functional.pixel_shuffle(self.progress(plane.float()), 2)[:, 0]
        ends = self.ends(registers[:, 1]).reshape(batch, 2, 64)
        pointed = torch.einsum("bec,bkc->bek", ends, self.end_keys(hues)) / 8.0
        pointed = pointed.masked_fill(~listed.transpose(1, 2), -1e4)
        return Prediction(
            choice=torch.cat([taken, functional.pixel_shuffle(self.actions(plane), 2)], dim=1),
            field=field,
            progress=progress,
            color_map=color_map,
            ends=pointed,
            copied=copied,
        )


class Block(nn.Module):
    """Attention and a feed-forward layer, each after a norm; cells know where they are by turned queries and keys."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.before = nn.RMSNorm(width)
        self.qkv = nn.Linear(width, 3 * width, bias=False)
        self.q_norm, self.k_norm = nn.RMSNorm(width // heads), nn.RMSNorm(width // heads)
        self.out = nn.Linear(width, width, bias=False)
        self.between = nn.RMSNorm(width)
        self.up = nn.Linear(width, 4 * width)
        self.down = nn.Linear(4 * width, width)

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor, wanted: Tensor) -> Tensor:
        """Tokens to tokens."""
        batch, count, width = x.shape
        qkv = self.qkv(self.before(x)).reshape(batch, count, 3, self.heads, width // self.heads)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)
        q, k = _turned(self.q_norm(q), cos, sin).to(v.dtype), _turned(self.k_norm(k), cos, sin).to(v.dtype)
        v = v * wanted[:, None, :, None].to(v.dtype)
        y = functional.scaled_dot_product_attention(q, k, v)
        x = x + self.out(y.transpose(1, 2).reshape(batch, count, width))
        moved: Tensor = self.down(functional.gelu(self.up(self.between(x)), approximate="tanh"))
        return x + moved


class ConvStage(nn.Module):
    """A convolution, at full or half the size, and a residual block."""

    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        super().__init__()
        self.first = nn.Conv2d(inputs, outputs, 3, stride=stride, padding=1)
        self.block = ConvBlock(outputs)

    def forward(self, x: Tensor) -> Tensor:
        """Features to features."""
        stage: Tensor = self.block(self.first(x))
        return stage


class ConvBlock(nn.Module):
    """A residual block of two convolutions."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.norm = nn.GroupNorm(8, channels)
        self.first = nn.Conv2d(channels, channels, 3, padding=1)
        self.second = nn.Conv2d(channels, channels, 3, padding=1)
        nn.init.zeros_(self.second.weight)

    def forward(self, x: Tensor) -> Tensor:
        """Features to features."""
        moved: Tensor = self.second(functional.gelu(self.first(self.norm(x)), approximate="tanh"))
        return x + moved


class UpStage(nn.Module):
    """Twice the size, joined with what the stem saw there."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.spread = nn.Conv2d(inputs, 4 * outputs, 1)
        self.join = nn.Conv2d(2 * outputs, outputs, 1)
        self.block = ConvBlock(outputs)

    def forward(self, x: Tensor, seen: Tensor) -> Tensor:
        """Features of cells to finer ones."""
        x = functional.pixel_shuffle(self.spread(x), 2)
        joined: Tensor = self.block(self.join(torch.cat([x, seen], dim=1)))
        return joined


def copied_numbers(field: Tensor, number: Tensor, size: Tensor) -> Tensor:
    """What the offsets bring to each pixel: the number of the color there, or OUTSIDE beyond the picture."""
    batch = field.shape[0]
    x, y = source_places(field)
    column, row = x.floor().long(), y.floor().long()
    width, height = size[:, 0, None, None].long(), size[:, 1, None, None].long()
    there = (column >= 0) & (row >= 0) & (column < width) & (row < height)
    place = row.clamp(0, SIDE - 1) * SIDE + column.clamp(0, SIDE - 1)
    brought = number.flatten(1).gather(1, place.flatten(1)).reshape(batch, SIDE, SIDE)
    return brought.masked_fill(~there, OUTSIDE)


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


def _painted(colors: Tensor, number: Tensor) -> Tensor:
    """Planes of colors: batch × 3 × height × width."""
    batch = colors.shape[0]
    rgb = colors.gather(1, number.flatten(1)[..., None].expand(-1, -1, 3))
    return rgb.transpose(1, 2).reshape(batch, 3, SIDE, SIDE)


def _colors(palette: Tensor) -> Tensor:
    """The colors that can be chosen, around 0."""
    return palette[:, :COLORS].float() / 255 - 0.5


def _known(grid: Tensor) -> tuple[Tensor, Tensor]:
    """Numbers of colors, 0 outside of the picture, and a 1 for each pixel inside."""
    number = grid.long()
    return torch.where(number == OUTSIDE, 0, number), (number != OUTSIDE).float()


def _coordinates(size: Tensor, inside: Tensor) -> Tensor:
    """Where each pixel lies: shares of width and height, and distances from the middle in one unit."""
    at = (torch.arange(SIDE, device=size.device) + 0.5).to(torch.float32)
    width, height = size[:, 0, None, None].float(), size[:, 1, None, None].float()
    batch = size.shape[0]
    x, y = at[None, None, :].expand(batch, SIDE, SIDE), at[None, :, None].expand(batch, SIDE, SIDE)
    planes = [x / width - 0.5, y / height - 0.5, (x - width / 2) / SIDE, (y - height / 2) / SIDE]
    flags = (width / height).log().expand(batch, SIDE, SIDE)
    return torch.stack([*planes, flags], dim=1) * inside[:, None]


def _features(values: Tensor) -> Tensor:
    """Numbers of a sentence as waves of many lengths, from 0.04 to 360."""
    steps = torch.arange(FREQUENCIES, device=values.device, dtype=torch.float32)
    lengths = 720.0 * 2.0**-steps
    turns = values[..., None].float() / lengths * (2 * math.pi)
    plain = torch.stack([values.float() / 100, values.float() / 360], dim=-1).clamp(-8, 8)
    return torch.cat([turns.sin(), turns.cos(), plain], dim=-1)


def _turns(width: int) -> tuple[Tensor, Tensor]:
    """Angles of queries and keys: half of them by column, half by row; tokens that are no cells do not turn."""
    quarter = width // 4
    lengths = 1.0 / (100.0 ** (torch.arange(quarter) / quarter))
    row, column = torch.meshgrid(torch.arange(CELLS), torch.arange(CELLS), indexing="ij")
    angles = torch.cat([column.flatten()[:, None] * lengths, row.flatten()[:, None] * lengths], dim=1)
    return angles.cos(), angles.sin()


def _turned(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    cells, rest = x[:, :, : CELLS * CELLS], x[:, :, CELLS * CELLS :]
    first, second = cells.chunk(2, dim=-1)
    cos, sin = cos.to(x.dtype), sin.to(x.dtype)
    turned = torch.cat([first * cos - second * sin, first * sin + second * cos], dim=-1)
    return torch.cat([turned, rest], dim=2)


def parameters_of(network: nn.Module) -> int:
    """How many numbers are trained."""
    return sum(value.numel() for value in network.parameters())


def new_network(settings: NetworkSettings, seed: int = 0) -> SmallNetwork:
    """A network with weights that follow from a seed."""
    state = torch.random.get_rng_state()
    torch.manual_seed(seed)
    network = SmallNetwork(settings)
    torch.random.set_rng_state(state)
    return network


def settings_from(entries: dict[str, Any]) -> NetworkSettings:
    """Settings that a file has."""
    return NetworkSettings(**entries)
