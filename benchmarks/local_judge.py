"""How fast a local judge gives verdicts: weighing the allowed answers in batches, against writing replies one by one.

python benchmarks/local_judge.py                        # a tiny random model, to see that it runs
python benchmarks/local_judge.py --size 3b --calls 64   # the size of Qwen2.5-VL-3B, random weights, on a GPU
"""

from __future__ import annotations

import argparse
import asyncio
import io
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from PIL import Image

from editscope.judges import Call, Field, Judge, Picture, Schema
from editscope.judges.local.judge import load
from editscope.judges.local.model import LocalModel, ModelPlacement

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

SIZES: dict[str, dict[str, Any]] = {
    "tiny": {},
    "3b": {
        "text": {
            "hidden_size": 2048,
            "intermediate_size": 11008,
            "num_hidden_layers": 36,
            "num_attention_heads": 16,
            "num_key_value_heads": 2,
            "rope_parameters": {"rope_type": "default", "rope_theta": 1e6, "mrope_section": [16, 24, 24]},
            "initializer_range": 0.02,
        },
        "pictures": {
            "depth": 32,
            "hidden_size": 1280,
            "intermediate_size": 3420,
            "num_heads": 16,
            "out_hidden_size": 2048,
            "fullatt_block_indexes": [7, 15, 23, 31],
            "window_size": 112,
            "initializer_range": 0.02,
        },
        "most_pixels": 12845056,
        "dtype": "bfloat16",
    },
}
REPLY = 64
"""Tokens of a reply that is written out: a short reason and a score."""


def call(number: int, side: int) -> Call:
    dice = np.random.default_rng(number)
    coarse = dice.integers(0, 256, (2, 8, 8, 3), dtype=np.uint8)
    pictures = []
    for pixels in coarse:
        target = io.BytesIO()
        Image.fromarray(pixels).resize((side, side), Image.Resampling.BICUBIC).save(target, "JPEG", quality=90)
        pictures.append(Picture(target.getvalue()))
    prompt = "Compare the two pictures and score from 1 to 5 how well the instruction was followed. " * 12
    return Call(f"c{number}", (prompt, pictures[0], "after:", pictures[1]), Schema((Field("score", "integer", 1, 5),)))


def written(folder: Path, calls: list[Call]) -> float:
    """Seconds for replies written token by token, one call after the other."""
    model = LocalModel(folder, ModelPlacement())
    model.continued([model.shown(calls[0])], [()], REPLY)
    start = time.perf_counter()
    for one in calls:
        model.continued([model.shown(one)], [()], REPLY)
    return time.perf_counter() - start


def weighed(folder: Path, calls: list[Call], batch: int) -> float:
    """Seconds for verdicts by likelihood, ``batch`` calls at a time."""

    async def work(judge: Judge) -> float:
        await judge.check()
        await asyncio.gather(*(judge.ask(one) for one in calls[:batch]))
        start = time.perf_counter()
        said = await asyncio.gather(*(judge.ask(one) for one in calls))
        took = time.perf_counter() - start
        assert {one.status for one in said} == {"ok"}, said[0]
        await judge.close()
        return took

    return asyncio.run(work(load(str(folder), batch=str(batch))))


def main() -> None:
    """Print the table."""
    import torch

    from support.models.tiny_vlm import save_tiny_vlm

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", choices=SIZES, default="tiny")
    parser.add_argument("--calls", type=int, default=32)
    parser.add_argument("--side", type=int, default=512)
    arguments = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    calls = [call(number, arguments.side) for number in range(arguments.calls)]
    few = calls[: max(2, len(calls) // 8)]
    with TemporaryDirectory() as home:
        folder = save_tiny_vlm(Path(home) / "model", device=device, **SIZES[arguments.size])
        name = torch.cuda.get_device_name() if device == "cuda" else "CPU"
        print(f"{arguments.size}, {name}, two pictures of {arguments.side} px a call")
        baseline = written(folder, few) / len(few)
        print(f"{'replies of 64 tokens, one by one':<34} {1 / baseline:8.2f} verdicts/s      1.0")
        for batch in (1, 4, 16):
            each = weighed(folder, calls, batch) / len(calls)
            print(f"{f'weighed, batches of {batch}':<34} {1 / each:8.2f} verdicts/s {baseline / each:8.1f}")


if __name__ == "__main__":
    main()
