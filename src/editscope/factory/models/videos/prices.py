"""Prices of hosted videos: by the second, or by the tokens that the server reports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from editscope.errors import BadInput, unknown
from editscope.transport.prices import MILLION, PriceSource, dollars, load_table

TABLE = "videos"
DEFAULT = "default"
KNOWN = ("second", "tokens", "source", "date")


@dataclass(frozen=True, slots=True)
class VideoPrice:
    """US dollars for a video: ``second`` by grade ("default", "1080p"), ``tokens`` for a million that it takes."""

    second: Mapping[str, float] = field(default_factory=dict)
    tokens: float | None = None
    source: PriceSource = field(default=PriceSource(), compare=False)

    def listed(self, seconds: float, grades: tuple[str, ...] = ()) -> float | None:
        """The list price: seconds · second[grade]; the first grade that has a price counts, None where none has.

        >>> VideoPrice({"default": 0.1, "1080p": 0.3}).listed(4, ("1080p",))
        1.2
        """
        price = next((self.second[grade] for grade in (*grades, DEFAULT) if grade in self.second), None)
        return None if price is None else round(seconds * price, 9)

    def of_tokens(self, tokens: int) -> float | None:
        """What reported tokens cost; None where the rate is not known."""
        return None if self.tokens is None else round(tokens * self.tokens / MILLION, 9)


def load_video_prices(file: str | Path | None = None) -> dict[str, VideoPrice]:
    """The prices that ship with Editscope, with those of the user's file over them, by name of the model."""
    return load_table(TABLE, _price, file)


def _price(where: str, entry: Any, source: PriceSource) -> VideoPrice:
    if not isinstance(entry, dict) or not entry:
        raise BadInput(f"{where}: write {{ second = … }} in dollars for one second")
    for name in entry:
        if name not in KNOWN:
            raise unknown(f"field of a price ({where})", name, KNOWN)
    second = entry.get("second", {})
    second = second if isinstance(second, dict) else {DEFAULT: second}
    return VideoPrice(
        {str(grade): dollars(f"{where}, second, {grade}", value) for grade, value in second.items()},
        dollars(f"{where}, tokens", entry["tokens"]) if "tokens" in entry else None,
        source,
    )
