"""Examples of checks of pixels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from editscope.images import Pixels


@dataclass(frozen=True)
class Example:
    """An example of a check: whether it should be found, what it is, one or two pictures, and regions where given."""

    found: bool
    about: str
    pictures: tuple[Pixels, ...]
    regions: tuple[dict[str, Any], ...] = ()
