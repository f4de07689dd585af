"""Families of pipelines that draw and animate: the settings that their makers publish."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from editscope.editors.diffusion.families import family_of


@dataclass(frozen=True, slots=True)
class GenerationFamily:
    """Pipelines that are asked in the same way; None means the pipeline's own setting.

    ``models`` are words in the names of checkpoints, for pipelines whose checkpoints differ. ``size`` is width and
    height of a picture, ``area`` about how many pixels a frame has, ``frames`` and ``fps`` length and rate of a video.
    ``exact`` are parts that are kept in full precision, ``needs`` packages beyond the usual.
    """

    name: str
    pipelines: tuple[str, ...]
    models: tuple[str, ...] = ()
    steps: int | None = None
    guidance: Mapping[str, float] = field(default_factory=dict)
    negative: str | None = None
    size: tuple[int, int] | None = None
    area: int | None = None
    frames: int | None = None
    fps: int | None = None
    call: Mapping[str, Any] = field(default_factory=dict)
    exact: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()


SQUARE = (1024, 1024)
WAN = ("WanImageToVideoPipeline",)
WAN_PARTS: Mapping[str, Any] = {"exact": ("vae",), "needs": ("ftfy",)}

IMAGES = (
    GenerationFamily(
        "FLUX.1 Krea", ("FluxPipeline",), ("krea",), steps=28, guidance={"guidance_scale": 4.5}, size=SQUARE
    ),
    GenerationFamily(
        "FLUX.1 schnell",
        ("FluxPipeline",),
        ("schnell",),
        steps=4,
        guidance={"guidance_scale": 0.0},
        size=SQUARE,
        call={"max_sequence_length": 256},
    ),
    GenerationFamily("FLUX.1 dev", ("FluxPipeline",), steps=50, guidance={"guidance_scale": 3.5}, size=SQUARE),
    GenerationFamily(
        "Qwen-Image",
        ("QwenImagePipeline",),
        steps=50,
        guidance={"true_cfg_scale": 4.0},
        negative=" ",
        size=(1328, 1328),
    ),
    GenerationFamily(
        "Stable Diffusion 3.5",
        ("StableDiffusion3Pipeline",),
        steps=28,
        guidance={"guidance_scale": 3.5},
        size=SQUARE,
    ),
)
"""Models that draw. Others are asked by the settings of their edits, where they edit too, else by their own."""

VIDEOS = (
    GenerationFamily(
        "Wan 2.2 TI2V",
        WAN,
        ("ti2v",),
        steps=50,
        guidance={"guidance_scale": 5.0},
        area=704 * 1280,
        frames=121,
        fps=24,
        **WAN_PARTS,
    ),
    GenerationFamily(
        "Wan 2.1 I2V",
        WAN,
        ("wan2.1", "wan2_1"),
        steps=50,
        guidance={"guidance_scale": 5.0},
        area=480 * 832,
        frames=81,
        fps=16,
        **WAN_PARTS,
    ),
    GenerationFamily(
        "Wan 2.2 I2V",
        WAN,
        steps=40,
        guidance={"guidance_scale": 3.5},
        area=480 * 832,
        frames=81,
        fps=16,
        **WAN_PARTS,
    ),
    GenerationFamily(
        "CogVideoX I2V",
        ("CogVideoXImageToVideoPipeline",),
        steps=50,
        guidance={"guidance_scale": 6.0},
        size=(720, 480),
        frames=49,
        fps=8,
    ),
    GenerationFamily(
        "LTX-Video", ("LTXImageToVideoPipeline",), steps=50, guidance={"guidance_scale": 3.0}, size=(704, 480), fps=24
    ),
)
"""Models that animate."""
FPS = 16
"""Frames a second where nobody says how many."""


def generation_family(pipeline: str, names: Sequence[str], known: Sequence[GenerationFamily]) -> GenerationFamily:
    """The family of a pipeline class; ``names`` are the folder or repository and what else its index says of it.

    >>> generation_family("FluxPipeline", ["black-forest-labs/FLUX.1-Krea-dev"], IMAGES).guidance
    {'guidance_scale': 4.5}
    """
    text = " ".join(names).lower()
    for family in known:
        if pipeline in family.pipelines and (not family.models or any(word in text for word in family.models)):
            return family
    edits = family_of(pipeline)
    if edits is not None:
        return GenerationFamily(edits.name, (pipeline,), (), edits.steps, edits.guidance, edits.negative)
    return GenerationFamily(pipeline, (pipeline,))
