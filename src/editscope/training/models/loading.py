"""Loader of flow editors: a diffusers pipeline by folder or repository, ready to be trained."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import torch

from editscope.editors.diffusion.finding import fetched_index, need_libraries, weights_identity
from editscope.editors.diffusion.loading import load_pipeline
from editscope.editors.diffusion.options import PipelineOptions
from editscope.errors import BadInput
from editscope.training.activations import prepare_blocks
from editscope.training.models.kontext import KontextEditor
from editscope.training.models.lora import add_lora
from editscope.training.models.lora_start import load_start
from editscope.training.models.parts import check_parts
from editscope.training.models.pipeline_editor import PipelineFlowEditor
from editscope.training.models.qwen import QwenEditor, QwenPlusEditor
from editscope.training.models.settings import LoraSettings, ModelSettings


def _kontext(pipe: Any, settings: ModelSettings) -> PipelineFlowEditor:
    if settings.input_area:
        raise BadInput("[model] input_area: FLUX.1 Kontext sees input pictures in the size of the edit; remove it")
    return KontextEditor(pipe, guidance=settings.guidance, text_tokens=settings.text_tokens)


def _qwen(pipe: Any, settings: ModelSettings) -> PipelineFlowEditor:
    return QwenEditor(pipe, guidance=settings.guidance, input_area=settings.input_area)


def _qwen_plus(pipe: Any, settings: ModelSettings) -> PipelineFlowEditor:
    return QwenPlusEditor(pipe, guidance=settings.guidance, input_area=settings.input_area)


FAMILIES: Mapping[str, Callable[[Any, ModelSettings], PipelineFlowEditor]] = MappingProxyType(
    {
        "FluxKontextPipeline": _kontext,
        "QwenImageEditPipeline": _qwen,
        "QwenImageEditPlusPipeline": _qwen_plus,
    }
)
"""The pipelines that can be trained, by the name of their class."""


def check_pipeline(settings: ModelSettings) -> Mapping[str, Any]:
    """The index of a pipeline that can be trained; BadInput for others, before any weights are loaded."""
    try:
        need_libraries(settings.pipeline)
        index = fetched_index(settings.pipeline, settings.revision)
    except BadInput as error:
        raise BadInput(_of_entry(str(error), settings.pipeline)) from error
    name = str(index["_class_name"])
    if name not in FAMILIES:
        raise BadInput(
            f"[model] pipeline: {settings.pipeline} is a {name}, which cannot be trained here; use one of "
            f"{', '.join(FAMILIES)}"
        )
    check_parts(settings.pipeline, index)
    return index


def _of_entry(message: str, pipeline: str) -> str:
    """What the editor of a pipeline says of it, as an error of the entry that names it."""
    about = message.removeprefix(f"editor diffusers:{pipeline}").removeprefix(":").strip()
    return f"[model] pipeline: {pipeline}: {about.replace('write diffusers:FOLDER', 'write that folder')}"


def load_flow_editor(settings: ModelSettings, *, full: bool = False, device: str | None = None) -> PipelineFlowEditor:
    """The flow editor of a pipeline, on its device.

    With bf16, frozen weights are bf16. Where the whole network is trained (``full``), its weights stay
    float32, so that small steps are not lost, and are rounded only where they are used.
    """
    index = check_pipeline(settings)
    exact = full or settings.precision == "fp32"
    options = PipelineOptions(
        dtype="float32" if exact else "bfloat16", device=device or settings.device, revision=settings.revision
    )
    pipe = load_pipeline(settings.pipeline, options, index).pipe
    if full and settings.precision == "bf16":
        for name, part in pipe.components.items():
            if isinstance(part, torch.nn.Module) and name != "transformer":
                part.to(torch.bfloat16)
    editor = FAMILIES[str(index["_class_name"])](pipe, settings)
    editor.bf16 = settings.precision == "bf16"
    editor.network.requires_grad_(full)
    editor.network.train()
    return editor


def load_trained_editor(
    settings: ModelSettings,
    lora: LoraSettings | None,
    *,
    device: str | None = None,
    start: Path | None = None,
    where: str = "[lora]",
) -> PipelineFlowEditor:
    """The flow editor as it is trained: with LoRA layers or as a whole, and blocks that keep what the settings say.

    ``start`` is a file with a LoRA that the layers begin with; ``where`` is the table of the LoRA, as errors name it.
    """
    editor = load_flow_editor(settings, full=lora is None, device=device)
    if lora is not None:
        add_lora(editor.network, lora, where)
        if start is not None:
            load_start(start, editor.network, lora, where)
    prepare_blocks(editor.network, settings.keep, compiled=settings.compile)
    return editor


def model_identity(settings: ModelSettings) -> str:
    """Which weights they are: the commit of a repository, or a hash of what lies in a folder."""
    return weights_identity(settings.pipeline, [], settings.revision)
