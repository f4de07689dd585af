"""Prices of services: one file that ships with Editscope, which a user's file replaces line by line."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, TypeVar

from editscope.documents import Malformed, read_toml
from editscope.errors import BadInput
from editscope.files import SETTINGS, read_file
from editscope.transport.account import OPTION
from editscope.transport.budget import Budget

SHIPPED = Path(__file__).with_name("prices.toml")
SOURCES = "sources"
TABLES = {"models": "model", "editors": "editor", "videos": "video model"}
"""The tables of a file of prices, and what messages call an entry of each."""
MILLION = 1_000_000
OLD_DAYS = 183
"""After half a year a price counts as old."""
MONTH_DAYS = 30.44

_DATED = re.compile(r"-(latest|preview([-\d]*)|\d[\d-]*)")

P = TypeVar("P")


@dataclass(frozen=True, slots=True)
class PriceSource:
    """Where a price is from: the day it is of, a few words, and the page where you can check it."""

    text: str = ""
    day: date | None = None
    page: str = ""
    batch: Any = 1.0
    """What a call in a batch costs there, as a part of the price of an ordinary one."""
    yours: bool = False
    """Whether it stands in a file of the user's: then asking costs that much wherever the server is."""

    def in_words(self, today: date | None = None) -> str:
        """The source in a few words, with its age where it is old.

        >>> source = PriceSource("vendor's price page", date(2026, 10, 1))
        >>> source.in_words(date(2026, 11, 1))
        "prices of 2026-10-01, vendor's price page"
        >>> source.in_words(date(2027, 8, 1))
        "prices of 2026-10-01, 10 months old, vendor's price page"
        """
        words = [f"prices of {self.day}" if self.day else "prices without a date"]
        age = age_in_days(self.day, today) if self.day else 0
        words += [f"{age / MONTH_DAYS:.0f} months old"] if age > OLD_DAYS else []
        return ", ".join([*words, *filter(None, (self.text, self.page))])


def age_in_days(day: date, today: date | None = None) -> int:
    """How old a price of a day is."""
    return ((today or date.today()) - day).days


def load_table(table: str, read: Callable[[str, Any, PriceSource], P], file: str | Path | None = None) -> dict[str, P]:
    """The prices of one table by name of the model: those that ship, with those of the user's file over them.

    ``read`` makes a price of an entry; its first argument says where the entry stands, for messages, its last one where
    the price is from.
    """
    prices = _read(SHIPPED, table, read)
    return {**prices, **_read(Path(file), table, read)} if file else prices


def price_of(model: str, prices: Mapping[str, P]) -> P | None:
    """The price of a model: under its own name, else under the name without its date; None where it is not known.

    >>> prices = {"gpt-4o": 2.5}
    >>> price_of("gpt-4o-2024-11-20", prices), price_of("openai/gpt-4o", prices), price_of("gpt-4o-audio", prices)
    (2.5, 2.5, None)
    """
    name = model.rpartition("/")[2] if model not in prices else model
    if name in prices:
        return prices[name]
    near = [known for known in prices if name.startswith(known) and _DATED.fullmatch(name[len(known) :])]
    return prices[max(near, key=len)] if near else None


def dollars(where: str, value: Any, unit: str = "dollars, 0 or more") -> float:
    """An amount in a file of prices; BadInput, beginning with ``where``, if it is none."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf"):
        raise BadInput(f"{where} is {value!r}; write {unit}")
    return float(value)


def require_price(budget: Budget, known: bool, service: str, table: str, *, own: bool = False) -> None:
    """Raise BadInput where a budget in dollars is to be kept and the price of the service is not known.

    A server of one's ``own`` needs no price for the budget of a run: what it says that it charges is counted.
    """
    if known:
        return
    cost, calls = budget.options
    option = cost if budget.max_cost is not None else OPTION if budget.account is not None and not own else ""
    if option:
        instead = budget.account.instead if budget.account is not None else ""
        raise BadInput(
            f"{option} cannot be enforced, because no price is known for {service}; add it to a file of prices "
            f"(--prices FILE, table [{table}]) or {instead or f'limit {calls} instead'}"
        )


def _read(file: Path, table: str, read: Callable[[str, Any, PriceSource], P]) -> dict[str, P]:
    data = _parsed(file)
    entries = data.get(table, {} if (TABLES.keys() | {SOURCES}) & data.keys() else None)
    if not isinstance(entries, dict):
        raise BadInput(f"the file of prices {file} has no table [{table}]; write '[{table}]' above the first model")
    sources = data.get(SOURCES, {})
    prices = {}
    for name, entry in entries.items():
        where = f"{file}, {TABLES[table]} {name!r}"
        prices[str(name)] = read(where, entry, _source(where, file, entry, sources))
    return prices


def _parsed(file: Path) -> dict[str, Any]:
    try:
        return read_toml(read_file(file, SETTINGS).decode("utf-8-sig"))
    except OSError as error:
        raise BadInput(f"the file of prices {file} cannot be read ({error.strerror}); check --prices") from error
    except (Malformed, UnicodeDecodeError) as error:
        raise BadInput(f"the file of prices {file} is not TOML ({error}); correct that line") from error


def _source(where: str, file: Path, entry: Any, sources: Any) -> PriceSource:
    """Where an entry is from: its own ``source`` and ``date``, over those of the table that ``source`` names."""
    if not isinstance(entry, dict):
        return PriceSource()  # the reader of the entry says what is wrong with it
    named = entry.get("source", f"your file {file.name}")
    if not isinstance(named, str):
        raise BadInput(f'{where}: source is {named!r}; write a text, such as "vendor\'s price page"')
    table = sources.get(named) if isinstance(sources, dict) else None
    table = table if isinstance(table, dict) else {"text": named}
    return PriceSource(
        str(table.get("text", named)),
        _day(where, entry.get("date", table.get("date"))),
        str(table.get("page", "")),
        table.get("batch", 1.0),
        yours=file != SHIPPED,
    )


def _day(where: str, value: Any) -> date | None:
    if value is None or isinstance(value, date):
        return date(value.year, value.month, value.day) if value is not None else None
    try:
        return date.fromisoformat(value)
    except (TypeError, ValueError):
        raise BadInput(f"{where}: date is {value!r}; write a day, such as 2026-10-01") from None
