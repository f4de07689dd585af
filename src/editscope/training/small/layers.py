"""Layers of the small editor's network: attention over tokens, and convolutions down to cells and up to pixels."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional


class Block(nn.Module):
    """Attention and a feed-forward layer, each after a norm. Rotated queries and keys encode the places of tokens."""

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

    def forward(self, x: Tensor, turn: Tensor, wanted: Tensor) -> Tensor:
        """Tokens to tokens."""
        batch, count, width = x.shape
        qkv = self.qkv(self.before(x)).reshape(batch, count, 3, self.heads, width // self.heads)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)
        q, k = _turned(self.q_norm(q), turn).to(v.dtype), _turned(self.k_norm(k), turn).to(v.dtype)
        v = v * wanted[:, None, :, None].to(v.dtype)
        y = functional.scaled_dot_product_attention(q, k, v)
        x = x + self.out(y.transpose(1, 2).reshape(batch, count, width))
        moved: Tensor = self.down(functional.gelu(self.up(self.between(x)), approximate="tanh"))
        return x + moved


class ConvStage(nn.Module):
    """A convolution, at full or half size, and a residual block."""

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
    """Twice the size, joined with the stem's features of that size."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.spread = nn.Conv2d(inputs, 4 * outputs, 1)
        self.join = nn.Conv2d(2 * outputs, outputs, 1)
        self.block = ConvBlock(outputs)

    def forward(self, x: Tensor, seen: Tensor) -> Tensor:
        """Features to finer ones."""
        x = functional.pixel_shuffle(self.spread(x), 2)
        joined: Tensor = self.block(self.join(torch.cat([x, seen], dim=1)))
        return joined


def _turned(x: Tensor, turn: Tensor) -> Tensor:
    first, second = x.chunk(2, dim=-1)
    cos, sin = turn.to(x.dtype)
    return torch.cat([first * cos - second * sin, first * sin + second * cos], dim=-1)
