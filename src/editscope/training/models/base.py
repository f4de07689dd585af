"""Base class of flow models that edit pictures."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import torch

    from editscope.images import Pixels

Condition: TypeAlias = "Mapping[str, torch.Tensor]"
"""The network's inputs besides the noisy latents, by name; the first axis is the edit."""


class FlowEditor(ABC):
    """A flow model that edits pictures.

    Latents are float tensors of four axes: edits, channels, height, width; how a family packs them is its own affair.
    A noisy latent is ``(1 - sigma) * clean + sigma * noise``, and the network predicts ``noise - clean``.
    """

    family: str
    network: torch.nn.Module
    """What is trained; the rest of the pipeline stays as it is."""
    multiple: int = 16
    """Sides of pictures are multiples of this."""
    bf16: bool = False
    """Whether what is float32 in the network is rounded to bf16 where it is multiplied (autocast), when it learns or
    samples."""

    @abstractmethod
    def condition(self, instructions: Sequence[str], pictures: Sequence[Sequence[Pixels]]) -> Condition:
        """The network's inputs for edits: their texts and input pictures, all of one size. No gradient."""

    @abstractmethod
    def no_instruction(self, pictures: Sequence[Sequence[Pixels]]) -> Condition:
        """The condition without a text: for guidance, and for training that leaves texts out at times."""

    @abstractmethod
    def latent_shape(self, size: tuple[int, int]) -> tuple[int, int, int]:
        """Channels, height and width of the latents of a picture of a size (height, width)."""

    @abstractmethod
    def latents(self, pictures: Sequence[Pixels]) -> torch.Tensor:
        """The clean latents of pictures of one size; the same for a picture but for the last bits. No gradient."""

    @abstractmethod
    def pixels(self, latents: torch.Tensor) -> torch.Tensor:
        """The pictures of clean latents: uint8, edits × height × width × 3."""

    @abstractmethod
    def velocity(self, noisy: torch.Tensor, sigma: torch.Tensor, condition: Condition) -> torch.Tensor:
        """What the network predicts for noisy latents; ``sigma`` has one value for each edit."""

    @abstractmethod
    def sigmas(self, steps: int, size: tuple[int, int]) -> torch.Tensor:
        """The noise levels of a sampler for pictures of a size (height, width), from 1 to 0: one more than steps."""

    def shift(self, size: tuple[int, int]) -> float:
        """How far noise levels move toward noise at a size: ``s * t / (1 + (s - 1) * t)``; 1 for not at all."""
        return 1.0

    def guided(self, velocity: torch.Tensor, without: torch.Tensor, scale: float) -> torch.Tensor:
        """Classifier-free guidance: from what is predicted without a text, beyond what is predicted with it."""
        return without + scale * (velocity - without)
