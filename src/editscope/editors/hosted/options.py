"""Options of a hosted editor's spec, and how their values are read."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from editscope.errors import BadInput, unknown
from editscope.transport.keys import no_secret, plain_address

EVERYWHERE = ("base_url", "key_env")


@dataclass(frozen=True, slots=True)
class ServiceOption:
    """One option: how its value is read (None where it cannot be), and in words what it takes."""

    read: Callable[[Any], Any]
    wants: str


def one_of(*values: str) -> ServiceOption:
    """One of some words.

    >>> one_of("low", "high").read("high")
    'high'
    """
    return ServiceOption(lambda given: str(given) if str(given) in values else None, f"one of {', '.join(values)}")


def number(kind: type[int] | type[float], low: float, high: float) -> ServiceOption:
    """A number in a range, both ends included.

    >>> number(int, 0, 6).read(7) is None, number(float, 0, 2).read(1)
    (True, 1.0)
    """

    def read(given: Any) -> float | None:
        if isinstance(given, bool) or not isinstance(given, int | float) or (kind is int and given != int(given)):
            return None
        return kind(given) if low <= given <= high else None

    return ServiceOption(read, f"a {'whole ' if kind is int else ''}number from {low:,.10g} to {high:,.10g}")


def flag() -> ServiceOption:
    """True or false; 1 and 0 do too."""
    return ServiceOption(lambda given: bool(given) if given in (True, False) else None, "true or false")


def matching(pattern: str, wants: str) -> ServiceOption:
    """A text of a certain form.

    >>> matching(r"[0-9]+:[0-9]+", "a ratio such as 16:9").read("16:9")
    '16:9'
    """
    form = re.compile(pattern)
    return ServiceOption(lambda given: str(given) if form.fullmatch(str(given)) else None, wants)


def read_options(
    kind: str, target: str, given: Mapping[str, Any], allowed: Mapping[str, ServiceOption], role: str = "editor"
) -> tuple[dict[str, Any], str | None, str | None]:
    """The options of a spec, checked, and apart from them the address and the name of the key's variable if given."""
    where = f"{role} {kind}:{target}"
    known = (*EVERYWHERE, *allowed)
    read: dict[str, Any] = {}
    for name, value in given.items():
        no_secret(where, name, value)
        if name not in known:
            raise unknown("option", name, known, of=f"{role}s of kind {kind}")
        if name in allowed:
            read[name] = allowed[name].read(value)
            if read[name] is None:
                raise BadInput(f"{where}, option {name}: {value!r} is not {allowed[name].wants}")
    base_url = plain_address(f"{where}, option base_url", str(given["base_url"])) if "base_url" in given else None
    return read, base_url, str(given["key_env"]) if "key_env" in given else None
