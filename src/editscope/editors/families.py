"""The families of editors: what each is, how it is named, what it needs, and whether it can run here."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from editscope.cases import NOTHING
from editscope.editors.spec import WRAPPERS
from editscope.errors import unknown

HOSTED = ("aiohttp", "orjson")
LOCAL = ("torch", "diffusers", "transformers")


@dataclass(frozen=True, slots=True)
class Family:
    """One kind of editor as a user meets it.

    ``packages`` are modules that must be importable, ``extra`` is what installs them; ``key_env`` is the variable
    with the key, which it can do without unless ``key_needed``; ``options`` says for each option what it takes, and
    ``declared`` names the module that says it for itself; ``page`` is the page of the documentation.
    """

    kind: str
    title: str
    example: str
    page: str
    extra: str = ""
    packages: tuple[str, ...] = ()
    key_env: str = ""
    key_needed: bool = True
    gpu: bool = False
    options: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    declared: str = ""

    @property
    def wrapper(self) -> bool:
        """Whether it stands before another spec."""
        return self.kind in WRAPPERS

    def missing(self, key_env: str = "") -> tuple[str, ...]:
        """What keeps it from running here, each with the fix; ``key_env`` is another variable than the usual one."""
        lacking = [name for name in self.packages if not importable(name)]
        found = []
        if lacking:
            found.append(f"{' and '.join(lacking)} not installed: pip install 'editscope[{self.extra}]'")
        variable = key_env or self.key_env
        if variable and self.key_needed and not os.environ.get(variable, "").strip():
            found.append(f"no key: set the variable {variable}")
        return tuple(found)

    def remarks(self) -> tuple[str, ...]:
        """What a user should know before it runs, though nothing is missing."""
        if not self.gpu:
            return ()
        from editscope.editors.gpus import gpu_count

        count = gpu_count()
        return (f"{count} GPU{'s' if count > 1 else ''} seen",) if count else ("no GPU seen: it will be slow",)

    def described_options(self) -> dict[str, str]:
        """Its options, each with what it takes; as its own module declares them where it does."""
        found = dict(self.options)
        if self.declared:
            found = {**_declared(self.declared, self.kind), **found}
        return found


def _declared(module_name: str, kind: str) -> dict[str, str]:
    """The options that a module declares: in ``OPTIONS``, or in the service of this kind."""
    module = import_module(module_name)
    declared: Mapping[str, Any] | None = getattr(module, "OPTIONS", None)
    if declared is None:
        service = next(
            one for one in vars(module).values() if isinstance(one, type) and getattr(one, "kind", None) == kind
        )
        declared = service.options  # type: ignore[attr-defined]
    return {name: option.wants for name, option in declared.items()}


_ADDRESS = {"base_url": "the address of a compatible server", "key_env": "the variable with the key"}
_JUDGE = "a judge's spec, such as openai:gpt-4o or openai:NAME?base_url=http://127.0.0.1:8000/v1"
_SEE = "images (default) or text: whether the judge sees the pictures"
_CACHE = "a folder for the judge's replies, or off; the shared cache unless you say otherwise"

FAMILIES: tuple[Family, ...] = (
    Family(
        "ref",
        "reference editors, from perfect to useless, for trying things out",
        "ref:noise?strength=2",
        "docs/reference-editors.md",
        options={"strength": "a number above 0; 1 is the default"},
    ),
    Family("folder", "edits that were made elsewhere, as files", "folder:my-outputs", "docs/getting-started.md"),
    Family(
        "python",
        "a class of your own, in this process",
        "python:my_model:MyEditor?steps=30",
        "docs/own-editor.md",
        options={"…": "every option is a keyword argument of the class"},
    ),
    Family(
        "diffusers",
        "a pipeline of the diffusers library, in this process",
        "diffusers:black-forest-labs/FLUX.1-Kontext-dev",
        "docs/diffusers.md",
        extra="local",
        packages=LOCAL,
        gpu=True,
        options={
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
            "call.NAME": "any other argument of the pipeline's call",
        },
    ),
    Family(
        "worker",
        "a program of your own in its own environment, over pipes",
        "worker:env/bin/python my_worker.py?think=1",
        "docs/worker.md",
        gpu=True,
        options={
            "gpus": "N processes, a GPU each",
            "workers": "N processes that share what there is",
            "batch": "the most edits that it gets at once",
            "cwd": "the folder it starts in",
            "startup": "seconds until it must be ready",
            "log": "a file for all that it prints",
            "name": "what tables call it",
            "…": "every other option goes to the worker",
        },
    ),
    Family(
        "http",
        "your own server, or `editscope serve-editor`; https too, options after a #",
        "http://127.0.0.1:8008#concurrency=4",
        "docs/http-editor.md",
        extra="judge",
        packages=HOSTED,
        declared="editscope.editors.http",
    ),
    Family(
        "openai",
        "OpenAI image edits (gpt-image-1, 1.5, 2)",
        "openai:gpt-image-1?quality=high",
        "docs/hosted-editors.md",
        extra="judge",
        packages=HOSTED,
        key_env="OPENAI_API_KEY",
        options=_ADDRESS,
        declared="editscope.editors.hosted.vendors.openai_images",
    ),
    Family(
        "gemini",
        "Google's Gemini image models (Nano Banana)",
        "gemini:gemini-2.5-flash-image",
        "docs/hosted-gemini.md",
        extra="judge",
        packages=HOSTED,
        key_env="GEMINI_API_KEY",
        options=_ADDRESS,
        declared="editscope.editors.hosted.vendors.gemini",
    ),
    Family(
        "bfl",
        "Black Forest Labs (FLUX.1 Kontext, FLUX.2)",
        "bfl:flux-kontext-pro",
        "docs/hosted-bfl.md",
        extra="judge",
        packages=HOSTED,
        key_env="BFL_API_KEY",
        options=_ADDRESS,
        declared="editscope.editors.hosted.vendors.bfl",
    ),
    Family(
        "ark",
        "Volcengine Ark (SeedEdit, Seedream)",
        "ark:doubao-seedream-4-0-250828",
        "docs/hosted-ark.md",
        extra="judge",
        packages=HOSTED,
        key_env="ARK_API_KEY",
        options=_ADDRESS,
        declared="editscope.editors.hosted.vendors.ark",
    ),
    Family(
        "chat",
        "any OpenAI-compatible chat server that answers with pictures",
        "chat:MODEL?base_url=https://openrouter.ai/api/v1&key_env=OPENROUTER_API_KEY",
        "docs/hosted-editors.md",
        extra="judge",
        packages=HOSTED,
        key_env="OPENAI_API_KEY",
        key_needed=False,
        options=_ADDRESS,
        declared="editscope.editors.hosted.vendors.chat_images",
    ),
    Family(
        "rewrite",
        "a language model plans the edit or words the instruction anew",
        "rewrite(judge=openai:gpt-4o):openai:gpt-image-1",
        "docs/wrappers.md",
        extra="judge",
        packages=HOSTED,
        options={
            "judge": _JUDGE,
            "mode": "trace (default), instruction or paraphrase",
            "prompt": "a prompt file of your own",
            "see": _SEE,
            "fallback": "none (default) or original: what to send where the judge says nothing",
            "hint": "true: the judge is told what the suite tells its own judge; an upper bound",
            "cache": _CACHE,
        },
    ),
    Family(
        "best_of",
        "several edits, the best kept",
        "best_of(4, by=miou):diffusers:DIR",
        "docs/wrappers.md",
        options={
            "n": "how many, from 1 to 256 (default 4)",
            "by": "miou, iou@0 … iou@10, edit_accuracy, preservation_accuracy, psnr, or a judge's spec",
            "how": "score (default) or pairs, for a judge",
            "cache": _CACHE,
        },
    ),
    Family(
        "resize",
        "the editor sees another size, its output is mapped back",
        "resize(longest=1024):python:my_model:MyEditor",
        "docs/wrappers.md",
        options={
            "size": "WIDTHxHEIGHT, or several with / between them: the one nearest in aspect ratio",
            "longest": "the longer side in pixels",
            "area": "about so many pixels",
            "multiple": "sides are multiples of this",
            "how": "auto (default), stretch or pad",
            "resample": "lanczos (default), bicubic, bilinear, box or nearest",
            "back": "true (default) or false",
        },
    ),
    Family(
        "join",
        "several pictures as one, for an editor that takes one",
        "join(row, gap=16):diffusers:DIR",
        "docs/wrappers.md",
        options={
            "how": "row (default), column or grid",
            "gap": "white pixels between them (default 0)",
            "tell": "true (default) or false: say before the instruction which is which",
        },
    ),
    Family(
        "turns",
        "an instruction in steps, each on the last output",
        "turns(judge=openai:gpt-4o):gemini:gemini-2.5-flash-image",
        "docs/wrappers.md",
        options={
            "n": "at most so many steps (default 8)",
            "split": "auto (default), numbered, lines, semicolons or sentences",
            "judge": _JUDGE + ", which divides instead",
            "see": _SEE,
            "cache": _CACHE,
        },
    ),
)


def importable(package: str) -> bool:
    """Whether a package is installed, looked up without importing it."""
    try:
        return find_spec(package) is not None
    except (ImportError, ValueError):
        return False


def family(kind: str) -> Family:
    """The family of a kind; BadInput with the nearest one where there is none."""
    wanted = "http" if kind == "https" else kind
    for one in FAMILIES:
        if one.kind == wanted:
            return one
    raise unknown("kind of editor", kind, [one.kind for one in FAMILIES])
