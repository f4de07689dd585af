"""Options of ``diffusers:REPO_OR_DIR``, read and checked before anything is loaded."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from editscope.errors import BadInput, unknown

DTYPES: Mapping[str, str] = {
    "auto": "auto",
    "bf16": "bfloat16",
    "bfloat16": "bfloat16",
    "fp16": "float16",
    "float16": "float16",
    "fp32": "float32",
    "float32": "float32",
    "fp64": "float64",
    "float64": "float64",
}
OFFLOADS = ("none", "model", "sequential")
JOINS = ("", "row", "column", "grid")
CALL = "call."
"""Options that begin with this go to the call of the pipeline as they are."""

LEAST_AREA = 64 * 64


@dataclass(frozen=True, slots=True)
class Lora:
    """Weights on top of the model: a folder, a file or a repository, the file in it, and how strongly it counts."""

    source: str
    weight: str | None = None
    scale: float = 1.0


@dataclass(frozen=True, slots=True)
class PipelineOptions:
    """The options of a spec. None means that the published setting, or the pipeline's own, is taken.

    ``network`` is a folder with a transformer or UNet to use instead of the model's; ``size`` is width and height;
    ``call`` goes to the pipeline's call as it is.
    """

    dtype: str = "auto"
    device: str = "auto"
    device_map: str | None = None
    offload: str = "none"
    compile: bool = False
    network: str | None = None
    loras: tuple[Lora, ...] = ()
    fuse: bool = False
    revision: str | None = None
    variant: str | None = None
    attention_slicing: bool = False
    vae_slicing: bool = False
    vae_tiling: bool = False
    safety: bool = True
    steps: int | None = None
    guidance: float | None = None
    image_guidance: float | None = None
    negative_prompt: str | None = None
    max_area: int | None = None
    size: tuple[int, int] | None = None
    batch: int = 1
    join: str = ""
    back: bool = True
    call: Mapping[str, Any] = field(default_factory=dict)


OPTIONS: Mapping[str, str] = {
    "dtype": "auto, bf16, fp16 or fp32",
    "device": "auto, cuda, cuda:1, cpu …",
    "device_map": "balanced, or what accelerate knows",
    "offload": "none, model or sequential",
    "compile": "true or false",
    "network": "a folder with a transformer or UNet to use instead of the model's",
    "lora": "a folder, file or repository; several with commas",
    "lora_weight": "the file in the repository of a LoRA",
    "lora_scale": "how strongly it counts",
    "fuse": "true: merge the LoRA into the weights",
    "revision": "a branch, tag or commit of the repository",
    "variant": "which files of the weights, such as fp16",
    "attention_slicing": "true or false",
    "vae_slicing": "true or false",
    "vae_tiling": "true or false",
    "safety": "false: leave the safety checker away",
    "steps": "a whole number; the published one by default",
    "guidance": "a number; the published one by default",
    "image_guidance": "a number, for InstructPix2Pix",
    "negative_prompt": "a text",
    "max_area": "the most pixels that the model sees",
    "size": "WIDTHxHEIGHT that the model sees",
    "batch": "how many edits at once",
    "join": "row, column or grid: several pictures as one",
    "back": "false: leave the output in the model's size",
    f"{CALL}NAME": "any other argument of the pipeline's call",
}
"""The options of a spec, each with what it takes."""


def read_options(target: str, given: Mapping[str, Any]) -> PipelineOptions:
    """The options of ``diffusers:TARGET``; BadInput names the one that is wrong and what it may be."""
    for name in given:
        if not name.startswith(CALL) and name not in OPTIONS:
            raise unknown("option", name, OPTIONS, of="editors of kind diffusers")
    read = _Reader(target, given)
    options = PipelineOptions(
        dtype=DTYPES[read.word("dtype", "auto", tuple(DTYPES))],
        device=read.text("device", "auto") or "auto",
        device_map=read.text("device_map", None),
        offload=read.word("offload", "none", OFFLOADS),
        compile=read.flag("compile", False),
        network=read.text("network", None),
        loras=_loras(read),
        fuse=read.flag("fuse", False),
        revision=read.text("revision", None),
        variant=read.text("variant", None),
        attention_slicing=read.flag("attention_slicing", False),
        vae_slicing=read.flag("vae_slicing", False),
        vae_tiling=read.flag("vae_tiling", False),
        safety=read.flag("safety", True),
        steps=read.whole("steps", 1, 10_000),
        guidance=read.number("guidance", 0, 1000),
        image_guidance=read.number("image_guidance", 0, 1000),
        negative_prompt=read.text("negative_prompt", None),
        max_area=read.whole("max_area", LEAST_AREA, 1 << 28),
        size=_size(read),
        batch=read.whole("batch", 1, 4096) or 1,
        join=read.word("join", "", JOINS),
        back=read.flag("back", True),
        call={name.removeprefix(CALL): _argument(value) for name, value in given.items() if name.startswith(CALL)},
    )
    _agree(read, options)
    return options


def _agree(read: _Reader, options: PipelineOptions) -> None:
    if options.size and options.max_area:
        raise read.wrong("size", "and max_area cannot both be given; leave out one")
    if options.device_map and options.offload != "none":
        raise read.wrong("offload", "and device_map cannot both be given; device_map already spreads the weights")
    if options.device_map and options.device not in ("auto", "cuda"):
        raise read.wrong("device", "and device_map cannot both be given; device_map says where the weights go")
    if options.fuse and not options.loras:
        raise read.wrong("fuse", "needs lora=…: without it there is nothing to fuse")


@dataclass(frozen=True, slots=True)
class _Reader:
    target: str
    given: Mapping[str, Any]

    def wrong(self, name: str, said: str) -> BadInput:
        return BadInput(f"editor diffusers:{self.target}, option {name} {said}")

    def text(self, name: str, default: str | None) -> str | None:
        return default if name not in self.given else str(self.given[name])

    def word(self, name: str, default: str, known: Sequence[str]) -> str:
        value = str(self.given.get(name, default)).lower()
        if value not in known:
            raise self.wrong(name, f"is {value!r}, not one of {', '.join(word for word in known if word)}")
        return value

    def flag(self, name: str, default: bool) -> bool:
        value = self.given.get(name, default)
        if value in (0, 1):
            return bool(value)
        raise self.wrong(name, f"is {value!r}, not true or false")

    def number(self, name: str, low: float, high: float) -> float | None:
        value = self.given.get(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
            raise self.wrong(name, f"is {value!r}, not a number from {low:g} to {high:g}")
        return float(value)

    def whole(self, name: str, low: int, high: int) -> int | None:
        value = self.given.get(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise self.wrong(name, f"is {value!r}, not a whole number from {low} to {high}")
        return value

    def listed(self, name: str) -> list[str]:
        value = self.given.get(name)
        return [] if value is None else [part.strip() for part in str(value).split(",")]


def _loras(read: _Reader) -> tuple[Lora, ...]:
    sources, weights, scales = read.listed("lora"), read.listed("lora_weight"), read.listed("lora_scale")
    if not all(sources):
        raise read.wrong("lora", "names nothing; write lora=FOLDER_OR_FILE_OR_REPO, several with commas between")
    for name, listed in (("lora_weight", weights), ("lora_scale", scales)):
        if listed and len(listed) != len(sources):
            raise read.wrong(name, f"has {len(listed)} entries but lora has {len(sources)}; give one for each")
    loras = []
    for number, source in enumerate(sources):
        try:
            scale = float(scales[number]) if scales else 1.0
        except ValueError:
            raise read.wrong("lora_scale", f"is {scales[number]!r}, not a number") from None
        loras.append(Lora(source, (weights[number] or None) if weights else None, scale))
    return tuple(loras)


def _size(read: _Reader) -> tuple[int, int] | None:
    text = read.text("size", None)
    if text is None:
        return None
    match = re.fullmatch(r"(\d{2,5})[x×](\d{2,5})", text)
    if match is None:
        raise read.wrong("size", f"is {text!r}, not of the form WIDTHxHEIGHT such as 1024x1024")
    return int(match[1]), int(match[2])


def _argument(value: Any) -> Any:
    return None if value == "none" else value
