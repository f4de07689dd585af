"""Masks as text in a description: lengths of runs, which every reader can undo without us."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from editscope.cases import Case, Effect, Region
from editscope.images import load


def packed(mask: npt.NDArray[np.bool_]) -> list[int]:
    """Lengths of runs in reading order, beginning with pixels that are not in the mask.

    >>> packed(np.array([[False, True], [True, False]]))
    [1, 2, 1]
    """
    flat = mask.reshape(-1)
    ends = np.flatnonzero(flat[1:] != flat[:-1]) + 1
    runs = np.diff(np.concatenate(([0], ends, [flat.size]))).tolist()
    return [0, *runs] if flat[0] else list(runs)


def unpacked(runs: Sequence[int], shape: tuple[int, int]) -> npt.NDArray[np.bool_]:
    """The mask of such runs; ValueError where they do not fill it.

    >>> unpacked([1, 2, 1], (2, 2)).tolist()
    [[False, True], [True, False]]
    """
    # Summed as they are, since what stands in a file may be larger than any array can hold.
    if min(runs, default=0) < 0 or sum(runs) != shape[0] * shape[1]:
        raise ValueError(f"the runs of a mask do not fill its {shape[1]} × {shape[0]} pixels")
    lengths = np.asarray(runs, np.int64)
    return np.repeat(np.arange(lengths.size) % 2 == 1, lengths).reshape(shape)


def described_effects(
    details: Mapping[str, Any], shape: tuple[int, int]
) -> tuple[tuple[Effect, ...], npt.NDArray[np.bool_]]:
    """The effects and the ignored pixels that a description holds."""
    effects = tuple(Effect(one["name"], unpacked(one["mask"], shape), one["direct"]) for one in details["effects"])
    return effects, unpacked(details["ignored"]["mask"], shape)


def with_effects(case: Case) -> Case:
    """The case with the effects and ignored pixels that its description holds; a located one with its box."""
    shape = load(case.images[0]).shape[:2]
    effects, ignored = described_effects(case.details, (shape[0], shape[1]))
    left, top, right, bottom = case.details["box"]
    regions = (Region("change", (left, top, right, bottom)),) if case.details["mode"] == "located" else ()
    return replace(case, effects=effects, ignored=ignored, regions=regions)
