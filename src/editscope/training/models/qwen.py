"""Qwen-Image-Edit and Qwen-Image-Edit-Plus: a vision-language model reads the instruction and the pictures."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import Any

import torch
from PIL import Image

from editscope.editors.diffusion.quiet import quiet
from editscope.errors import BadInput
from editscope.images import Pixels, load
from editscope.training.models.base import Condition
from editscope.training.models.conditions import together
from editscope.training.models.pipeline_editor import PICTURES, TEXT, PipelineFlowEditor, pack, unpack

MASK = "mask"
"""1 where a token is one of the text, 0 where it fills up."""
INPUT_AREA = 1024 * 1024
READ_AREA = 384 * 384
"""Pixels of an input picture as the vision-language model of -Plus sees it."""


class QwenEditor(PipelineFlowEditor):
    """Qwen-Image-Edit: one input picture, which both the vision-language model and the network see in the same size.

    ``input_area`` is how many pixels the network sees of an input picture; 0 leaves it as it is.
    """

    family = "Qwen-Image-Edit"
    no_text = " "
    most_pictures: int | None = 1

    def __init__(self, pipe: Any, *, guidance: float = 1.0, input_area: int | None = None) -> None:
        super().__init__(pipe, guidance=guidance)
        self.input_area = INPUT_AREA if input_area is None else input_area

    @property
    def encoders(self) -> Sequence[torch.nn.Module]:
        """The vision-language model."""
        return (self.pipe.text_encoder,)

    @torch.no_grad()
    def condition(self, instructions: Sequence[str], pictures: Sequence[Sequence[Pixels]]) -> Condition:
        """Embeddings of instruction and pictures, edit by edit: padding before the encoder would change them."""
        return together([self._one(text, shown) for text, shown in zip(instructions, pictures, strict=True)])

    def guided(self, velocity: torch.Tensor, without: torch.Tensor, scale: float) -> torch.Tensor:
        """Guidance as the pipeline does it: each token keeps the length that it has with the text."""
        height, width = velocity.shape[2:]
        plain, joined = pack(velocity), pack(super().guided(velocity, without, scale))
        longer = torch.norm(plain, dim=-1, keepdim=True) / torch.norm(joined, dim=-1, keepdim=True)
        return unpack(joined * longer, height, width)

    def _one(self, instruction: str, shown: Sequence[Pixels]) -> Condition:
        if self.most_pictures is not None and len(shown) > self.most_pictures:
            raise BadInput(
                f"an edit of {len(shown)} pictures cannot be trained with {self.family}, which takes "
                f"{self.most_pictures}; use Qwen-Image-Edit-Plus"
            )
        sized = [_scaled(Image.fromarray(picture), self.input_area) for picture in shown]
        with quiet():
            text, mask = self.pipe.encode_prompt(
                image=self._read(shown, sized), prompt=[instruction], device=self.pipe.text_encoder.device
            )
        if mask is None:
            mask = torch.ones(text.shape[:2], dtype=torch.long)
        return {TEXT: text, MASK: mask.to(text.device), PICTURES: self.latents([load(one) for one in sized])[None]}

    def _read(self, shown: Sequence[Pixels], sized: Sequence[Image.Image]) -> Any:
        """Pictures as the vision-language model gets them."""
        return sized[0] if sized else None

    def _arguments(self, noisy: torch.Tensor, shown: torch.Tensor, condition: Condition) -> dict[str, Any]:
        mask = condition[MASK].to(self.device)
        edit = (1, noisy.shape[2] // 2, noisy.shape[3] // 2)
        picture = (1, shown.shape[3] // 2, shown.shape[4] // 2)
        return {
            "encoder_hidden_states_mask": None if bool(mask.all()) else mask,
            "img_shapes": [[edit, *[picture] * shown.shape[1]]] * len(noisy),
        }

    def _encoded(self, values: torch.Tensor) -> torch.Tensor:
        mean, deviation = self._scales(values)
        mode: torch.Tensor = self.pipe.vae.encode(values[:, :, None]).latent_dist.mode()
        return ((mode - mean) / deviation)[:, :, 0].float()

    def _decoded(self, latents: torch.Tensor) -> torch.Tensor:
        mean, deviation = self._scales(latents)
        made: torch.Tensor = self.pipe.vae.decode(latents[:, :, None] * deviation + mean, return_dict=False)[0]
        return made[:, :, 0]

    def _scales(self, like: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        config = self.pipe.vae.config
        mean, deviation = (torch.tensor(one).view(1, -1, 1, 1, 1) for one in (config.latents_mean, config.latents_std))
        return mean.to(like), deviation.to(like)


class QwenPlusEditor(QwenEditor):
    """Qwen-Image-Edit-Plus: any number of input pictures, read by the vision-language model at a smaller size."""

    family = "Qwen-Image-Edit-Plus"
    most_pictures = None

    def _read(self, shown: Sequence[Pixels], sized: Sequence[Image.Image]) -> Any:
        return [_scaled(Image.fromarray(picture), READ_AREA) for picture in shown]


def _scaled(picture: Image.Image, area: int) -> Image.Image:
    """A picture scaled to about an area, its sides multiples of 32; as it is for 0."""
    if not area:
        return picture
    ratio = picture.width / picture.height
    width = sqrt(area * ratio)
    size = round(width / 32) * 32, round(width / ratio / 32) * 32
    return picture if size == picture.size else picture.resize(size, Image.Resampling.LANCZOS)
