"""Metrics that compare two pictures: the base class, what it is given, and how tables show it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module, metadata
from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np

from editscope.cases import NOTHING
from editscope.images import Pixels
from editscope.outside import name_received
from editscope.scoring.psnr import Mask

if TYPE_CHECKING:
    from editscope.scoring.offsets import AskedChange, ChangeErrors


@dataclass(frozen=True, eq=False)
class ImagePair:
    """An edit and what it is compared with, of one size; ``keep`` says which pixels count (None: all).

    ``source`` is the input of the case, None where that is the reference itself. ``change`` is what the case asks for,
    where its suite says so.
    """

    output: Pixels
    reference: Pixels
    keep: Mask | None = None
    source: Pixels | None = None
    change: AskedChange | None = None

    @property
    def empty(self) -> bool:
        """Whether no pixel counts."""
        return self.keep is not None and not self.keep.any()

    def filled(self) -> Pixels:
        """The output with the pixels of the reference wherever they do not count.

        Metrics that see a picture as a whole get this, so that only what counts can differ.
        """
        if self.keep is None:
            return self.output
        return np.where(self.keep[:, :, None], self.output, self.reference)

    @cached_property
    def miou_within(self) -> tuple[float, ...]:
        """The distance-tolerant mIoU of an edit against its answer, for each of ``offsets.RADII``."""
        from editscope.scoring.offsets import miou_within

        assert self.source is not None
        return miou_within(self.source, self.reference, self.output)

    @cached_property
    def change_errors(self) -> ChangeErrors:
        """How far what the case asked for is off."""
        from editscope.scoring.offsets import change_errors

        assert self.source is not None
        assert self.change is not None
        return change_errors(self.source, self.reference, self.output, self.change)


@dataclass(frozen=True, slots=True)
class MetricSettings:
    """What a user chooses for one metric: a model by folder or name, a device, and whether to download."""

    model: str = ""
    device: str = ""
    allow_download: bool = False


@dataclass(frozen=True, slots=True)
class MetricLabel:
    """How tables show a metric: its title, its unit, and in which direction it gets better (None: nobody said)."""

    label: str
    unit: str = ""
    higher_is_better: bool | None = True


class Metric:
    """Base class of metrics: override ``measure``, and ``load`` where there is a model to load.

    ``name`` is the column in ``measures.parquet``, ``label`` what tables show, ``unit`` what follows the number.
    ``libraries`` are modules that must be installed. ``needs_model`` is for a metric that the user gives a model, as
    in ``clip=DIR``. Options of a spec are keyword arguments of the class. One instance is used by several threads at
    the same time.
    """

    name: str = ""
    label: str = ""
    unit: str = ""
    higher_is_better: bool = True
    libraries: tuple[str, ...] = ()
    needs_model: bool = False
    origin: Mapping[str, str] = NOTHING
    """Class, package and options of a metric that does not ship with Editscope; set when its spec is read."""

    def load(self, settings: MetricSettings) -> None:
        """Get ready; called once, before the first picture. Raise BadInput for what is missing."""

    def made_with(self) -> Mapping[str, str]:
        """What decides its values besides the pictures: libraries, model, weights. Asked after ``load``."""
        return {}

    def measure(self, source: Pixels, reference: Pixels, output: Pixels) -> float | None:
        """The value of one edit; None where it has none. All are uint8 arrays of one size (height × width × 3).

        It is called twice for each edit. First ``reference`` is the answer. Then ``reference`` is the input itself, and
        ``output`` is the edit with the input's pixels in the region that was to be edited.
        """
        raise NotImplementedError(f"{type(self).__name__} has no measure method")

    def measure_batch(self, pairs: Sequence[ImagePair]) -> list[float]:
        """The values of several pairs, in order; NaN where there is none. For a model that takes batches."""
        return [nan if pair.empty else self._value(pair) for pair in pairs]

    def _value(self, pair: ImagePair) -> float:
        source = pair.reference if pair.source is None else pair.source
        value = self.measure(source, pair.reference, pair.filled())
        return nan if value is None else as_number(value)

    @property
    def shown(self) -> MetricLabel:
        """How tables show it."""
        label = name_received(self.label or self.name)
        return MetricLabel(label, name_received(self.unit), bool(self.higher_is_better))


def as_number(value: Any) -> float:
    """What a metric gave as a number; TypeError for a text, or for True and False, which ``float`` would take.

    >>> as_number(np.float32(0.5))
    0.5
    >>> as_number("3.5")
    Traceback (most recent call last):
    TypeError: '3.5' is not a number
    """
    if isinstance(value, str | bytes | bool | np.bool_):
        raise TypeError(f"{value!r} is not a number")
    return float(value)


def library(name: str) -> Any:
    """A library that only some metrics need."""
    return import_module(name)


def versions(*names: str) -> dict[str, str]:
    """The versions of some libraries, for the record."""
    return {name: metadata.version(name) for name in names}
