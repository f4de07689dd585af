"""What a classic measure is, which ones there are, and which of them work on this machine."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module, metadata
from importlib.util import find_spec
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from editscope.errors import BadInput, unknown
from editscope.images import Pixels
from editscope.scoring.psnr import Box, Mask, outside


@dataclass(frozen=True, eq=False)
class Comparison:
    """A picture and what it is compared with, of one size; ``keep`` says which pixels count (None: all)."""

    first: Pixels
    second: Pixels
    keep: Mask | None = None

    def filled(self) -> Pixels:
        """The first picture with the second's pixels wherever they do not count.

        Measures that see a picture as a whole get this, so that only what counts can differ.
        """
        if self.keep is None:
            return self.first
        return np.where(self.keep[:, :, None], self.first, self.second)


Compare: TypeAlias = Callable[[Sequence[Comparison]], list[float]]
"""Values of a batch of comparisons; NaN where there is none."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What a user chooses for one measure: a model by folder or name, a device, and whether to download."""

    model: str = ""
    device: str = ""
    allow_download: bool = False


@dataclass(frozen=True, eq=False)
class Loaded:
    """A measure ready to use, and with what it measures: libraries, model, weights."""

    compare: Compare
    made_with: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Measure:
    """One classic measure; ``load`` gets its libraries and model ready."""

    name: str
    title: str
    unit: str
    higher_is_better: bool
    libraries: tuple[str, ...]
    needs_model: bool
    load: Callable[[Settings], Loaded]


MEASURES: dict[str, Measure] = {}

EXTRA = ("torch", "torchmetrics", "transformers")
"""The libraries that come with ``editscope[local]``."""


def measure(
    name: str,
    *,
    title: str,
    unit: str = "",
    higher_is_better: bool = True,
    libraries: tuple[str, ...] = (),
    needs_model: bool = False,
) -> Callable[[Callable[[Settings], Loaded]], Callable[[Settings], Loaded]]:
    """Register the function that gets a measure ready."""

    def register(load: Callable[[Settings], Loaded]) -> Callable[[Settings], Loaded]:
        MEASURES[name] = Measure(name, title, unit, higher_is_better, libraries, needs_model, load)
        return load

    return register


def available() -> dict[str, str | None]:
    """Every measure, with None where it works here and otherwise what it lacks and how to get it.

    >>> available()["psnr"] is None
    True
    """
    return {name: _lacks(found) for name, found in MEASURES.items()}


def get(name: str, settings: Settings) -> Loaded:
    """A measure ready to use, or BadInput with what it lacks."""
    if name not in MEASURES:
        raise unknown("measure", name, MEASURES)
    found = MEASURES[name]
    lacking = _lacks(found)
    if lacking is not None:
        raise BadInput(f"measure {name} is not available: {lacking}")
    if found.needs_model and not settings.model:
        raise BadInput(f"measure {name} needs a model: give its folder or name, {name}=DIR")
    if "torch" in found.libraries:
        _check_device(settings.device)
    return found.load(settings)


def parse_measures(text: str) -> dict[str, str]:
    """Measures with their models, from ``name[=model]`` separated by commas.

    >>> parse_measures("psnr, clip=models/clip-vit-base-patch32")
    {'psnr': '', 'clip': 'models/clip-vit-base-patch32'}
    """
    found: dict[str, str] = {}
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        name, _, model = part.partition("=")
        if name.strip() not in MEASURES:
            raise unknown("measure", name.strip(), MEASURES)
        found[name.strip()] = model.strip()
    if not found:
        raise BadInput(f"no measure is named; choose from {', '.join(MEASURES)}")
    return found


def library(name: str) -> Any:
    """A library that only some measures need."""
    return import_module(name)


def versions(*names: str) -> dict[str, str]:
    """The versions of some libraries, for the record."""
    return {name: metadata.version(name) for name in names}


def edit_region(source: Pixels, answer: Pixels | None, boxes: Sequence[Box] = ()) -> npt.NDArray[np.bool_]:
    """Where an edit was asked for: where input and answer differ, or inside the boxes of a case without answer.

    >>> before = np.zeros((1, 3, 3), np.uint8)
    >>> after = before.copy(); after[0, 1] = 9
    >>> edit_region(before, after).tolist()
    [[False, True, False]]
    """
    if answer is not None:
        differs: npt.NDArray[np.bool_] = (source != answer).any(axis=2)
        return differs
    return ~outside(boxes, (source.shape[0], source.shape[1]))


def _check_device(device: str) -> None:
    if not device or device == "cpu":
        return
    try:
        library("torch").zeros(1).to(device)
    except (RuntimeError, AssertionError, ValueError) as error:
        said = " ".join(str(error).split()).split(". ")[0]
        raise BadInput(f"--device {device} cannot be used ({said}); leave it out to measure on the CPU") from error


def _lacks(found: Measure) -> str | None:
    missing = [name for name in found.libraries if find_spec(name) is None]
    if not missing:
        return None
    wanted = [name for name in missing if name not in EXTRA]
    if len(wanted) < len(missing):
        wanted.insert(0, "'editscope[local]'")
    return f"it needs {' and '.join(missing)}: pip install {' '.join(wanted)}"
