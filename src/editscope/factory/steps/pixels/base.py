"""Base classes of steps over pictures: they decode what a record names, and drop what cannot be compared."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from editscope.errors import BadImage, BadInput
from editscope.factory.records import BLOB, Record
from editscope.factory.steps.base import Outcome, PlainStep, StepFailed, dropped
from editscope.factory.steps.tools import Tools
from editscope.images import Pixels, load


class PixelStep(PlainStep):
    """A step that looks at pictures. Its work is heavy and goes to other processes."""

    in_process = True
    fields_of: ClassVar[tuple[str, ...]] = ()
    """Settings that name the fields of pictures; the outcome depends on nothing else of a record."""

    def __init__(self, name: str, settings: Mapping[str, Any], reads: Sequence[str] = ()) -> None:
        super().__init__(name, settings, reads)
        if not self.reads:
            self.reads = self.fields_read()

    def fields_read(self) -> tuple[str, ...]:
        """The fields that the outcome depends on."""
        named = [self.settings[setting] for setting in self.fields_of]
        return tuple(name for one in named for name in ([one] if isinstance(one, str) else one))

    def at_least(self, setting: str, least: float, most: float | None = None) -> None:
        """Check a number of the settings."""
        value = self.settings[setting]
        if value < least or (most is not None and value > most):
            bounds = f"from {least:g}" + ("" if most is None else f" to {most:g}")
            raise BadInput(f"step {self.name!r}: {setting} is {value}; choose a number {bounds}")

    def apply(self, record: Record, tools: Tools) -> Outcome:
        """What becomes of a record; one whose picture does not decode is dropped."""
        try:
            return self.look(record, tools)
        except BadImage as error:
            return dropped(f"broken picture: {error}")

    @abstractmethod
    def look(self, record: Record, tools: Tools) -> Outcome:
        """What becomes of a record whose pictures decode."""


class PairStep(PixelStep):
    """A filter that compares two pictures. Pairs of different sizes are dropped."""

    kind = "filter"
    fields_of: ClassVar = ("before", "after")
    settings_of: ClassVar[Mapping[str, Any]] = {"before": "before", "after": "after"}

    def look(self, record: Record, tools: Tools) -> Outcome:
        """The pair, or why it is dropped."""
        before, after = (picture(record, self.settings[one], tools) for one in ("before", "after"))
        if before.shape != after.shape:
            return dropped(f"different sizes: {_size(before)} and {_size(after)}")
        return self.compare(before, after, record)

    @abstractmethod
    def compare(self, before: Pixels, after: Pixels, record: Record) -> Outcome:
        """What becomes of a pair of one size."""


def picture(record: Record, field: str, tools: Tools) -> Pixels:
    """The pixels of a field; StepFailed where the record has no picture there."""
    blob = record.fields.get(field)
    if not isinstance(blob, Mapping) or BLOB not in blob:
        raise StepFailed(f"the field {field!r} is not a picture")
    return load(tools.blobs.get(blob), name=field)


def _size(pixels: Pixels) -> str:
    return f"{pixels.shape[1]} × {pixels.shape[0]}"
