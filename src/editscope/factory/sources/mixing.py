"""Several sources as one, in shares."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, ClassVar

from editscope.errors import BadInput
from editscope.factory.records import Fields
from editscope.factory.sources.base import RecordSource
from editscope.factory.steps.tools import Tools


class MixedSource(RecordSource):
    """Sources by name, mixed: each is given its share of every stretch of records, until it has no more.

    A part is a source with two settings more: ``share``, a number of 1 or what you like, and ``optional``: such a part
    is left out where its ``path`` is empty. Each record has the name of its part in ``source``, unless it has one.
    """

    settings_of: ClassVar = {"parts": {}}

    def __init__(self, settings: Mapping[str, Any]) -> None:
        from editscope.factory.steps.registry import make_source

        super().__init__(settings)
        self.parts: dict[str, RecordSource] = {}
        self.shares: dict[str, float] = {}
        for name, entry in self.settings["parts"].items():
            if not isinstance(entry, Mapping):
                raise BadInput(f"the part {name!r} of the source is not a table; write: {name} = {{ use = 'folder' }}")
            share = entry.get("share", 1)
            if not isinstance(share, int | float) or isinstance(share, bool) or share <= 0:
                raise BadInput(f"the part {name!r} of the source has the share {share!r}; write a number above 0")
            if entry.get("optional") and not entry.get("path"):
                continue
            inner = {key: value for key, value in entry.items() if key not in ("share", "optional")}
            self.parts[name] = make_source(inner, f"the part {name!r}")
            self.shares[name] = float(share)
        if not self.parts:
            raise BadInput("the source mixes nothing; give one of its parts a path")

    def identity(self, tools: Tools) -> Any:
        """The parts that are there, each with its share."""
        parts = [[name, self.shares[name], part.identity(tools)] for name, part in self.parts.items()]
        return [f"{type(self).__module__}:{type(self).__qualname__}", parts]

    def records(self, tools: Tools, start: int = 0) -> Iterator[Fields]:
        """The records of all parts, mixed."""
        taken = self._taken(tools, start) if start else dict.fromkeys(self.parts, 0)
        if taken is None:
            yield from islice(self._mixed(tools, dict.fromkeys(self.parts, 0)), start, None)
        else:
            yield from self._mixed(tools, taken)

    def _taken(self, tools: Tools, start: int) -> dict[str, int] | None:
        """How many records of each part come before a place; None where only reading them tells."""
        counts = {name: part.count(tools) for name, part in self.parts.items()}
        taken = dict.fromkeys(self.parts, 0)
        for _ in range(start):
            left = [name for name, count in counts.items() if count is None or taken[name] < count]
            if not left:
                break
            taken[least_served(taken, self.shares, left)] += 1
        for name, count in counts.items():  # a part that does not know its size may have ended before
            if count is None and taken[name] and next(self.parts[name].records(tools, taken[name] - 1), None) is None:
                return None
        return taken

    def _mixed(self, tools: Tools, taken: dict[str, int]) -> Iterator[Fields]:
        there = {name: part.records(tools, taken[name]) for name, part in self.parts.items()}
        while there:
            name = least_served(taken, self.shares, list(there))
            fields = next(there[name], None)
            if fields is None:
                del there[name]
                continue
            taken[name] += 1
            yield {"source": name, **fields}

    def naming(self, fields: Fields) -> Any:
        """The part that a record comes from, and what names it there."""
        own = {name: value for name, value in fields.items() if name != "source"}
        return [fields["source"], self.parts[fields["source"]].naming(own)]

    def count(self, tools: Tools) -> int | None:
        """How many all parts have, where each knows."""
        counts = [part.count(tools) for part in self.parts.values()]
        return None if None in counts else sum(count or 0 for count in counts)


def least_served(taken: Mapping[str, int], shares: Mapping[str, float], names: Sequence[str]) -> str:
    """The name that has the least of its share so far; of equals the first.

    >>> least_served({"a": 2, "b": 1}, {"a": 3.0, "b": 1.0}, ["a", "b"])
    'a'
    """
    return min(names, key=lambda name: (taken[name] + 1) / shares[name])
