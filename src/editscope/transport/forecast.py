"""Forecasts of spending: calls, tokens and dollars of everybody that a command will ask, before anything is spent."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from editscope.transport.account import in_dollars
from editscope.transport.prices import PriceSource


@dataclass(frozen=True, slots=True)
class PaidCalls:
    """What will be asked of one editor or judge, and what has to be there first.

    ``cost_usd`` is None where no price is known. ``own`` says that the server is on this machine or in its network,
    and no file of the user's has a price for it: asking it is taken to cost nothing. ``price_entry`` is the entry of a
    file of prices that would say the price.
    """

    who: str
    calls: int
    unit: str = "call"
    images: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = 0.0
    source: PriceSource | None = None
    own: bool = False
    missing_key: str = ""
    price_entry: str = ""
    in_batch: int = 0
    """How many calls go into one batch of the vendor's batch API; 0 where each call goes by itself."""

    @property
    def may_cost(self) -> bool:
        """Whether asking costs money, as far as anybody knows."""
        return bool(self.calls) and not self.own and self.cost_usd != 0

    def scaled(self, factor: float) -> PaidCalls:
        """So many times as much."""
        counts = {name: round(getattr(self, name) * factor) for name in COUNTS}
        return replace(self, **counts, cost_usd=None if self.cost_usd is None else self.cost_usd * factor)

    def plus(self, other: PaidCalls) -> PaidCalls:
        """Both together; the price is not known where one is not."""
        counts = {name: getattr(self, name) + getattr(other, name) for name in COUNTS}
        costs = (self.cost_usd, other.cost_usd)
        return replace(self, **counts, cost_usd=None if None in costs else (costs[0] or 0.0) + (costs[1] or 0.0))

    def in_words(self, about: str = "") -> str:
        """One line: who, how much, for how many dollars.

        >>> PaidCalls("editor openai:gpt-image-1", 3, "edit", cost_usd=0.5).in_words()
        'editor openai:gpt-image-1: 3 edits, $0.50'
        """
        parts = [f"{about}{self.calls:,} {self.unit}{'' if self.calls == 1 else 's'}{self._batches()}"]
        if self.input_tokens or self.output_tokens:
            parts += [f"{self.images:,} images", f"{self.input_tokens:,} tokens in, {self.output_tokens:,} out"]
        return f"{self.who}: {', '.join([*parts, self._price()])}"

    def _batches(self) -> str:
        """How many batches the calls make at least; large pictures make it more.

        >>> PaidCalls("judge openai:gpt-4o", 1200, in_batch=1000).in_words()
        'judge openai:gpt-4o: 1,200 calls in 2 batches or more, free'
        """
        if not self.in_batch or not self.calls:
            return ""
        batches = -(-self.calls // self.in_batch)
        return f" in {batches:,} batch{'' if batches == 1 else 'es'} or more"

    def _price(self) -> str:
        if self.cost_usd is not None:
            return rounded(self.cost_usd) if self.cost_usd or not self.calls else "free"
        if self.own:
            return "price unknown (your own server, taken as free)"
        entry = f"no entry for {self.price_entry}; add it with --prices FILE" if self.price_entry else "it gives none"
        return f"price unknown ({entry})"


COUNTS = ("calls", "images", "input_tokens", "output_tokens")


@dataclass(frozen=True, slots=True)
class Forecast:
    """What a command will spend, and what it has spent already.

    ``how`` says how the figures were found; ``cached`` counts verdicts that the cache has, which cost nothing.
    ``about`` is "about " where calls were counted on a part of the cases. ``unseen`` counts the cases that were not
    looked at, where those that were need no paid call: the others still may.
    """

    parts: tuple[PaidCalls, ...] = ()
    cached: int = 0
    about: str = ""
    how: tuple[str, ...] = ()
    spent_usd: float = 0.0
    budget_usd: float | None = None
    unseen: int = 0

    @property
    def known_usd(self) -> float:
        """The dollars of all parts whose price is known, those on servers of one's own left out."""
        return sum(part.cost_usd or 0.0 for part in self.parts if part.may_cost)

    @property
    def unknown(self) -> tuple[PaidCalls, ...]:
        """The parts that may cost money, without a known price."""
        return tuple(part for part in self.parts if part.may_cost and part.cost_usd is None)

    @property
    def may_cost(self) -> bool:
        """Whether anything that will be asked may cost money."""
        return bool(self.unseen) or any(part.may_cost for part in self.parts)

    @property
    def missing_keys(self) -> tuple[str, ...]:
        """Which variables must be set, and for whom."""
        keys = (f"{part.missing_key} for the {part.who}" for part in self.parts if part.missing_key and part.calls)
        return tuple(dict.fromkeys(keys))

    def total_in_words(self) -> str:
        """The total: an amount, a lower bound where a price is missing, or that it is unknown.

        >>> known, unknown = PaidCalls("judge a", 2, cost_usd=12.4), PaidCalls("judge b", 2, cost_usd=None)
        >>> [Forecast(parts).total_in_words() for parts in ((known,), (known, unknown), (unknown,))]
        ['about $12.40', 'at least $12.40', 'an unknown amount']
        """
        if not self.unknown and not self.unseen:
            return f"about {rounded(self.known_usd)}"
        return f"at least {rounded(self.known_usd)}" if self.known_usd else "an unknown amount"

    def lines(self) -> Iterator[str]:
        """The forecast as it is printed."""
        for part in self.parts:
            yield part.in_words(self.about if part.unit == "call" else "")
        if self.cached:
            yield f"{self.about}{self.cached:,} verdicts are already in the cache"
        words = [f"total {self.total_in_words()}"] if self.may_cost else []
        words += [f"{rounded(self.spent_usd)} spent so far"] if self.spent_usd else []
        words += [f"budget {in_dollars(self.budget_usd)}"] if self.budget_usd is not None else []
        if words:
            yield " · ".join(words)
        yield from self.how
        if self.unseen:
            yield f"none of the cases looked at needs a paid call; the other {self.unseen:,} still may"
        if any(part.in_batch and part.calls for part in self.parts):
            yield "results of a batch may take up to 24 hours; Ctrl-C is safe, and resume waits on"
        sources: dict[str, list[str]] = {}
        for part in self.parts:
            if part.source is not None and part.cost_usd and part.calls:
                names = sources.setdefault(part.source.in_words(), [])
                names += [part.who.partition(" ")[2]] if part.who.partition(" ")[2] not in names else []
        for source, names in sources.items():
            yield f"{', '.join(names)}: {source}"
        for key in self.missing_keys:
            yield f"key missing: set the variable {key}"


def rounded(amount: float) -> str:
    """Dollars as a forecast says them: cents, and more decimals only below a cent.

    >>> rounded(12.4), rounded(0.0031), rounded(0)
    ('$12.40', '$0.0031', '$0.00')
    """
    return f"${amount:,.2f}" if amount >= 0.01 or not amount else f"${amount:.2g}"
