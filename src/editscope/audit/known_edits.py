"""Edits of known quality: the right edit of a problem, ever worse ones of known mIoU, and no edit at all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from editscope.errors import BadInput
from editscope.images import ImageLike, Pixels, load
from editscope.scoring.pixels import score_pixels

Mask: TypeAlias = "npt.NDArray[np.bool_]"

LEVELS = ("oracle", "light", "medium", "heavy", "none")
"""From the right edit to the unchanged input."""

INTACT = {"light": 0.75, "medium": 0.5, "heavy": 0.25}
"""How much of the edit a damaged one is worth, before the color tolerances of the metric have their say."""

GOLDEN = 0x9E3779B97F4A7C15
"""The golden ratio in 64 bits: seeds that follow one another give places far apart."""

APART = 0.02
"""Two edits whose mIoU is closer than this are no test of a judge."""


@dataclass(frozen=True, eq=False)
class KnownEdit:
    """One edit of a problem that a judge is shown, and the truth about it."""

    level: str
    pixels: Pixels
    miou: float


@dataclass(frozen=True, eq=False)
class GradedEdits:
    """The edits of one problem from the best to the worst; ``damage`` says in which way they get worse."""

    damage: str
    edits: tuple[KnownEdit, ...]


Damage: TypeAlias = "Callable[[Pixels, Pixels, Mask, float, float], Pixels | None]"
"""(input, answer, where they differ, how much stays right, place) → the damaged edit, None where it cannot be."""

DAMAGES: dict[str, Damage] = {}


def damage(function: Damage) -> Damage:
    """Register a kind of damage under the name of its function."""
    DAMAGES[function.__name__] = function
    return function


@damage
def undone(source: Pixels, answer: Pixels, edit: Mask, intact: float, at: float) -> Pixels | None:
    """A part of the edit was not made."""
    part = patch(edit, round((1 - intact) * int(edit.sum())), at)
    return np.where(part[..., None], source, answer)


@damage
def miscolored(source: Pixels, answer: Pixels, edit: Mask, intact: float, at: float) -> Pixels | None:
    """A part of the edit was made in other colors."""
    part = patch(edit, round((1 - intact) * int(edit.sum())), at)
    return np.where(part[..., None], _other_color(answer), answer)


@damage
def spilled(source: Pixels, answer: Pixels, edit: Mask, intact: float, at: float) -> Pixels | None:
    """The edit is there, but a patch beside it was changed too: IoU = |E| / (|E| + patch)."""
    pixels = round(int(edit.sum()) * (1 / intact - 1))
    if pixels > 0.8 * int((~edit).sum()):
        return None
    part = patch(~edit, pixels, at)
    return np.where(part[..., None], _other_color(answer), answer)


def graded_edits(source: ImageLike, answer: ImageLike, seed: int) -> GradedEdits:
    """The edits of a problem: the answer, three damaged ones and the input, each with its mIoU.

    The seed decides the kind of damage and where it begins; all three begin at the same place. Where a kind of damage
    cannot be done to a problem, the next one is taken. Exhibits whose mIoU is not below that of the one before
    are left out, so that there is one right order. BadInput where input and answer are the same.

    >>> before = np.full((40, 40, 3), 90, np.uint8)
    >>> after = before.copy(); after[10:20, 10:30] = (200, 40, 40)
    >>> made = graded_edits(before, after, seed=0)
    >>> made.damage, [(one.level, round(one.miou, 2)) for one in made.edits]
    ('undone', [('oracle', 1.0), ('light', 0.75), ('medium', 0.5), ('heavy', 0.25), ('none', 0.0)])
    """
    before, right = load(source), load(answer)
    edit = np.asarray((before != right).any(axis=2))
    if not edit.any():
        raise BadInput("a problem whose answer equals its input cannot test a judge")
    names = tuple(DAMAGES)
    for turn in range(len(names)):
        name = names[(seed + turn) % len(names)]
        damaged = [_damaged(DAMAGES[name], before, right, edit, intact, seed) for intact in INTACT.values()]
        if all(one is not None for one in damaged):
            break
    shown = [right, *(one for one in damaged if one is not None), before]
    edits: list[KnownEdit] = []
    for level, pixels in zip(LEVELS, shown, strict=True):
        miou = score_pixels(before, right, pixels).miou
        if level == "none":
            while len(edits) > 1 and edits[-1].miou < miou + APART:
                edits.pop()  # a color so near the right one that doing nothing beats half an edit
        if not edits or miou <= edits[-1].miou - APART:
            edits.append(KnownEdit(level, pixels, miou))
    return GradedEdits(name, tuple(edits))


def patch(where: Mask, pixels: int, at: float) -> Mask:
    """About so many of the pixels of ``where``, those nearest to one of them: the first at 0, the last before 1.

    >>> patch(np.ones((1, 7), np.bool_), 3, at=0.75).astype(int).tolist()
    [[0, 0, 0, 0, 1, 1, 1]]
    """
    rows, columns = np.nonzero(where)
    chosen = np.zeros_like(where)
    if pixels < 1 or not len(rows):
        return chosen
    middle = min(int(at * len(rows)), len(rows) - 1)
    apart = (rows - rows[middle]) ** 2 + (columns - columns[middle]) ** 2
    # All at the same distance together: which of them a partition takes first differs between machines.
    near = apart <= np.partition(apart, min(pixels, len(apart)) - 1)[min(pixels, len(apart)) - 1]
    chosen[rows[near], columns[near]] = True
    return chosen


def _damaged(how: Damage, before: Pixels, right: Pixels, edit: Mask, intact: float, seed: int) -> Pixels | None:
    pixels = how(before, right, edit, intact, (seed * GOLDEN % 2**64) / 2**64)
    return None if pixels is None else np.ascontiguousarray(pixels)


def _other_color(pixels: Pixels) -> Pixels:
    """Every channel half of its range away: plainly different, whatever it was."""
    return np.asarray(pixels ^ np.uint8(128))
