"""Tools of steps: blobs, models by their name in the plan, and random numbers that belong to a record."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any

from editscope.cases import NOTHING
from editscope.errors import BadInput
from editscope.factory.blobs import BlobStore
from editscope.factory.records import digest


def silent(doing: str, done: int, total: int) -> None:
    """Nobody is told how far a step is."""


@dataclass(frozen=True, slots=True)
class Tools:
    """What a step can use. ``folder`` is the folder of the plan, where files that it names are looked for."""

    blobs: BlobStore
    folder: Path
    seed: int = 0
    models: Mapping[str, Any] = field(default_factory=lambda: NOTHING)
    build: Path = Path()
    """The folder of the build."""
    approved: bool = False
    """Whether to go on with what people have accepted so far."""
    tell: Callable[[str, int, int], None] = silent
    """Tells how far a step is that takes long to get ready: what it does, how much is done, and of how much."""

    def elsewhere(self) -> Tools:
        """The same for another process: connections and whoever is told stay here."""
        return replace(self, models={}, tell=silent)

    def model(self, name: str) -> Any:
        """A model of the plan."""
        try:
            return self.models[name]
        except KeyError:
            known = ", ".join(self.models) or "none"
            raise BadInput(f"the plan has no model {name!r}; its models are: {known}") from None

    def number(self, *about: str) -> int:
        """A number from 0 to 2³¹ - 1 that depends on the plan's seed and on what it is for."""
        return int.from_bytes(digest(self.seed, *about)[:4], "big") >> 1

    def dice(self, *about: str) -> Random:
        """Random numbers that depend on the plan's seed and on what they are for."""
        return Random(self.number(*about))
