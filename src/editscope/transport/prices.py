"""Prices of services: one file that ships with Editscope, which a user's file replaces line by line."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from editscope.documents import Malformed, read_toml
from editscope.errors import BadInput
from editscope.files import SETTINGS, read_file
from editscope.transport.budget import Budget

SHIPPED = Path(__file__).with_name("prices.toml")
TABLES = {"models": "model", "editors": "editor"}
"""The tables of a file of prices, and what messages call an entry of each."""
MILLION = 1_000_000

_DATED = re.compile(r"-(latest|preview([-\d]*)|\d[\d-]*)")

P = TypeVar("P")


def load_table(table: str, read: Callable[[str, Any], P], file: str | Path | None = None) -> dict[str, P]:
    """The prices of one table by name of the model: those that ship, with those of the user's file over them.

    ``read`` makes a price of an entry; its first argument says where the entry stands, for messages.
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


def require_price(budget: Budget, known: bool, service: str, table: str) -> None:
    """Raise BadInput where a budget in dollars is to be kept and the price of the service is not known."""
    if budget.max_cost is not None and not known:
        cost, calls = budget.options
        raise BadInput(
            f"{cost} cannot be enforced, because no price is known for {service}; add it to a file of prices "
            f"(--prices FILE, table [{table}]) or limit {calls} instead"
        )


def _read(file: Path, table: str, read: Callable[[str, Any], P]) -> dict[str, P]:
    return {name: read(f"{file}, {TABLES[table]} {name!r}", entry) for name, entry in _entries(file, table).items()}


def _entries(file: Path, table: str) -> dict[str, Any]:
    """The entries of one table; none where the file has only the other one."""
    try:
        data = read_toml(read_file(file, SETTINGS).decode("utf-8-sig"))
    except OSError as error:
        raise BadInput(f"the file of prices {file} cannot be read ({error.strerror}); check --prices") from error
    except (Malformed, UnicodeDecodeError) as error:
        raise BadInput(f"the file of prices {file} is not TOML ({error}); correct that line") from error
    entries = data.get(table, {} if TABLES.keys() & data.keys() else None)
    if not isinstance(entries, dict):
        raise BadInput(f"the file of prices {file} has no table [{table}]; write '[{table}]' above the first model")
    return {str(model): entry for model, entry in entries.items()}
