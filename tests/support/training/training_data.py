"""Small data for tests of training."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import xxhash

from editscope.training.data.examples import EditExample
from editscope.training.data.loader import ExampleLoader, open_loader
from editscope.training.data.settings import DataSettings, data_settings
from support.small_sets import make_small_set


def small_part(folder: Path, **more: Any) -> dict[str, Any]:
    """A part of twelve records of 48×48 pixels."""
    if not folder.exists():
        make_small_set(folder)
    return {"source": "suite:paintbench", "data": str(folder), **more}


def settings_of(*parts: dict[str, Any], sizes: dict[str, Any] | None = None, **more: Any) -> DataSettings:
    """Settings as an experiment file would have them, without worker processes unless they are asked for."""
    return data_settings({"workers": 0, "parts": list(parts), "sizes": sizes or {}, **more}, "test.toml")


def opened(settings: DataSettings, batch: int = 2, **options: Any) -> ExampleLoader:
    """A loader that was checked."""
    return open_loader(settings, **{"batch": batch, "where": "test.toml", **options})


def seen(batches: Iterable[Iterable[EditExample]]) -> list[list[tuple[str, str, str]]]:
    """What tells batches apart: ids, instructions and all pixels."""
    return [[(example.id, example.instruction, _digest(example)) for example in batch] for batch in batches]


def _digest(example: EditExample) -> str:
    digest = xxhash.xxh3_64()
    for picture in (*example.pictures, *(() if example.answer is None else (example.answer,))):
        digest.update(str(picture.shape).encode())
        digest.update(picture.tobytes())
    return digest.hexdigest()
