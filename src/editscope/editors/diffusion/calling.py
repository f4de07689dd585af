"""Call of a pipeline: which argument takes the pictures, and what else goes into it."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from editscope.editors.diffusion.families import PipelineFamily, SizeRule, family_of
from editscope.editors.diffusion.options import PipelineOptions
from editscope.editors.diffusion.sizes import Sizing, sizing_for
from editscope.errors import BadInput, unknown

IMAGES = ("image", "images", "input_images", "input_image")
"""Arguments that take the picture to edit, in pipelines that are not in the table."""

GUIDANCE = ("true_cfg_scale", "guidance_scale")
IMAGE_GUIDANCE = ("image_guidance_scale", "img_guidance_scale")
OURS = ("prompt", "generator", "output_type", "return_dict", "height", "width", "num_images_per_prompt", "latents")
"""Arguments that an editor decides; ``call.NAME`` may not set them."""


@dataclass(frozen=True, slots=True)
class PipelineInput:
    """One edit as a pipeline gets it: its pictures, the instruction and the seed."""

    pictures: tuple[Any, ...]
    instruction: str
    seed: int


@dataclass(frozen=True, slots=True)
class CallPlan:
    """How one pipeline is asked. ``constant`` are the arguments that are the same for every edit."""

    family: PipelineFamily
    sizing: Sizing
    constant: Mapping[str, Any]
    accepts: frozenset[str]

    def arguments(
        self, asked: Sequence[PipelineInput], size: tuple[int, int], generators: Sequence[Any]
    ) -> dict[str, Any]:
        """The arguments of the call that makes these edits: one, or where pipelines can, several of one size."""
        prompts = [self.prompt(one) for one in asked]
        negative = self.constant.get("negative_prompt")
        call = {**self.constant, **self._sized(size)}
        if len(asked) == 1:
            pictures = list(asked[0].pictures) if self.family.form == "list" else asked[0].pictures[0]
            return {**call, "prompt": prompts[0], self.family.image: pictures, "generator": generators[0]}
        if negative is not None:
            call["negative_prompt"] = [negative] * len(asked)
        pictures = [one.pictures[0] for one in asked]
        return {**call, "prompt": prompts, self.family.image: pictures, "generator": list(generators)}

    def prompt(self, asked: PipelineInput) -> str:
        """The instruction in the words of the model."""
        marks = " ".join(self.family.mark.format(number=number + 1) for number in range(len(asked.pictures)))
        return self.family.prompt.replace("{images}", marks).replace("{instruction}", asked.instruction)

    def _sized(self, size: tuple[int, int]) -> dict[str, Any]:
        if self.sizing.own or not {"height", "width"} <= self.accepts:
            return {}
        sized: dict[str, Any] = {"width": size[0], "height": size[1]}
        if "max_area" in self.accepts:  # else the pipeline would scale the size that it is given to its own area
            sized["max_area"] = size[0] * size[1]
        if "_auto_resize" in self.accepts and size not in self.sizing.sizes:
            sized["_auto_resize"] = False
        return sized


def call_plan(target: str, pipeline: type[Any], options: PipelineOptions, multiple: int) -> CallPlan:
    """How a pipeline is asked; BadInput where it is not one that edits a picture by an instruction.

    ``multiple`` is what sides have to be a multiple of, for pipelines that are not in the table.
    """
    known = inspect.signature(pipeline.__call__).parameters
    named = {name for name, one in known.items() if one.kind not in (one.VAR_KEYWORD, one.VAR_POSITIONAL)}
    family = family_of(pipeline.__name__) or _family_by_signature(target, pipeline.__name__, known, multiple)
    rule = family.size
    listed = getattr(sys.modules[pipeline.__module__], rule.listed, ()) if rule.listed else ()
    sizing = sizing_for(target, rule, listed, options)
    return CallPlan(family, sizing, _constant(target, family, options, named), frozenset(named))


def limits_of(target: str, family: PipelineFamily, options: PipelineOptions) -> None:
    """BadInput for options that a family cannot have, known before anything is loaded."""
    if options.batch > 1 and not family.together:
        why = f" ({family.alone})" if family.alone else ""
        raise BadInput(
            f"editor diffusers:{target}: {family.name} makes one edit per call{why}; leave out batch={options.batch}"
        )
    sizing_for(target, family.size, (), options)


def _constant(target: str, family: PipelineFamily, options: PipelineOptions, named: set[str]) -> dict[str, Any]:
    call: dict[str, Any] = {"output_type": "np"} if "output_type" in named else {}
    if family.steps is not None:
        call["num_inference_steps"] = family.steps
    call.update(family.guidance)
    call.update(family.call)
    if options.steps is not None:
        call[_only(target, "steps", ("num_inference_steps",), named)] = options.steps
    if options.guidance is not None:
        order = (*(name for name in family.guidance if name not in IMAGE_GUIDANCE), *GUIDANCE)
        call[_only(target, "guidance", order, named)] = options.guidance
    if options.image_guidance is not None:
        call[_only(target, "image_guidance", IMAGE_GUIDANCE, named)] = options.image_guidance
    negative = family.negative if options.negative_prompt is None else options.negative_prompt
    if negative is not None:
        call[_only(target, "negative_prompt", ("negative_prompt",), named)] = negative
    for name, value in options.call.items():
        if name in (*OURS, family.image):
            raise BadInput(f"editor diffusers:{target}: call.{name} is set for each edit; leave it out")
        if name not in named:
            raise unknown(f"argument of {family.name}'s call", name, named - {"self", *OURS, family.image})
        call[name] = value
    return call


def _only(target: str, option: str, wanted: Sequence[str], named: set[str]) -> str:
    for name in wanted:
        if name in named:
            return name
    raise BadInput(f"editor diffusers:{target}: this pipeline has no {' or '.join(wanted)}; leave out {option}")


def _family_by_signature(
    target: str, name: str, known: Mapping[str, inspect.Parameter], multiple: int
) -> PipelineFamily:
    """A family for a pipeline that is not in the table: one picture and a prompt, its own defaults for the rest."""
    if "prompt" not in known:
        raise BadInput(f"editor diffusers:{target}: {name} takes no prompt, so it cannot follow an instruction")
    image = next((one for one in IMAGES if one in known), None)
    if image is None:
        raise BadInput(
            f"editor diffusers:{target}: {name} takes no picture to edit; use a pipeline that takes both an image "
            "and a prompt"
        )
    masks = [one for one in known if one in ("mask_image", "mask")]
    if (masks and "Inpaint" in name) or any(known[one].default is inspect.Parameter.empty for one in masks):
        raise BadInput(f"editor diffusers:{target}: {name} needs a mask of what to change, which no case has")
    return PipelineFamily(name, (name,), target, image=image, size=SizeRule(multiple=multiple))
