"""Geometry of the small editor: points of a sentence, one motion for a picture, figures, and their loss."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from editscope.editors.small.painting import CORNERS, KINDS, NUMBERS
from editscope.editors.small.pictures import CELL, CELLS, SIDE
from editscope.editors.small.sentences import TOKENS, read_sentence
from editscope.suites.paintbench.catalog import MODES
from editscope.suites.paintbench.lessons import lesson_at
from editscope.suites.paintbench.slots import Overrides, PaintSlot
from editscope.training.small.examples import example_of
from editscope.training.small.geometry import POINTER, UNIT, Pointers, inside_figure, motion_field
from editscope.training.small.loss import _far
from editscope.training.small.network import new_network
from editscope.training.small.settings import NetworkSettings

pytestmark = pytest.mark.slow
TINY = NetworkSettings(width=32, layers=1, heads=2, registers=5, fine=8)


def test_a_point_of_a_sentence_is_where_it_says() -> None:
    tokens, values = torch.zeros(1, TOKENS, dtype=torch.int16), torch.zeros(1, TOKENS)
    read = read_sentence("Rotate it by 30° about (25%, 50%), not (7 of 8), and recolor the shape at (100%, 0%).")
    tokens[0, : len(read.tokens)] = torch.tensor(read.tokens, dtype=torch.int16)
    values[0, : len(read.values)] = torch.tensor(read.values)
    places, points = new_network(TINY).points(tokens, values, torch.tensor([[256, 144]]))
    assert points.sum() == 2
    assert ((places[0, points[0]] + 0.5) * CELL).tolist() == [[64.0, 72.0], [256.0, 0.0]]
    assert places[0, ~points[0]].abs().sum() == 0


@pytest.mark.parametrize(
    "task", ["translation", "rotation", "reflection", "scaling", "shearing", "copying", "cropping"]
)
@pytest.mark.parametrize("condition", ["baseline", "vertical"])
def test_one_motion_is_what_the_lesson_copies_by(task: str, condition: str) -> None:
    lesson = lesson_at(PaintSlot(task, MODES[task][0], condition, 0, 0), Overrides("training stream 9"))
    assert lesson.one_motion
    example = example_of(lesson, 1)
    source, step = lesson.copied[0].source, max(lesson.before.shape) / SIDE
    p = np.array([70.0, 90.0])
    q = source.a * p[0] + source.b * p[1] + source.c / step, source.d * p[0] + source.e * p[1] + source.f / step
    slopes = torch.tensor([[source.a - 1, source.b, source.d, source.e - 1, 1.0, 0.0, 0.0, 0.0]])
    pointed = torch.tensor([[[p[0] - UNIT, p[1]], [*q]]], dtype=torch.float32)
    field = motion_field(slopes.float(), pointed)[0].permute(1, 2, 0).numpy()
    taught = example["field_weight"] > 0
    assert taught.any() and np.abs(field - example["field"])[taught].max() < 0.02


@pytest.mark.parametrize("mode", MODES["construction"])
@pytest.mark.parametrize("index", range(3))
def test_a_figure_covers_what_the_lesson_draws(mode: str, index: int) -> None:
    lesson = lesson_at(PaintSlot("construction", mode, "baseline", index, index), Overrides("training stream 9"))
    example = example_of(lesson, 1)
    numbers = example["figure"]
    predicted = np.full(NUMBERS, -5, np.float32)
    predicted[int(numbers[0])] = 5
    predicted[KINDS:] = numbers[1:-1]
    covered = inside_figure(torch.from_numpy(predicted)[None])[0].numpy()
    changed = example["grid"] != example["answer"]
    assert changed.any() and (changed & ~covered).sum() <= 0.02 * changed.sum() + 2
    if "on top" in lesson.instruction:
        assert (covered & ~changed).sum() <= 0.02 * changed.sum() + 2


def test_pointers_take_a_point_of_the_sentence_or_the_mean_of_cells() -> None:
    torch.manual_seed(0)
    pointers = Pointers(16, CORNERS)
    cells, words = torch.zeros(1, CELLS * CELLS, POINTER), torch.zeros(1, TOKENS, POINTER)
    places, named = torch.zeros(1, TOKENS, 2), torch.zeros(1, TOKENS, dtype=torch.bool)
    size = torch.tensor([[256, 128]])
    token = torch.randn(1, 16)
    middle = pointers(token, cells, words, places, named, size)
    assert torch.allclose(middle, torch.tensor([128.0, 64.0]).expand(1, CORNERS, 2), atol=1e-3)  # of what is inside
    named[0, 7], places[0, 7] = True, torch.tensor([3.5, 9.5])
    torch.nn.init.constant_(pointers.in_sentence.bias, 100.0)
    there = pointers(token, cells, words, places, named, size)
    assert torch.allclose(there, torch.tensor([32.0, 80.0]).expand(1, CORNERS, 2), atol=1e-3)


def test_what_is_often_zero_is_no_trap() -> None:
    """Half of all offsets are 0. A loss with a corner there would keep all of them at 0."""
    off = torch.zeros(2, requires_grad=True)
    _far(off).sum().backward()  # type: ignore[no-untyped-call]
    assert off.grad is not None and off.grad.abs().max() == 0
    far = torch.tensor([20.0, 100.0], requires_grad=True)
    _far(far).sum().backward()  # type: ignore[no-untyped-call]
    assert far.grad is not None and far.grad.min() > 0.1
