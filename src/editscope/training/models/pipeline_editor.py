"""Flow editors over diffusers pipelines: what the families share."""

from __future__ import annotations

import copy
import sys
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from editscope.errors import BadInput
from editscope.images import Pixels
from editscope.training.models.base import Condition, FlowEditor

PICTURES = "pictures"
"""Clean latents of the input pictures: edits × pictures × channels × height × width."""
TEXT = "text"
"""Embeddings of the instruction: edits × tokens × width."""
GUIDANCE = "guidance"
"""How strongly a guidance-distilled network is to follow the text, one value for each edit; optional."""
AREA = 512 * 512
"""Pixels that the autoencoder gets at once, or one picture, so that a large batch takes no more memory."""


class PipelineFlowEditor(FlowEditor):
    """A flow model inside a diffusers pipeline, called as the pipeline calls it.

    ``guidance`` is what a guidance-distilled network is told where the condition says nothing else.
    """

    no_text = ""
    """What stands for no instruction."""

    def __init__(self, pipe: Any, *, guidance: float = 1.0) -> None:
        self.pipe = pipe
        self.network: Any = pipe.transformer
        self.config = self.network.config
        self.dtype: torch.dtype = next(self.network.parameters()).dtype
        self.guidance = guidance
        self.multiple = 2 * int(pipe.vae_scale_factor)
        self.channels = int(self.config.in_channels) // 4
        for part in (pipe.vae, *self.encoders):
            part.requires_grad_(False)
            part.eval()

    @property
    def device(self) -> torch.device:
        """Where the network is."""
        device: torch.device = next(self.network.parameters()).device
        return device

    @property
    @abstractmethod
    def encoders(self) -> Sequence[torch.nn.Module]:
        """What reads the instruction."""

    def latent_shape(self, size: tuple[int, int]) -> tuple[int, int, int]:
        """Channels, height and width of the latents of a picture of a size (height, width)."""
        scale = self.multiple // 2
        return self.channels, size[0] // scale, size[1] // scale

    def no_instruction(self, pictures: Sequence[Sequence[Pixels]]) -> Condition:
        """The condition with the text that stands for none."""
        return self.condition([self.no_text] * len(pictures), pictures)

    @torch.no_grad()
    def latents(self, pictures: Sequence[Pixels]) -> torch.Tensor:
        """The mode of the autoencoder's distribution, scaled as the network expects it; float32."""
        groups = (pictures[first : first + count] for first, count in _groups(len(pictures), pictures[0].shape))
        return torch.cat([self._encoded(self._values(group)) for group in groups])

    @torch.no_grad()
    def pixels(self, latents: torch.Tensor) -> torch.Tensor:
        """Decoded pictures."""
        scale = self.multiple // 2
        values = latents.to(self.pipe.vae.device, self.pipe.vae.dtype)
        groups = _groups(len(latents), (latents.shape[2] * scale, latents.shape[3] * scale))
        made = [self._decoded(values[first : first + count]) for first, count in groups]
        values = (torch.cat(made).float() / 2 + 0.5).clamp(0, 1)
        return (values.permute(0, 2, 3, 1) * 255).round().to(torch.uint8)

    def sigmas(self, steps: int, size: tuple[int, int]) -> torch.Tensor:
        """The noise levels of the pipeline's own scheduler."""
        scheduler = copy.deepcopy(self.pipe.scheduler)
        scheduler.set_timesteps(sigmas=np.linspace(1.0, 1 / steps, steps), device="cpu", mu=self._mu(size))
        levels: torch.Tensor = scheduler.sigmas
        return levels.float()

    def shift(self, size: tuple[int, int]) -> float:
        """The shift of the pipeline's scheduler at a size."""
        config = self.pipe.scheduler.config
        if not config.use_dynamic_shifting:
            return float(config.shift)
        mu = self._mu(size)
        return float(np.exp(mu)) if config.time_shift_type == "exponential" else mu

    def velocity(self, noisy: torch.Tensor, sigma: torch.Tensor, condition: Condition) -> torch.Tensor:
        """One call of the network, packed as its pipeline packs."""
        tokens = pack(noisy.to(self.device, self.dtype))
        shown = condition[PICTURES].to(self.device, self.dtype)
        packed = [tokens, *(pack(shown[:, number]) for number in range(shown.shape[1]))]
        # The pipeline rounds the time step, not the noise level, to the precision of the network.
        time = (sigma.to(self.device).float() * 1000).to(self.dtype) / 1000
        made = self.network(
            hidden_states=torch.cat(packed, dim=1),
            timestep=time,
            guidance=self._guidance(condition, len(noisy)),
            encoder_hidden_states=condition[TEXT].to(self.device, self.dtype),
            return_dict=False,
            **self._arguments(noisy, shown, condition),
        )[0]
        return unpack(made[:, : tokens.shape[1]], noisy.shape[2], noisy.shape[3])

    @abstractmethod
    def _arguments(self, noisy: torch.Tensor, shown: torch.Tensor, condition: Condition) -> dict[str, Any]:
        """Arguments of the network that only this family has."""

    @abstractmethod
    def _encoded(self, values: torch.Tensor) -> torch.Tensor:
        """The latents of one picture, whose values go from -1 to 1."""

    @abstractmethod
    def _decoded(self, latents: torch.Tensor) -> torch.Tensor:
        """The picture of latents, with values from -1 to 1."""

    def _guidance(self, condition: Condition, edits: int) -> torch.Tensor | None:
        if not self.config.guidance_embeds:
            return None
        given = condition.get(GUIDANCE)
        return torch.full([edits], self.guidance, device=self.device) if given is None else given.to(self.device)

    def _mu(self, size: tuple[int, int]) -> float:
        config = self.pipe.scheduler.config
        shift = sys.modules[type(self.pipe).__module__].calculate_shift
        tokens = (size[0] // self.multiple) * (size[1] // self.multiple)
        return float(
            shift(
                tokens,
                config.get("base_image_seq_len", 256),
                config.get("max_image_seq_len", 4096),
                config.get("base_shift", 0.5),
                config.get("max_shift", 1.15),
            )
        )

    def _values(self, pictures: Sequence[Pixels]) -> torch.Tensor:
        for picture in pictures:
            height, width = picture.shape[:2]
            if height % self.multiple or width % self.multiple:
                raise BadInput(
                    f"a picture of {width}x{height} cannot be trained on with {self.family}: sides are multiples of "
                    f"{self.multiple}; scale it first"
                )
        bytes_ = torch.from_numpy(np.stack(pictures)).to(self.pipe.vae.device)
        values = bytes_.permute(0, 3, 1, 2).contiguous().float() / 255
        return (2.0 * values - 1.0).to(self.pipe.vae.dtype)


def _groups(pictures: int, size: Sequence[int]) -> list[tuple[int, int]]:
    """First places and counts of groups of pictures that go through the autoencoder together."""
    count = max(1, AREA // (size[0] * size[1]))
    return [(first, min(count, pictures - first)) for first in range(0, pictures, count)]


def pack(latents: torch.Tensor) -> torch.Tensor:
    """Latents as tokens, each of 2 × 2 places.

    >>> pack(torch.zeros(1, 16, 8, 6)).shape
    torch.Size([1, 12, 64])
    """
    edits, channels, height, width = latents.shape
    parts = latents.reshape(edits, channels, height // 2, 2, width // 2, 2).permute(0, 2, 4, 1, 3, 5)
    return parts.reshape(edits, (height // 2) * (width // 2), channels * 4)


def unpack(tokens: torch.Tensor, height: int, width: int) -> torch.Tensor:
    """What ``pack`` made, as latents of a height and width.

    >>> latents = torch.arange(2 * 4 * 8 * 6).reshape(2, 4, 8, 6)
    >>> bool((unpack(pack(latents), 8, 6) == latents).all())
    True
    """
    edits, _, channels = tokens.shape
    parts = tokens.reshape(edits, height // 2, width // 2, channels // 4, 2, 2).permute(0, 3, 1, 4, 2, 5)
    return parts.reshape(edits, channels // 4, height, width)
