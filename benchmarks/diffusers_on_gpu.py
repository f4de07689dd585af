"""The diffusers editor on a GPU with each of its options: does it work, how long does it take, how much memory.

    python benchmarks/diffusers_on_gpu.py [--models DIR] [--families kontext qwen] [--options "dtype=bf16" …]

Pipelines are tiny and random, made by the tests' own code into DIR unless they are there. Each row loads the pipeline
anew and makes three edits of a picture of 256²: seconds to load, of the first edit, of the third, and the most memory.
The last column compares the third edit with that of the first row: the largest difference of a pixel. Options are
written as in a spec, several with "&" between.
"""

from __future__ import annotations

import argparse
import gc
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch

from editscope.editors.base import Request
from editscope.editors.diffusion import load
from editscope.images import Pixels

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

OPTIONS = (
    "dtype=fp32",
    "dtype=bf16",
    "dtype=fp16",
    "dtype=bf16&offload=model",
    "dtype=bf16&offload=sequential",
    "dtype=bf16&device_map=balanced",
    "dtype=bf16&device_map=cuda",
    "dtype=bf16&vae_tiling=1&vae_slicing=1",
    "dtype=bf16&attention_slicing=1",
    "dtype=bf16&batch=2",
    "dtype=bf16&compile=1",
    "dtype=bf16&compile=1&offload=model",
    "dtype=bf16&compile=1&device_map=balanced",
    "dtype=bf16&lora",
    "dtype=bf16&lora&fuse=1",
    "dtype=bf16&lora&compile=1",
)
SIDE = 256


def read(text: str, lora: Path) -> dict[str, Any]:
    """The options of a row; ``lora`` alone stands for weights that are there."""
    options: dict[str, Any] = {}
    for part in text.split("&"):
        name, _, value = part.partition("=")
        options[name] = int(value) if value.isdigit() else value or str(lora)
    return options


def edits(folder: Path, options: dict[str, Any]) -> tuple[list[float], float | None, Pixels]:
    """Seconds of loading, of the first and of the third edit, the most memory, and the third edit."""
    editor = load(str(folder), steps=4, **options)
    picture = np.random.default_rng(0).integers(0, 256, (SIDE, SIDE, 3), np.uint8)
    began = time.perf_counter()
    editor.check()
    editor.load()
    took = [time.perf_counter() - began]
    number = int(options.get("batch", 1))
    for _ in range(3):
        asked = [Request(f"case-{at}", (picture,), "make the sky green", seed=at) for at in range(number)]
        began = time.perf_counter()
        made: Any = editor.edit_batch(asked) if number > 1 else [editor.edit(asked[0])]
        took.append(time.perf_counter() - began)
        for edit in made:
            if edit.image is None:
                raise RuntimeError(f"{edit.status}: {edit.reason}")
    editor.close()
    return [took[0], took[1], took[3]], made[0].memory_mb, np.asarray(made[0].image)


def row(folder: Path, text: str, lora: Path, first: Pixels | None) -> tuple[str, Pixels | None]:
    """One row of the table."""
    try:
        took, memory, image = edits(folder, read(text, lora))
    except Exception as error:
        said = " ".join(str(error).split())[:500]
        return f"| {folder.name} | {text} | {type(error).__name__}: {said} |", first
    finally:
        gc.collect()
        torch._dynamo.reset()
        if torch.cuda.is_available():
            torch.cuda.empty_cache()
    apart = 0 if first is None else int(np.abs(image.astype(int) - first.astype(int)).max())
    seconds = " | ".join(f"{each:.2f}" for each in took)
    return f"| {folder.name} | {text} | works | {seconds} | {memory} | {apart} |", image if first is None else first


def main() -> None:
    """Try every option and print."""
    from support.models.tiny_pipelines import save_kontext, save_lora, save_qwen_plus

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=Path)
    parser.add_argument("--families", nargs="+", default=["kontext", "qwen"])
    parser.add_argument("--options", nargs="+", default=list(OPTIONS))
    given = parser.parse_args()
    models = given.models or Path(tempfile.mkdtemp())
    device = torch.cuda.get_device_name() if torch.cuda.is_available() else "CPU"
    print(f"{device}, PyTorch {torch.__version__}")
    print("| pipeline | options | | load, s | first edit, s | third edit, s | MB | difference |")
    print("| --- | --- | --- | ---: | ---: | ---: | ---: | ---: |", flush=True)
    for name in given.families:
        folder, lora = models / name, models / f"{name}-lora"
        if not folder.exists():
            (save_kontext if name == "kontext" else save_qwen_plus)(folder)
        if not lora.exists():
            save_lora(lora, folder)
        first = None
        for text in given.options:
            shown, first = row(folder, text, lora, first)
            print(shown, flush=True)


if __name__ == "__main__":
    main()
