"""A tiny flow editor: pictures of 8 × 8 pixels are their own latents, the network is a small stack of convolutions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256

import numpy as np
import torch

from editscope.images import Pixels
from editscope.training.data.examples import EditExample
from editscope.training.models.base import Condition, FlowEditor

SIDE = 8
TEXT = 4


class TinyNetwork(torch.nn.Module):
    """Noisy latents, the input picture, a text of four numbers and the noise level go in; a velocity comes out."""

    def __init__(self, spread: float, width: int = 16) -> None:
        super().__init__()
        self.spread = spread
        self.first = torch.nn.Conv2d(3 + 3 + TEXT + 1, width, 3, padding=1)
        self.second = torch.nn.Conv2d(width, width, 3, padding=1)
        self.last = torch.nn.Conv2d(width, 3, 3, padding=1)

    def forward(
        self, noisy: torch.Tensor, sigma: torch.Tensor, picture: torch.Tensor, text: torch.Tensor
    ) -> torch.Tensor:
        flat = torch.cat([text, sigma[:, None]], dim=1)[:, :, None, None].expand(-1, -1, *noisy.shape[2:])
        hidden = torch.nn.functional.silu(self.first(torch.cat([noisy, picture, flat], dim=1)))
        hidden = torch.nn.functional.silu(self.second(hidden))
        made: torch.Tensor = around(picture, noisy, sigma[:, None, None, None], self.spread) + self.last(hidden)
        return made


def around(mean: torch.Tensor, noisy: torch.Tensor, sigma: torch.Tensor, spread: float) -> torch.Tensor:
    """The true velocity of clean latents that are Gaussian around a picture."""
    off = (noisy - (1 - sigma) * mean) / ((1 - sigma) ** 2 * spread**2 + sigma**2)
    return sigma * off - mean - (1 - sigma) * spread**2 * off


class TinyFlow(FlowEditor):
    """A flow model that adds noise to pictures, and what its random network says."""

    family = "tiny"
    multiple = 1

    def __init__(self, seed: int = 0, loudness: float = 0.3, spread: float = 0.3) -> None:
        torch.manual_seed(seed)
        self.network: TinyNetwork = TinyNetwork(spread)
        with torch.no_grad():
            self.network.last.weight.mul_(loudness)

    def condition(self, instructions: Sequence[str], pictures: Sequence[Sequence[Pixels]]) -> Condition:
        texts = [[byte / 255 - 0.5 for byte in sha256(text.encode()).digest()[:TEXT]] for text in instructions]
        return {"picture": self.latents([shown[0] for shown in pictures]), "text": torch.tensor(texts)}

    def no_instruction(self, pictures: Sequence[Sequence[Pixels]]) -> Condition:
        return {"picture": self.latents([shown[0] for shown in pictures]), "text": torch.zeros(len(pictures), TEXT)}

    def latent_shape(self, size: tuple[int, int]) -> tuple[int, int, int]:
        return 3, *size

    def latents(self, pictures: Sequence[Pixels]) -> torch.Tensor:
        stacked = torch.from_numpy(np.stack(pictures)).float()
        return (stacked / 127.5 - 1).permute(0, 3, 1, 2).contiguous()

    def pixels(self, latents: torch.Tensor) -> torch.Tensor:
        return ((latents.permute(0, 2, 3, 1) + 1) * 127.5).round().clamp(0, 255).to(torch.uint8)

    def velocity(self, noisy: torch.Tensor, sigma: torch.Tensor, condition: Condition) -> torch.Tensor:
        made: torch.Tensor = self.network(noisy, sigma, condition["picture"], condition["text"])
        return made

    def sigmas(self, steps: int, size: tuple[int, int]) -> torch.Tensor:
        return torch.linspace(1, 0, steps + 1)


def tiny_examples(count: int = 2, side: int = SIDE, seed: int = 0) -> list[EditExample]:
    """Pictures of one color each; the answer is a white square in the middle."""
    made = []
    for number, color in enumerate(np.random.default_rng(seed).integers(60, 140, (count, 3), dtype=np.uint8)):
        picture = np.broadcast_to(color, (side, side, 3)).copy()
        answer = picture.copy()
        answer[2:6, 2:6] = 255
        made.append(EditExample(f"e{number}", "tiny", (picture,), "Paint a white square in the middle.", answer))
    return made


def brighter_examples(count: int = 2) -> list[EditExample]:
    """The pictures of ``tiny_examples``, to be made a little brighter: an answer that chance comes near to."""
    made = []
    for example in tiny_examples(count):
        answer = example.pictures[0] + np.uint8(18)
        made.append(replace(example, id=f"brighter-{example.id}", instruction="Make it brighter.", answer=answer))
    return made
