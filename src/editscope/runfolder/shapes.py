"""Shapes of what is read from a run: which keys a record must have, and of which kind their values are."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from math import isfinite
from operator import itemgetter
from typing import Any, TypeAlias

Check: TypeAlias = Callable[[Any], "str | None"]
"""What is wrong with a value, in words that follow its name; None where it fits."""

NAMES = {dict: "an object", list: "a list", str: "a text", bool: "true or false", type(None): "null"}


def named(value: object) -> str:
    """What kind of JSON value this is.

    >>> named({}), named(3), named(None)
    ('an object', 'a number', 'null')
    """
    return NAMES.get(type(value), "a number")


def text(value: Any) -> str | None:
    """A string."""
    return None if type(value) is str else f" is {named(value)}, not a text"


def whole(value: Any) -> str | None:
    """A whole number that a table can hold."""
    if type(value) is int and -(2**63) <= value < 2**63:
        return None
    return f" is {named(value)}, not a whole number" if type(value) is not int else " is too large a number"


def integer(value: Any) -> str | None:
    """A whole number of any size."""
    return None if type(value) is int else f" is {named(value)}, not a whole number"


def number(value: Any) -> str | None:
    """A number; JSON as Python writes it has infinite ones too."""
    return None if type(value) is float else whole(value) and f" is {named(value)}, not a number"


def finite(value: Any) -> str | None:
    """A number that is neither infinite nor NaN."""
    return number(value) or (None if isfinite(value) else f" is {value}, not a finite number")


def flag(value: Any) -> str | None:
    """True or false."""
    return None if type(value) is bool else f" is {named(value)}, not true or false"


def scalar(value: Any) -> str | None:
    """A text, a finite number, true or false."""
    if type(value) is float and not isfinite(value):
        return f" is {value}, not a finite number"
    return None if type(value) in (str, int, float, bool) else f" is {named(value)}"


def anything(value: Any) -> str | None:
    """Whatever it is."""
    return None


def moment(value: Any) -> str | None:
    """A time in ISO format."""
    try:
        datetime.fromisoformat(value)
    except (TypeError, ValueError):
        return " is not a time"
    return None


KINDS: dict[Check, frozenset[type]] = {
    text: frozenset({str}),
    number: frozenset({float}),
    flag: frozenset({bool}),
}
"""Types whose values need no further look, since a large journal has a million of them."""


def maybe(check: Check) -> Check:
    """A value of that kind, or null."""

    def problem(value: Any) -> str | None:
        return None if value is None else check(value)

    KINDS[problem] = KINDS.get(check, frozenset()) | {type(None)}
    return problem


def one_of(names: Collection[str]) -> Check:
    """One of these texts."""
    return lambda value: None if type(value) is str and value in names else f" is none of {', '.join(names)}"


def _plain(check: Check, values: Collection[Any]) -> bool:
    """Whether all values are seen at a glance to be right."""
    if check is finite:
        return all(map(isfinite, values)) if set(map(type, values)) <= {float} else False
    kinds = set(map(type, values))
    if check is whole:
        return kinds == {int} and min(values) >= -(2**63) and max(values) < 2**63
    return kinds <= KINDS.get(check, frozenset())


def list_of(check: Check, length: int | None = None) -> Check:
    """A list of such values, of this length where one is given."""

    def problem(value: Any) -> str | None:
        if type(value) is not list:
            return f" is {named(value)}, not a list"
        if length is not None and len(value) != length:
            return f" has {len(value)} entries, not {length}"
        if _plain(check, value):
            return None
        for place, item in enumerate(value):
            wrong = check(item)
            if wrong is not None:
                return f"[{place}]{wrong}"
        return None

    return problem


def dict_of(check: Check) -> Check:
    """An object with any keys and such values."""

    def problem(value: Any) -> str | None:
        if type(value) is not dict:
            return f" is {named(value)}, not an object"
        if _plain(check, value.values()):
            return None
        for key, item in value.items():
            wrong = check(item)
            if wrong is not None:
                return f".{key}{wrong}"
        return None

    return problem


def _all_of(names: tuple[str, ...]) -> Callable[[Any], tuple[Any, ...]]:
    """What gets the values of all keys at once."""
    if len(names) > 1:
        return itemgetter(*names)
    return lambda value: tuple(value[name] for name in names)


def record(required: Mapping[str, Check], optional: Mapping[str, Check] | None = None) -> Check:
    """An object with these keys and perhaps those; other keys are let be, since a later version may write more.

    >>> record({"case": text})({"case": 3})
    '.case is a number, not a text'
    >>> record({"case": text})({})
    " lacks 'case'"
    """
    names, checks = tuple(required), tuple(required.values())
    fetch: Callable[[Any], tuple[Any, ...]] = _all_of(names)
    more = tuple((optional or {}).items())
    plans: dict[tuple[type, ...], list[int]] = {}  # by the types of all values, those that need a look of their own

    def problem(value: Any) -> str | None:
        if type(value) is not dict:
            return f" is {named(value)}, not an object"
        try:
            items = fetch(value)
        except KeyError as missing:
            return f" lacks {missing.args[0]!r}"
        types = tuple(map(type, items))
        places = plans.get(types)
        if places is None:
            places = [i for i, check in enumerate(checks) if types[i] not in KINDS.get(check, ())]
            plans[types] = places
        for place in places:
            wrong = checks[place](items[place])
            if wrong is not None:
                return f".{names[place]}{wrong}"
        for key, check in more:
            if key in value:
                wrong = check(value[key])
                if wrong is not None:
                    return f".{key}{wrong}"
        return None

    return problem


def either(*checks: Check) -> Check:
    """A value that one of the checks finds right; what the last one says where none does."""

    def problem(value: Any) -> str | None:
        wrong: str | None = None
        for check in checks:
            wrong = check(value)
            if wrong is None:
                return None
        return wrong

    return problem
