"""Families of editing pipelines: published settings, pictures per edit, sizes, batches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

MEGAPIXEL = 1024 * 1024
PAINTBENCH = "PaintBench, Table 9"
OWN = "the pipeline's own"


@dataclass(frozen=True, slots=True)
class SizeRule:
    """Which size a pipeline works at.

    ``area`` is about how many pixels it wants, or with ``at_most`` how many it bears; each side is a multiple of
    ``multiple``. ``listed`` names the list of sizes, in the pipeline's module, that the model was trained at.
    ``as_is`` is for a pipeline that scales its pictures itself and is only told the size of the edit, ``own`` for one
    that chooses that too.
    """

    area: int | None = None
    at_most: bool = False
    multiple: int = 16
    listed: str = ""
    as_is: bool = False
    own: bool = False


@dataclass(frozen=True, slots=True)
class PipelineFamily:
    """Pipelines that are asked in the same way.

    ``guidance`` are the arguments for guidance with their published values, the one that ``?guidance=`` sets first.
    ``pictures`` is how many pictures one edit takes, None for any number; ``image`` the argument for them, and
    ``form`` how it wants those of one edit: "one" picture or a "list".
    ``together`` says that one call can make edits of several different pictures, ``alone`` why it cannot. ``prompt``
    is what the instruction is put into, with ``{images}`` for the marks of the pictures. ``needs`` are packages beyond
    the usual; ``clip`` says that CLIP alone reads the instruction, and of a long one only the beginning.
    """

    name: str
    pipelines: tuple[str, ...]
    example: str
    steps: int | None = None
    guidance: Mapping[str, float] = field(default_factory=dict)
    source: str = OWN
    negative: str | None = None
    image: str = "image"
    form: Literal["one", "list"] = "one"
    pictures: int | None = 1
    together: bool = False
    alone: str = ""
    size: SizeRule = SizeRule()
    call: Mapping[str, Any] = field(default_factory=dict)
    prompt: str = "{instruction}"
    mark: str = ""
    needs: tuple[str, ...] = ()
    clip: bool = False
    note: str = ""


FAMILIES = (
    PipelineFamily(
        "FLUX.1 Kontext",
        ("FluxKontextPipeline",),
        "black-forest-labs/FLUX.1-Kontext-dev",
        steps=28,
        guidance={"guidance_scale": 3.5},
        source=PAINTBENCH,
        together=True,
        size=SizeRule(listed="PREFERRED_KONTEXT_RESOLUTIONS"),
    ),
    PipelineFamily(
        "FLUX.2 dev",
        ("Flux2Pipeline",),
        "black-forest-labs/FLUX.2-dev",
        steps=50,
        guidance={"guidance_scale": 4.0},
        source=PAINTBENCH,
        form="list",
        pictures=10,
        size=SizeRule(area=MEGAPIXEL, at_most=True),
        alone="several prompts in one call would share their pictures",
    ),
    PipelineFamily(
        "FLUX.2 Klein",
        ("Flux2KleinPipeline",),
        "black-forest-labs/FLUX.2-klein-9B",
        steps=50,
        guidance={"guidance_scale": 4.0},
        source=PAINTBENCH,
        form="list",
        pictures=10,
        size=SizeRule(area=MEGAPIXEL, at_most=True),
        alone="several prompts in one call would share their pictures",
        note="distilled checkpoints need only ?steps=4 and take no guidance",
    ),
    PipelineFamily(
        "FLUX.2 Klein KV",
        ("Flux2KleinKVPipeline",),
        "black-forest-labs/FLUX.2-klein-9b-kv",
        steps=4,
        form="list",
        pictures=10,
        size=SizeRule(area=MEGAPIXEL, at_most=True),
    ),
    PipelineFamily(
        "Qwen-Image-Edit",
        ("QwenImageEditPipeline",),
        "Qwen/Qwen-Image-Edit",
        steps=50,
        guidance={"true_cfg_scale": 4.0},
        negative=" ",
        size=SizeRule(area=MEGAPIXEL, multiple=32, as_is=True),
        alone="prompts of one call would be padded to the longest, which changes the edits",
    ),
    PipelineFamily(
        "Qwen-Image-Edit-Plus",
        ("QwenImageEditPlusPipeline",),
        "Qwen/Qwen-Image-Edit-2511",
        steps=50,
        guidance={"true_cfg_scale": 4.0},
        source=PAINTBENCH,
        negative=" ",
        form="list",
        pictures=None,
        size=SizeRule(area=MEGAPIXEL, multiple=32, as_is=True),
        alone="the pipeline refuses more than one prompt in a call",
    ),
    PipelineFamily(
        "LongCat-Image-Edit",
        ("LongCatImageEditPipeline",),
        "meituan-longcat/LongCat-Image-Edit",
        steps=50,
        guidance={"guidance_scale": 4.0},
        source=PAINTBENCH,
        size=SizeRule(own=True),
        alone="the pipeline reads only the first prompt of a call",
        note="the pipeline's own guidance would be 4.5",
    ),
    PipelineFamily(
        "InstructPix2Pix",
        ("StableDiffusionInstructPix2PixPipeline",),
        "timbrooks/instruct-pix2pix",
        steps=100,
        guidance={"guidance_scale": 7.5, "image_guidance_scale": 1.5},
        source=PAINTBENCH,
        together=True,
        size=SizeRule(multiple=8),
        clip=True,
        note="CLIP reads the first 77 tokens of an instruction",
    ),
    PipelineFamily(
        "InstructPix2Pix XL",
        ("StableDiffusionXLInstructPix2PixPipeline",),
        "diffusers/sdxl-instructpix2pix-768",
        steps=100,
        guidance={"guidance_scale": 5.0, "image_guidance_scale": 1.5},
        together=True,
        size=SizeRule(multiple=8),
        clip=True,
        note="CLIP reads the first 77 tokens of an instruction",
    ),
    PipelineFamily(
        "OmniGen",
        ("OmniGenPipeline",),
        "Shitao/OmniGen-v1-diffusers",
        steps=50,
        guidance={"guidance_scale": 2.5, "img_guidance_scale": 1.6},
        image="input_images",
        form="list",
        pictures=3,
        size=SizeRule(area=MEGAPIXEL, at_most=True),
        prompt="{images} {instruction}",
        mark="<img><|image_{number}|></img>",
        needs=("torchvision",),
    ),
    PipelineFamily(
        "ChronoEdit",
        ("ChronoEditPipeline",),
        "nvidia/ChronoEdit-14B-Diffusers",
        steps=50,
        guidance={"guidance_scale": 5.0},
        size=SizeRule(area=720 * 1280, as_is=True),
        needs=("ftfy",),
        note="the edit is the last frame of a short film; ?call.enable_temporal_reasoning=true makes a longer one",
    ),
    PipelineFamily(
        "JoyAI-Image-Edit",
        ("JoyImageEditPipeline",),
        "jdopensource/JoyAI-Image-Edit-Diffusers",
        steps=40,
        guidance={"guidance_scale": 4.0},
        size=SizeRule(own=True),
    ),
    PipelineFamily(
        "JoyAI-Image-Edit-Plus",
        ("JoyImageEditPlusPipeline",),
        "jdopensource/JoyAI-Image-Edit-Plus-Diffusers",
        steps=30,
        guidance={"guidance_scale": 4.0},
        image="images",
        form="list",
        pictures=None,
        size=SizeRule(area=MEGAPIXEL, multiple=32),
    ),
    PipelineFamily(
        "Bria Fibo Edit",
        ("BriaFiboEditPipeline",),
        "briaai/Fibo-Edit-1.5-base",
        steps=30,
        guidance={"guidance_scale": 5.0},
        form="list",
        pictures=None,
        size=SizeRule(own=True),
        note="trained on instructions written as JSON; put rewrite(…) before it",
    ),
    PipelineFamily(
        "Kandinsky 5 I2I",
        ("Kandinsky5I2IPipeline",),
        "kandinskylab/Kandinsky-5.0-I2I-Lite-sft-Diffusers",
        steps=50,
        guidance={"guidance_scale": 3.5},
        size=SizeRule(own=True),
    ),
    PipelineFamily(
        "DreamLite",
        ("DreamLitePipeline",),
        "carlofkl/DreamLite-base",
        steps=30,
        guidance={"guidance_scale": 3.5, "image_guidance_scale": 1.5},
        size=SizeRule(area=MEGAPIXEL, multiple=32),
    ),
    PipelineFamily(
        "Qwen-Image 2.1",
        ("QwenImage21Pipeline",),
        "Qwen/Qwen-Image-2.1",
        steps=40,
        guidance={"true_cfg_scale": 1.0},
        form="list",
        pictures=None,
        size=SizeRule(area=MEGAPIXEL, multiple=32, as_is=True),
    ),
)
"""Every family that has settings of its own; other pipelines are asked by the signature of their call."""

BY_PIPELINE: Mapping[str, PipelineFamily] = MappingProxyType(
    {pipeline: family for family in FAMILIES for pipeline in family.pipelines}
)


def family_of(pipeline: str) -> PipelineFamily | None:
    """The family of a pipeline class, by its name; None for one that is asked by its signature.

    >>> family_of("FluxKontextPipeline").steps, family_of("SomethingElsePipeline")
    (28, None)
    """
    return BY_PIPELINE.get(pipeline)
