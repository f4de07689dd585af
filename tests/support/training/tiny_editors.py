"""Tiny random flow editors and pairs to train them on."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from editscope.images import Pixels
from editscope.training.data.examples import EditExample
from support.models.tiny_pipelines import save_kontext, save_qwen_plus

AREA = 64 * 64
FAMILIES: Mapping[str, Callable[[Path], Path]] = {
    "kontext": save_kontext,
    "qwen": lambda folder: save_qwen_plus(folder, plus=False),
    "qwen_plus": save_qwen_plus,
}


@contextmanager
def small_pipelines() -> Iterator[None]:
    """One thread; and Qwen's pipelines, which see pictures at a megapixel whatever the size of the edit, see less."""
    import torch

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # libraries that are compiled anew warn about their own strings
        from diffusers.pipelines.qwenimage import pipeline_qwenimage_edit as qwen

    original = qwen.calculate_dimensions
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("diffusers.pipelines.qwenimage.pipeline_qwenimage_edit_plus.VAE_IMAGE_SIZE", AREA)
        patch.setattr(qwen, "calculate_dimensions", lambda area, ratio: original(AREA, ratio))
        patch.setenv("OMP_NUM_THREADS", "1")
        yield
    torch.set_num_threads(before)


def settings_for(name: str, folder: Path, **more: Any) -> Any:
    """The settings of a tiny model; pictures that Qwen's network sees are small too."""
    from editscope.training.models.settings import ModelSettings

    values: dict[str, Any] = {"precision": "fp32", "device": "cpu", "keep": "all"}
    if name == "kontext":
        values["text_tokens"] = 24
    else:
        values["input_area"] = AREA
    return ModelSettings(str(folder), **{**values, **more})


def picture(seed: int, height: int = 64, width: int = 64) -> Pixels:
    """A smooth picture of blocks."""
    blocks = np.random.default_rng(seed).integers(0, 256, (height // 16, width // 16, 3), np.uint8)
    return np.ascontiguousarray(blocks.repeat(16, 0).repeat(16, 1))


def pairs(count: int, height: int = 64, width: int = 64) -> list[EditExample]:
    """Edits to learn: each picture turned around, and one word."""
    words = ("turn", "flip", "mirror", "rotate", "spin", "move", "bend", "fold")
    return [
        EditExample(
            id=f"pair/{number}",
            part="pairs",
            pictures=(picture(number, height, width),),
            instruction=words[number % len(words)],
            answer=np.ascontiguousarray(picture(number, height, width)[::-1]),
        )
        for number in range(count)
    ]


class ListLoader:
    """The examples of a list, over and over, in batches of one size; an order of its own for each epoch."""

    def __init__(self, examples: Sequence[EditExample], batch: int, seed: int = 0) -> None:
        self._examples, self._batch, self._seed = tuple(examples), batch, seed
        self._position = 0

    def __iter__(self) -> Iterator[Sequence[EditExample]]:
        while True:
            batch = [self._at(self._position + number) for number in range(self._batch)]
            self._position += self._batch
            yield batch

    def state(self) -> Mapping[str, Any]:
        return {"position": self._position}

    def load_state(self, state: Mapping[str, Any]) -> None:
        self._position = int(state["position"])

    def _at(self, position: int) -> EditExample:
        epoch, place = divmod(position, len(self._examples))
        order = np.random.default_rng([self._seed, epoch]).permutation(len(self._examples))
        return self._examples[int(order[place])]
