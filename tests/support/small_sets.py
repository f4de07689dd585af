"""Small made sets in the released layout, and outputs for them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np

from editscope.images import Pixels, write_png

SMALL_TASKS = ("border", "recolor", "removal", "translation")


def make_small_set(root: Path, per_task: int = 3, side: int = 48) -> Path:
    """A pixel set with tiny pictures: a colored square that the answer recolors."""
    for t, task in enumerate(SMALL_TASKS):
        for number in range(per_task):
            rng = np.random.default_rng(100 * t + number)
            before = np.full((side, side, 3), rng.integers(0, 256, 3), np.uint8)
            top, left = rng.integers(2, side // 2, 2)
            after = before.copy()
            after[top : top + 12, left : left + 16] = rng.integers(0, 256, 3)
            stem = root / task / f"{number:03d}"
            write_png(stem.with_name(f"{stem.name}_input.png"), before)
            write_png(stem.with_name(f"{stem.name}_answer.png"), after)
            fields = {
                "instruction": f"Paint the square number {number}.",
                "task": task,
                "category": "color_change",
                "mode": "default",
                "visual_condition": "baseline",
                "seed": number,
            }
            stem.with_suffix(".json").write_text(json.dumps(fields))
    return root


def put_small_outputs(data: Path, outputs: Path, change: Callable[[Pixels], Pixels] = lambda answer: answer) -> Path:
    """Outputs in the released layout for every problem of a set: its answer, changed."""
    from editscope.images import load

    for answer in sorted(data.glob("*/*_answer.png")):
        number = int(answer.name.removesuffix("_answer.png"))
        write_png(outputs / answer.parent.name / f"{number:04d}_output.png", change(load(answer)))
    return outputs
