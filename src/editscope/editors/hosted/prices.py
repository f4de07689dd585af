"""Prices of hosted edits: by the picture, by its inputs, or by the tokens that the server reports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from editscope.errors import BadInput, unknown
from editscope.transport.prices import MILLION, PriceSource, dollars, load_table

TABLE = "editors"
DEFAULT = "default"
KNOWN = ("picture", "per_input", "tokens", "source", "date")


@dataclass(frozen=True, slots=True)
class Tokens:
    """How many tokens a server says that an edit took, of text and of pictures, in and out."""

    text_in: int = 0
    image_in: int = 0
    text_out: int = 0
    image_out: int = 0


@dataclass(frozen=True, slots=True)
class EditPrice:
    """US dollars for an edit.

    ``picture`` is for one picture that comes out, by grade ("default", "high", "high 1024x1024"); ``per_input`` for
    each picture that goes in; ``tokens`` for a million tokens of each sort, used where the server reports tokens.
    """

    picture: Mapping[str, float] = field(default_factory=dict)
    per_input: float = 0.0
    tokens: Mapping[str, float] = field(default_factory=dict)
    source: PriceSource = field(default=PriceSource(), compare=False)

    def listed(self, grades: tuple[str, ...] = (), inputs: int = 1, pictures: int = 1) -> float | None:
        """The list price of an edit: pictures · picture[grade] + inputs · per_input.

        The first grade that has a price counts; None where none has.

        >>> EditPrice({"default": 0.04, "high": 0.17}, per_input=0.01).listed(("high 512x512", "high"), inputs=2)
        0.19
        """
        price = next((self.picture[grade] for grade in (*grades, DEFAULT) if grade in self.picture), None)
        return None if price is None else round(pictures * price + inputs * self.per_input, 9)

    def of_tokens(self, tokens: Tokens) -> float | None:
        """What reported tokens cost: Σ tokens · rate / 10⁶ over the four sorts; None where rates are not known.

        >>> EditPrice(tokens={"text_in": 5, "image_in": 10, "image_out": 40}).of_tokens(Tokens(100, 200, 0, 1000))
        0.0425
        """
        if not self.tokens:
            return None
        cost = sum(int(getattr(tokens, sort)) * rate for sort, rate in self.tokens.items())
        return round(cost / MILLION, 9)


def load_edit_prices(file: str | Path | None = None) -> dict[str, EditPrice]:
    """The prices that ship with Editscope, with those of the user's file over them, by name of the model."""
    return load_table(TABLE, _price, file)


def _price(where: str, entry: Any, source: PriceSource) -> EditPrice:
    if not isinstance(entry, dict) or not entry:
        raise BadInput(f"{where}: write {{ picture = … }} in dollars for one picture")
    for name in entry:
        if name not in KNOWN:
            raise unknown(f"field of a price ({where})", name, KNOWN)
    picture = entry.get("picture", {})
    if not isinstance(picture, dict):
        picture = {DEFAULT: picture}
    tokens = entry.get("tokens", {})
    sorts = [sort.name for sort in fields(Tokens)]
    if not isinstance(tokens, dict):
        raise BadInput(f"{where}, tokens is {tokens!r}; write {{ text_in = …, image_out = … }} for a million tokens")
    for sort in tokens:
        if sort not in sorts:
            raise unknown(f"sort of tokens ({where})", sort, sorts)
    return EditPrice(
        {str(grade): dollars(f"{where}, picture, {grade}", value) for grade, value in picture.items()},
        dollars(f"{where}, per_input", entry.get("per_input", 0.0)),
        {sort: dollars(f"{where}, tokens, {sort}", value) for sort, value in tokens.items()},
        source,
    )
