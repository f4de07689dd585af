"""Lessons of the small editor: how an answer was made, and that painting can make it again."""

from __future__ import annotations

import os
import subprocess
import sys
from hashlib import sha256
from statistics import fmean

import numpy as np
import pytest
import torch

from editscope.editors.small.inputs import inputs_of
from editscope.editors.small.painting import ACTIONS, COPY, FIGURE, KEEP, KINDS, MAP, NUMBERS, painted
from editscope.editors.small.painting import RAMP as RAMP_ACTION
from editscope.editors.small.pictures import COLORS, OUTSIDE, SIDE
from editscope.images import Pixels
from editscope.scoring.pixels import score_pixels
from editscope.suites.paintbench.catalog import MODES
from editscope.suites.paintbench.lessons import Lesson, lesson_at
from editscope.suites.paintbench.slots import Overrides, PaintSlot
from editscope.training.small.examples import RAMP, example_of
from editscope.training.small.geometry import copied_places
from editscope.training.small.loss import progress_of
from editscope.training.small.stream import ExampleStream, batches, cells_of

pytestmark = pytest.mark.slow
COPIED = [
    ("translation", "amount"),
    ("copying", "default"),
    ("cropping", None),
    ("ordering", None),
    ("pattern", "grid"),
]
MAPPED = [("blending", None), ("point_operations", "invert"), ("point_operations", "grayscale")]
WRONG = 0.03
"""The share of changed pixels that may be wrong: those at the edges, where a pixel's middle decides."""


def lesson(task: str, mode: str | None, condition: str = "baseline") -> Lesson:
    known = MODES[task]
    return lesson_at(
        PaintSlot(task, mode if mode in known else known[0], condition, 0, 0), Overrides("training stream 9")
    )


def pixels(known: Lesson) -> tuple[Pixels, Pixels]:
    return known.colors[known.before], known.after if known.after.ndim == 3 else known.colors[known.after]


@pytest.mark.parametrize(("task", "mode"), COPIED)
def test_the_source_of_a_copied_area_shows_the_answers_pixels(task: str, mode: str | None) -> None:
    known = lesson(task, mode)
    before, after = pixels(known)
    ys, xs = np.nonzero((before != after).any(axis=2))
    right = np.zeros(len(ys), bool)
    outside = np.ones(len(ys), bool)
    for area in known.copied:
        left, top, end, bottom = area.bounds
        x, y, m = xs + 0.5, ys + 0.5, area.source
        within = (x >= left) & (x <= end) & (y >= top) & (y <= bottom)
        column = np.floor(m.a * x + m.b * y + m.c).astype(int).clip(0, before.shape[1] - 1)
        row = np.floor(m.d * x + m.e * y + m.f).astype(int).clip(0, before.shape[0] - 1)
        right |= within & (before[row, column] == after[ys, xs]).all(axis=1)
        outside &= ~within
    # What has moved away leaves the background, which is no copy.
    assert len(ys) and known.copied
    assert (right | outside).mean() > (0.4 if task == "translation" else 1 - WRONG)


@pytest.mark.parametrize(("task", "mode"), MAPPED)
def test_the_color_map_gives_the_answers_colors(task: str, mode: str | None) -> None:
    known = lesson(task, mode)
    before, after = pixels(known)
    changed = (before != after).any(axis=2)
    color_map = known.color_map
    assert color_map is not None
    old = before[changed] / 255
    gray = (old * [0.299, 0.587, 0.114]).sum(axis=1, keepdims=True)
    new = np.clip(color_map.own * old + color_map.luma * gray + np.array(color_map.added), 0, 1) * 255
    assert np.abs(np.round(new) - after[changed]).max() <= 1


def test_the_ramp_gives_the_answers_gradient() -> None:
    known = lesson("gradient", "background")
    before, after = pixels(known)
    ys, xs = np.nonzero((before != after).any(axis=2))
    ramp = known.ramp
    assert ramp is not None
    along = np.clip(ramp.ax * (xs + 0.5) + ramp.ay * (ys + 0.5) + ramp.b, 0, 1)[:, None]
    first, second = np.array(ramp.first), np.array(ramp.second)
    assert np.abs(np.floor(first + along * (second - first) + 0.5) - after[ys, xs]).max() <= 1


def test_what_is_taught_painted_at_full_size_is_nearly_the_answer() -> None:
    """The ceiling of the editor: its score if it predicted exactly what it is taught for every pixel of the grid."""
    wanted = (
        "translation",
        "rotation",
        "recolor",
        "gradient",
        "blending",
        "removal",
        "legend",
        "ordering",
        "construction",
    )
    scores = [ceiling(lesson(task, None, condition)) for task in wanted for condition in ("baseline", "n_high")]
    assert fmean(scores) > 93 and min(scores) > 50, scores


@pytest.mark.parametrize("task", ["recolor", "flood_fill", "blending", "point_operations", "legend"])
def test_edges_of_shapes_are_exact_where_only_colors_change(task: str) -> None:
    """The network decides on every fourth pixel; which color a pixel has says to which side of an edge it belongs."""
    assert ceiling(lesson(task, None, "baseline")) > 99


def ceiling(known: Lesson) -> float:
    before, after = pixels(known)
    example = example_of(known, 1)
    _, read = inputs_of(before, known.instruction)
    colors = [tuple(color) for color in read.colors.tolist()]
    grid, answer = example["grid"], example["answer"]
    field = np.ascontiguousarray(example["field"].transpose(2, 0, 1))
    number = torch.from_numpy(np.where(grid == OUTSIDE, 0, grid).astype(np.int64))[None]
    copied = copied_places(torch.from_numpy(field)[None], number, torch.from_numpy(example["size"])[None])[0][0].numpy()
    inside, kept = grid != OUTSIDE, answer == grid
    near = np.kron(example["field_weight"], np.ones((8, 8), np.uint8)) > 0
    choice = np.full((COLORS + ACTIONS, SIDE, SIDE), -6, np.float32)
    choice[COLORS + KEEP, inside & kept] = 6
    left = inside & ~kept
    figure = np.zeros(NUMBERS, np.float32)
    if known.figure is not None:
        numbers = example["figure"]
        figure[:KINDS], figure[KINDS:] = -5, numbers[1:-1]
        figure[int(numbers[0])] = 5
    for place, chosen in (
        (COLORS + FIGURE, np.full_like(kept, known.figure is not None)),
        (COLORS + RAMP_ACTION, answer == RAMP),
        (COLORS + MAP, np.full_like(kept, known.color_map is not None)),
        (COLORS + COPY, near & (copied == answer)),
    ):
        choice[place, left & chosen] = 6
        left &= ~chosen
    for y, x in zip(*np.nonzero(left), strict=True):
        choice[colors.index(tuple(example["palette"][answer[y, x]].tolist())), y, x] = 6
    progress = progress_of(torch.from_numpy(example["ramp"])[None])[0].numpy()
    ends = np.full((2, COLORS), -9, np.float32)
    if known.ramp is not None:
        ends[0, colors.index(known.ramp.first)] = ends[1, colors.index(known.ramp.second)] = 9
    edit, _ = painted(before, read, choice, field, progress, example["color_map"][:5], ends, figure)
    return 100 * float(score_pixels(before, after, edit).miou)


def test_what_stands_at_a_number_is_the_same_for_any_number_of_workers() -> None:
    stream = ExampleStream(5, 2, 3, {"translation": 2.0})
    alone = next(batches(stream, 0, 2, "cpu"))
    source = batches(stream, 2, 2, "cpu")
    shared = next(source)
    del source
    assert all(torch.equal(alone[name], shared[name]) for name in alone)


def test_what_stands_at_a_number_is_the_same_for_any_hash_seed() -> None:
    program = (
        "from hashlib import sha256; from editscope.training.small.stream import ExampleStream\n"
        "one = ExampleStream(5, 1, 0, {}).example(17)\n"
        "print(sha256(b''.join(one[name].tobytes() for name in sorted(one))).hexdigest())"
    )
    env = {**os.environ, "PYTHONHASHSEED": "7"}
    elsewhere = subprocess.run([sys.executable, "-c", program], env=env, capture_output=True, text=True, check=True)
    example = ExampleStream(5, 1, 0, {}).example(17)
    assert elsewhere.stdout.strip() == sha256(b"".join(example[name].tobytes() for name in sorted(example))).hexdigest()


def test_what_is_held_out_is_not_in_the_stream() -> None:
    cells = [cell for cell, _ in cells_of({}, ("striped", "legend", "rotation/external"))]
    assert cells and not any(
        condition == "striped" or task == "legend" or (task, mode) == ("rotation", "external")
        for task, mode, condition in cells
    )
