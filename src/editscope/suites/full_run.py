"""The price of a full run: what a judge is asked about a whole benchmark, and what that costs with a usual judge."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from editscope.judges.prices import load_prices, picture_rule
from editscope.judges.tokens import FIXED, picture_tokens, text_tokens
from editscope.suites.benchmark import Benchmark
from editscope.transport.prices import price_of

KIND, MODEL = "openai", "gpt-4o"
"""The judge that prices are told for; any other can be used."""
REPLY_TOKENS = 300
INSTRUCTION_TOKENS = 50


@dataclass(frozen=True, slots=True)
class FullRun:
    """What a full run asks one judge, each question once; edits are not in it. ``cost_usd`` is None if nobody knows.

    ``judge`` is "" where pixels are compared, which costs nothing. ``priced_on`` is the day of the price.
    """

    judge: str
    calls: int
    images: int
    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    priced_on: date | None = None

    def in_words(self) -> str:
        """The price, as exactly as it is worth.

        >>> FullRun("", 0, 0, 0, 0, 0.0).in_words(), FullRun("openai:gpt-4o", 9, 9, 9, 9, 17.63).in_words()
        ('free', 'about $18')
        """
        if not self.judge:
            return "free"
        return "unknown" if self.cost_usd is None else f"about ${self.cost_usd:,.0f}"


def full_run(record: Benchmark) -> FullRun | None:
    """The estimate for a benchmark with its usual options; None where its record says nothing about it."""
    if record.scoring == "pixels":
        return FullRun("", 0, 0, 0, 0, 0.0)
    if record.judging is None:
        return None
    price = price_of(MODEL, load_prices())
    work = record.judging
    words = INSTRUCTION_TOKENS + FIXED + _prompt_tokens(record)
    seen = work.calls * words + work.images * picture_tokens(work.side, work.side, picture_rule(price))
    replies = work.calls * REPLY_TOKENS
    cost = None if price is None else price.cost(seen, replies)
    day = getattr(getattr(price, "source", None), "day", None)
    return FullRun(f"{KIND}:{MODEL}", work.calls, work.images, seen, replies, cost, day)


def _prompt_tokens(record: Benchmark) -> int:
    """The mean length of its prompts; those of the benchmark whose protocol it uses where it has none of its own."""
    from editscope.suites.registry import known_benchmark

    owner = record if record.prompts is not None else known_benchmark(record.judged_by)
    folder = None if owner is None else owner.prompts
    texts = [] if folder is None else [file.read_text(encoding="utf-8") for file in sorted(folder.glob("*.txt"))]
    return sum(map(text_tokens, texts)) // len(texts) if texts else 0
