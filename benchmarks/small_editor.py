"""The small editor: what 8 bits cost, whether ONNX Runtime and PyTorch agree, and the time of an edit on one core.

Edits every 20th problem of the default set: with the weights of a checkpoint as floats in PyTorch, with the file that
is exported from it in ONNX Runtime, and, for some problems, with the numbers of that file in PyTorch. ``--weights``
takes a file that was exported from the checkpoint before, such as the one that ships.

    taskset -c 0 python benchmarks/small_editor.py CHECKPOINT [--every 20] [--same 12] [--weights FILE]
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path
from statistics import fmean, median

import numpy as np
import torch

from editscope.editors.small.editor import SmallEditor
from editscope.editors.small.inputs import INPUTS, OUTPUTS, inputs_of
from editscope.editors.small.painting import painted
from editscope.editors.small.sentences import read_sentence
from editscope.errors import BadInput
from editscope.images import Pixels
from editscope.scoring.pixels import score_pixels
from editscope.suites.paintbench.lessons import default_slots, problem_at
from editscope.training.small.export import exported, read_average, stored
from editscope.training.small.network import SmallNetwork
from small_editor_interval import mean_interval


@torch.no_grad()
def torch_edit(network: SmallNetwork, picture: Pixels, instruction: str) -> Pixels:
    """The edit of a network on the CPU, in float32."""
    inputs, read = inputs_of(picture, instruction)
    prediction = network(*(torch.from_numpy(inputs[name])[None] for name in INPUTS))
    return painted(picture, read, *(getattr(prediction, name)[0].numpy() for name in OUTPUTS))[0]


def written(network: SmallNetwork, folder: Path) -> str:
    """Export a network to a weights file in ``folder``."""
    file = folder / "checkpoint.weights"
    file.write_bytes(exported(network))
    return str(file)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("--every", type=int, default=20)
    parser.add_argument("--same", type=int, default=12)
    parser.add_argument("--weights", default="", help="a weights file [exported from CHECKPOINT]")
    given = parser.parse_args()
    torch.set_num_threads(1)
    try:
        network = read_average(given.checkpoint)
        with tempfile.TemporaryDirectory() as folder:
            editor = SmallEditor(given.weights or written(network, Path(folder)))
            began = time.process_time()
            editor.load()
    except BadInput as error:
        sys.exit(str(error))
    loading = time.process_time() - began
    as_in_file = stored(network)
    floats, packed, seconds, apart, pixels = [], [], [], [], []
    for place, slot in enumerate(default_slots(given.every)):
        before, after, instruction = problem_at(slot)
        began = time.process_time()
        edit = editor.painted(before, read_sentence(instruction))
        seconds.append(time.process_time() - began)
        packed.append(100 * score_pixels(before, after, edit).miou)
        floats.append(100 * score_pixels(before, after, torch_edit(network, before, instruction)).miou)
        if place < given.same * 8 and place % 8 == 0:
            other = torch_edit(as_in_file, before, instruction)
            away = np.abs(edit.astype(np.int16) - other).max(axis=2)
            apart.append(int(away.max()))
            pixels.append(int((away > 1).sum()))
        print(f"{slot.task} {slot.mode} {slot.condition} {floats[-1]:.2f} {packed[-1]:.2f}", flush=True)
    lost = np.array(floats) - np.array(packed)
    low, high = mean_interval(lost)
    print(
        json.dumps(
            {
                "problems": len(lost),
                "miou in floats": round(fmean(floats), 3),
                "miou in 8 bits": round(fmean(packed), 3),
                "lost": round(float(lost.mean()), 3),
                "lost, 95 %": [round(low, 3), round(high, 3)],
                "loading, s of one core": round(loading, 2),
                "an edit, s of one core, median": round(median(seconds), 3),
                "an edit, s of one core, longest after the first": round(max(seconds[1:]), 3),
                "edits compared with PyTorch": len(apart),
                "largest difference, levels": max(apart, default=0),
                "pixels off by more than one level": sum(pixels),
            },
            indent=1,
        )
    )


if __name__ == "__main__":
    main()
