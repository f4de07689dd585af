"""Tools of steps: blobs, models by their name in the plan, and random numbers that belong to a record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from editscope.cases import NOTHING
from editscope.errors import BadInput
from editscope.factory.blobs import BlobStore
from editscope.factory.records import digest


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
