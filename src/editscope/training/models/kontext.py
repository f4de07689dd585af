"""FLUX.1 Kontext: CLIP and T5 read the instruction; input pictures are tokens behind those of the edit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from editscope.editors.diffusion.quiet import quiet
from editscope.images import Pixels
from editscope.training.models.base import Condition
from editscope.training.models.pipeline_editor import PICTURES, TEXT, PipelineFlowEditor

POOLED = "pooled"


class KontextEditor(PipelineFlowEditor):
    """FLUX.1 Kontext. The first axis of a token's place is 0 for the edit and n for the nth input picture.

    The published model was trained with one input picture, and its pipeline takes one.
    """

    family = "FLUX.1 Kontext"

    def __init__(self, pipe: Any, *, guidance: float = 1.0, text_tokens: int = 512) -> None:
        super().__init__(pipe, guidance=guidance)
        self.text_tokens = text_tokens

    @property
    def encoders(self) -> Sequence[torch.nn.Module]:
        """CLIP and T5."""
        return self.pipe.text_encoder, self.pipe.text_encoder_2

    @torch.no_grad()
    def condition(self, instructions: Sequence[str], pictures: Sequence[Sequence[Pixels]]) -> Condition:
        """Embeddings of both encoders, and the latents of the input pictures."""
        with quiet():
            text, pooled, _ = self.pipe.encode_prompt(
                prompt=list(instructions),
                prompt_2=None,
                device=self.pipe.text_encoder.device,
                max_sequence_length=self.text_tokens,
            )
        return {TEXT: text, POOLED: pooled, PICTURES: self._shown(pictures)}

    def _shown(self, pictures: Sequence[Sequence[Pixels]]) -> torch.Tensor:
        """Latents of the input pictures, which have one size and, in every edit, one number."""
        latents = self.latents([picture for shown in pictures for picture in shown])
        return latents.reshape(len(pictures), -1, *latents.shape[1:])

    def _arguments(self, noisy: torch.Tensor, shown: torch.Tensor, condition: Condition) -> dict[str, Any]:
        places = [_places(0, *noisy.shape[2:])]
        places += [_places(number + 1, *shown.shape[3:]) for number in range(shown.shape[1])]
        return {
            "pooled_projections": condition[POOLED].to(self.device, self.dtype),
            "txt_ids": torch.zeros(condition[TEXT].shape[1], 3, device=self.device, dtype=self.dtype),
            "img_ids": torch.cat(places).to(self.device, self.dtype),
        }

    def _encoded(self, values: torch.Tensor) -> torch.Tensor:
        config = self.pipe.vae.config
        mode: torch.Tensor = self.pipe.vae.encode(values).latent_dist.mode()
        latents: torch.Tensor = (mode - config.shift_factor) * config.scaling_factor
        return latents.float()

    def _decoded(self, latents: torch.Tensor) -> torch.Tensor:
        config = self.pipe.vae.config
        made: torch.Tensor = self.pipe.vae.decode(
            latents / config.scaling_factor + config.shift_factor, return_dict=False
        )[0]
        return made


def _places(number: int, height: int, width: int) -> torch.Tensor:
    places = torch.zeros(height // 2, width // 2, 3)
    places[..., 0] = number
    places[..., 1] += torch.arange(height // 2)[:, None]
    places[..., 2] += torch.arange(width // 2)[None, :]
    return places.reshape(-1, 3)
