"""What an editor adds to a diffusers pipeline, and what several edits in one call save.

python benchmarks/diffusers_batch.py                                     # a tiny random FLUX Kontext on the CPU
python benchmarks/diffusers_batch.py --model DIR --side 1024 --steps 28  # a real one that can make several at once
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from editscope.editors import Request, load_editor
from editscope.editors.diffusion.calling import PipelineInput
from editscope.editors.diffusion.quiet import quiet

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))


def requests(count: int, side: int) -> list[Request]:
    """Requests with different pictures of one size."""
    found = []
    for number in range(count):
        picture = np.full((side, side, 3), 200, np.uint8)
        picture[side // 4 : side // 2, side // 8 : side // 2] = np.random.default_rng(number).integers(0, 256, 3)
        found.append(Request(f"case/{number}", (picture,), f"Paint the box number {number} green.", number))
    return found


def rate(work: Callable[[], Any], count: int, times: int = 3) -> float:
    """Edits a second, the best of some attempts after one that warms up."""
    work()
    best = float("inf")
    for _ in range(times):
        began = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - began)
    return count / best


def main() -> None:
    """Measure and print the table."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--model", default="", help="the folder of a pipeline; a tiny random one without it")
    asked.add_argument("--edits", type=int, default=8)
    asked.add_argument("--side", type=int, default=128)
    asked.add_argument("--steps", type=int, default=4)
    given = asked.parse_args()
    with TemporaryDirectory() as folder:
        model = given.model
        if not model:
            from support.models.tiny_pipelines import save_kontext

            model = str(save_kontext(Path(folder) / "kontext"))
        measure(model, given.edits, given.side, given.steps)


def measure(model: str, count: int, side: int, steps: int) -> None:
    """Print edits a second: the pipeline itself, the editor, and the editor with several edits in a call."""
    todo = requests(count, side)
    rows: list[tuple[str, float]] = []
    for batch in (1, 2, 4, 8):
        if batch > count:
            continue
        editor: Any = load_editor(f"diffusers:{model}?steps={steps}&max_area={side * side}&batch={batch}")
        editor.load()
        if batch == 1:
            rows.append(("the pipeline, called directly, one by one", rate(partial(direct, editor, todo), count)))
            rows.append(("the editor, one by one", rate(partial(one_by_one, editor, todo), count)))
        else:
            rows.append((f"the editor, {batch} in a call", rate(partial(in_batches, editor, todo), count)))
        editor.close()
    cores = os.cpu_count()
    print(f"{Path(model).name}, {side} x {side}, {steps} steps, {count} edits, {cores} cores")
    print(f"{'':46}{'edits/s':>9}{'ratio':>8}")
    for name, found in rows:
        print(f"{name:46}{found:9.2f}{found / rows[0][1]:8.2f}")


def direct(editor: Any, todo: list[Request]) -> None:
    """The same edits by calling the pipeline, as a script would."""
    import torch

    pipe, way = editor._loaded.pipe, editor._way
    for one in todo:
        arguments = way.arguments(
            [PipelineInput(one.images, one.instruction, one.seed)],
            one.images[0].size,
            [torch.Generator("cpu").manual_seed(one.seed)],
        )
        with quiet():
            pipe(**{**arguments, "output_type": "pil"})


def one_by_one(editor: Any, todo: list[Request]) -> None:
    """All edits, each by itself."""
    for one in todo:
        editor.edit(one)


def in_batches(editor: Any, todo: list[Request]) -> None:
    """All edits, as many in a call as the editor takes."""
    for at in range(0, len(todo), editor.batch):
        editor.edit_batch(todo[at : at + editor.batch])


if __name__ == "__main__":
    main()
