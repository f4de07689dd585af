"""Processors of text and pictures that want torchvision only for video, made without it."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

BY_NAME = ("Qwen2VLProcessor", "Qwen2_5_VLProcessor", "Qwen3VLProcessor")
"""Processors that consist of a tokenizer, one for pictures and one for films."""


def has_torchvision() -> bool:
    """Whether torchvision is installed."""
    return find_spec("torchvision") is not None


def for_pictures(target: str, folder: Path | None, revision: str | None, index: Mapping[str, Any]) -> dict[str, Any]:
    """The processors that have to be made here because torchvision is missing, by the name of their component.

    An edit shows no film, so nothing is lost: the part for films is left out and pictures are prepared with Pillow.
    """
    if has_torchvision():
        return {}
    parts: dict[str, Any] = {}
    for component, kind in index.items():
        if isinstance(kind, list | tuple) and len(kind) == 2 and kind[1] in BY_NAME:
            parts[component] = _for_pictures(folder or target, component, str(kind[1]), None if folder else revision)
    return parts


def _for_pictures(where: Path | str, component: str, name: str, revision: str | None) -> Any:
    transformers: Any = import_module("transformers")
    kind: Any = getattr(transformers, name)

    class ImagesOnly(kind):  # type: ignore[misc]
        def check_argument_for_proper_class(self, argument: str, given: Any) -> Any:
            return None if given is None else super().check_argument_for_proper_class(argument, given)

    ImagesOnly.__name__ = ImagesOnly.__qualname__ = name
    pillow = {"use_fast": False} if transformers.__version__.startswith("4.") else {"backend": "pil"}
    place: dict[str, Any] = {"subfolder": component, "revision": revision}
    pictures = transformers.AutoImageProcessor.from_pretrained(where, **place, **pillow)
    tokenizer = transformers.AutoTokenizer.from_pretrained(where, **place)
    return ImagesOnly(image_processor=pictures, tokenizer=tokenizer, chat_template=tokenizer.chat_template)
