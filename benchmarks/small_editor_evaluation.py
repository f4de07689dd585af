"""Evaluation for small_editor_training.py: problems at full size, scored like those of a run, without ONNX Runtime."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from editscope.compiled import compile_ahead
from editscope.editors.small.inputs import INPUTS, inputs_of
from editscope.editors.small.painting import painted
from editscope.scoring.pixels import score_pixels
from editscope.suites.paintbench.lessons import problem_at
from editscope.suites.paintbench.slots import PaintSlot
from editscope.training.small.network import SmallNetwork

MODULES = (
    "editscope.suites.paintbench.raster",
    "editscope.suites.paintbench.make",
    "editscope.editors.small.painting",
    "editscope.scoring.pixels",
)


BATCH = 32


@dataclass(frozen=True, slots=True)
class ProblemScore:
    """The score of one problem."""

    task: str
    mode: str
    condition: str
    miou: float


def evaluate(network: SmallNetwork, slots: Sequence[PaintSlot], workers: int, device: str) -> list[ProblemScore]:
    """Scores of problems: worker processes make and score them, the network edits them in batches."""
    context = multiprocessing.get_context("spawn")
    groups = [slots[at : at + BATCH] for at in range(0, len(slots), BATCH)]
    with ProcessPoolExecutor(workers, mp_context=context, initializer=_warm) as pool:
        reading = [[pool.submit(_inputs, slot) for slot in group] for group in groups]
        scoring = []
        for group, jobs in zip(groups, reading, strict=True):
            inputs = [job.result() for job in jobs]
            for slot, outputs in zip(group, _outputs(network, inputs, device), strict=True):
                scoring.append((slot, pool.submit(_score, slot, outputs)))
        return [ProblemScore(slot.task, slot.mode, slot.condition, job.result()) for slot, job in scoring]


@torch.no_grad()
def _outputs(network: SmallNetwork, inputs: Sequence[Mapping[str, Any]], device: str) -> Iterator[dict[str, Any]]:
    stacked = {name: torch.from_numpy(np.stack([each[name] for each in inputs])).to(device) for name in INPUTS}
    with torch.autocast(device, torch.bfloat16, enabled=device != "cpu"):
        prediction = network(*(stacked[name] for name in INPUTS))
    for place in range(len(inputs)):
        yield {
            "choice": prediction.choice[place].half().cpu().numpy(),
            "field": prediction.field[place].float().cpu().numpy(),
            "progress": prediction.progress[place].float().cpu().numpy(),
            "color_map": prediction.color_map[place].float().cpu().numpy(),
            "ends": prediction.ends[place].float().cpu().numpy(),
            "figure": prediction.figure[place].float().cpu().numpy(),
        }


def _warm() -> None:
    torch.set_num_threads(1)
    compile_ahead(MODULES)


def _inputs(slot: PaintSlot) -> dict[str, Any]:
    before, _, instruction = problem_at(slot)
    return inputs_of(before, instruction)[0]


def _score(slot: PaintSlot, outputs: Mapping[str, Any]) -> float:
    before, after, instruction = problem_at(slot)
    read = inputs_of(before, instruction)[1]
    edit, _ = painted(before, read, **{name: value.astype(np.float32) for name, value in outputs.items()})
    return 100 * float(score_pixels(before, after, edit).miou)
