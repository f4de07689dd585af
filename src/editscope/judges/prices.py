"""What judges cost: a file of list prices that a user can replace line by line."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from editscope.documents import Malformed, read_toml
from editscope.errors import BadInput
from editscope.files import SETTINGS, read_file
from editscope.judges.tokens import DEFAULT_RULE, NEEDS

OURS = Path(__file__).with_name("prices.toml")
DATED = re.compile(r"-(latest|preview([-\d]*)|\d[\d-]*)")
MILLION = 1_000_000

P = TypeVar("P")


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens in and out; ``image`` is the rule by which pictures become tokens."""

    input: float
    output: float
    image: Mapping[str, Any]

    def cost(self, input_tokens: int, output_tokens: int) -> float:
        """What so many tokens cost, in dollars: (in · input + out · output) / 10⁶.

        >>> Price(2.5, 10.0, {}).cost(1000, 200)
        0.0045
        """
        return (input_tokens * self.input + output_tokens * self.output) / MILLION


def load_prices(file: str | Path | None = None) -> dict[str, Price]:
    """The prices that ship with Editscope, with those of the user's file over them, by name of the model."""
    prices = _read(OURS)
    return {**prices, **_read(Path(file))} if file else prices


def price_of(model: str, prices: Mapping[str, P]) -> P | None:
    """The price of a model: under its own name, else under the name without its date; None where it is not known.

    >>> ours = load_prices()
    >>> price_of("gpt-4o-2024-11-20", ours) is price_of("gpt-4o", ours)
    True
    >>> price_of("gpt-4o-audio", ours) is None
    True
    """
    name = model.rpartition("/")[2] if model not in prices else model
    if name in prices:
        return prices[name]
    near = [known for known in prices if name.startswith(known) and DATED.fullmatch(name[len(known) :])]
    return prices[max(near, key=len)] if near else None


def picture_rule(price: Price | None) -> Mapping[str, Any]:
    """How to count a picture's tokens; OpenAI's tiles where nothing is known about the model."""
    return price.image if price else DEFAULT_RULE


def read_table(file: Path, name: str, others: tuple[str, ...] = ()) -> dict[str, Any]:
    """The entries of one table of a file of prices; empty where the file has only ``others``, for somebody else."""
    try:
        data = read_toml(read_file(file, SETTINGS).decode("utf-8-sig"))
    except OSError as error:
        raise BadInput(f"the file of prices {file} cannot be read ({error.strerror}); check --prices") from error
    except (Malformed, UnicodeDecodeError) as error:
        raise BadInput(f"the file of prices {file} is not TOML ({error}); correct that line") from error
    entries = data.get(name, {} if any(other in data for other in others) else None)
    if not isinstance(entries, dict):
        raise BadInput(f"the file of prices {file} has no table [{name}]; write '[{name}]' above the first model")
    return {str(model): entry for model, entry in entries.items()}


def _read(file: Path) -> dict[str, Price]:
    models = read_table(file, "models", others=("editors",))
    return {name: _price(file, name, entry) for name, entry in models.items()}


def _price(file: Path, name: str, entry: Any) -> Price:
    if not isinstance(entry, dict):
        raise BadInput(f"{file}, model {name!r}: write {{ input = …, output = … }} in dollars for a million tokens")
    values = []
    for field in ("input", "output"):
        value = entry.get(field)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf"):
            raise BadInput(f"{file}, model {name!r}: {field} is {value!r}; write dollars for a million tokens")
        values.append(float(value))
    return Price(values[0], values[1], _rule(file, name, entry.get("image", DEFAULT_RULE)))


def _rule(file: Path, name: str, rule: Any) -> Mapping[str, Any]:
    wanted = NEEDS.get(str(rule.get("rule"))) if isinstance(rule, dict) else None
    if wanted is None:
        raise BadInput(f"{file}, model {name!r}: image needs a rule, one of {', '.join(sorted(NEEDS))}")
    for field in wanted:
        if isinstance(rule.get(field), bool) or not isinstance(rule.get(field), int | float) or rule[field] < 0:
            raise BadInput(f"{file}, model {name!r}: the image rule {rule['rule']!r} needs the number {field!r}")
    return dict(rule)
