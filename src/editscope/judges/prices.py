"""Prices of judges: dollars for a million tokens, and the rule by which a model counts the tokens of a picture."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from dataclasses import field as setting
from pathlib import Path
from typing import Any

from editscope.errors import BadInput
from editscope.judges.tokens import DEFAULT_RULE, NEEDS
from editscope.transport.prices import MILLION, PriceSource, dollars, load_table

TABLE = "models"


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens in and out; ``image`` is the rule by which pictures become tokens."""

    input: float
    output: float
    image: Mapping[str, Any]
    source: PriceSource = setting(default=PriceSource(), compare=False)
    batch: float = 1.0
    """What a call in a batch costs, as a part of the price of an ordinary one."""

    def in_batches(self) -> Price:
        """The price of calls in batches.

        >>> Price(2.5, 10.0, {}, batch=0.5).in_batches().cost(1000, 200)
        0.00225
        """
        return replace(self, input=self.input * self.batch, output=self.output * self.batch, batch=1.0)

    def cost(self, input_tokens: int, output_tokens: int) -> float:
        """What so many tokens cost, in dollars: (in · input + out · output) / 10⁶.

        >>> Price(2.5, 10.0, {}).cost(1000, 200)
        0.0045
        """
        return (input_tokens * self.input + output_tokens * self.output) / MILLION


def load_prices(file: str | Path | None = None) -> dict[str, Price]:
    """The prices that ship with Editscope, with those of the user's file over them, by name of the model."""
    return load_table(TABLE, _price, file)


def picture_rule(price: Price | None) -> Mapping[str, Any]:
    """How to count a picture's tokens; OpenAI's tiles where nothing is known about the model."""
    return price.image if price else DEFAULT_RULE


def _price(where: str, entry: Any, source: PriceSource) -> Price:
    if not isinstance(entry, dict):
        raise BadInput(f"{where}: write {{ input = …, output = … }} in dollars for a million tokens")
    unit = "dollars for a million tokens"
    rates = [dollars(f"{where}: {field}", entry.get(field), unit) for field in ("input", "output")]
    rule = _rule(where, entry.get("image", DEFAULT_RULE))
    batch = entry.get("batch", source.batch)
    if isinstance(batch, bool) or not isinstance(batch, int | float) or not 0 <= batch <= 1:
        raise BadInput(f"{where}: batch is {batch!r}; write a part of the price from 0 to 1, such as 0.5")
    return Price(rates[0], rates[1], rule, source, float(batch))


def _rule(where: str, rule: Any) -> Mapping[str, Any]:
    wanted = NEEDS.get(str(rule.get("rule"))) if isinstance(rule, dict) else None
    if wanted is None:
        raise BadInput(f"{where}: image needs a rule, one of {', '.join(sorted(NEEDS))}")
    for field in wanted:
        if isinstance(rule.get(field), bool) or not isinstance(rule.get(field), int | float) or rule[field] < 0:
            raise BadInput(f"{where}: the image rule {rule['rule']!r} needs the number {field!r}")
    return dict(rule)
