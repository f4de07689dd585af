"""Evaluation of the small editor while it trains: problems at full size, scored as a run scores them."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from editscope.compiled import compile_ahead
from editscope.editors.small.inputs import INPUTS, network_inputs
from editscope.editors.small.painting import painted
from editscope.editors.small.pictures import ReadPicture, read_picture
from editscope.editors.small.sentences import read_sentence
from editscope.images import Pixels
from editscope.suites.paintbench.lessons import hierarchical_means, problem_at
from editscope.suites.paintbench.slots import Overrides, PaintSlot
from editscope.training.small.network import SmallNetwork

MODULES = (
    "editscope.suites.paintbench.raster",
    "editscope.suites.paintbench.make",
    "editscope.editors.small.painting",
    "editscope.scoring.pixels",
)


@dataclass(frozen=True, slots=True)
class ProblemScore:
    """The score of one problem."""

    task: str
    mode: str
    condition: str
    miou: float


def inputs_of(picture: Pixels, instruction: str) -> tuple[dict[str, Any], ReadPicture]:
    """What the network gets of a picture and a sentence, and the picture as it was read."""
    sentence = read_sentence(instruction)
    read = read_picture(picture, sentence.codes)
    return network_inputs(sentence, read), read


def evaluate(
    network: SmallNetwork, slots: Sequence[PaintSlot], workers: int, device: str, namespace: str = "paintbench"
) -> list[ProblemScore]:
    """Scores of problems: workers make and score them, the network edits them in batches."""
    scores: list[ProblemScore] = []
    context = multiprocessing.get_context("spawn")
    chunk = 32
    with ProcessPoolExecutor(workers, mp_context=context, initializer=_warm) as pool:
        groups = [slots[at : at + chunk] for at in range(0, len(slots), chunk)]
        reading = [[pool.submit(_read, slot, namespace) for slot in group] for group in groups]
        scoring = []
        for group, jobs in zip(groups, reading, strict=True):
            arrays = [job.result() for job in jobs]
            for slot, said in zip(group, _said(network, arrays, device), strict=True):
                scoring.append((slot, pool.submit(_score, slot, namespace, said)))
        for slot, job in scoring:
            scores.append(ProblemScore(slot.task, slot.mode, slot.condition, job.result()))
    return scores


@torch.no_grad()
def _said(network: SmallNetwork, arrays: Sequence[Mapping[str, Any]], device: str) -> Iterator[dict[str, Any]]:
    stacked = {name: torch.from_numpy(np.stack([one[name] for one in arrays])).to(device) for name in arrays[0]}
    with torch.autocast(device, torch.bfloat16, enabled=device != "cpu"):
        said = network(*(stacked[name] for name in INPUTS))
    for place in range(len(arrays)):
        yield {
            "choice": said.choice[place].half().cpu().numpy(),
            "field": said.field[place].float().cpu().numpy(),
            "progress": said.progress[place].float().cpu().numpy(),
            "color_map": said.color_map[place].float().cpu().numpy(),
            "ends": said.ends[place].float().cpu().numpy(),
            "figure": said.figure[place].float().cpu().numpy(),
        }


def _warm() -> None:
    torch.set_num_threads(1)
    compile_ahead(MODULES)


def _read(slot: PaintSlot, namespace: str) -> dict[str, Any]:
    before, _, instruction = problem_at(slot, Overrides(namespace=namespace))
    return inputs_of(before, instruction)[0]


def _score(slot: PaintSlot, namespace: str, said: Mapping[str, Any]) -> float:
    from editscope.scoring.pixels import score_pixels

    before, after, instruction = problem_at(slot, Overrides(namespace=namespace))
    read = inputs_of(before, instruction)[1]
    numbers = {name: value.astype(np.float32) for name, value in said.items()}
    edit, _ = painted(before, read, **numbers)
    return 100 * float(score_pixels(before, after, edit).miou)


def means(scores: Sequence[ProblemScore]) -> dict[str, float]:
    """The mean of each task, and over all by the benchmark's hierarchy."""
    return hierarchical_means([(one.task, one.miou) for one in scores])
