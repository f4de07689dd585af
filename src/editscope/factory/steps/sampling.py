"""Steps over all records: samples and quotas, and the first of those that are alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from editscope.errors import BadInput
from editscope.factory.records import Record, canonical
from editscope.factory.steps.base import RecordDecision, WholeStep
from editscope.factory.steps.tools import Tools


class SampleStep(WholeStep):
    """A random sample: ``size`` of all, spread evenly over the values of ``by``, or ``each`` of every value of ``by``.

    With ``ratio`` no value of ``by`` has more than so many times the records of the rarest one. Which records are drawn
    depends on the plan's seed and on their ids, not on how many others there are.
    """

    kind = "sample"
    settings_of: ClassVar = {"size": 0, "each": 0, "by": "", "ratio": 0.0}
    decisive = ("size", "each", "by", "ratio")

    def __init__(self, name: str, settings: Mapping[str, Any], reads: Sequence[str] = ()) -> None:
        super().__init__(name, settings, reads)
        for setting in ("size", "each", "ratio"):
            if (value := self.settings[setting]) < 0:
                raise BadInput(f"step {name!r}: {setting} is {value}; write a number above 0, or 0 for all")
        self.needs = (self.settings["by"],) if self.settings["by"] else ()

    def decide(self, records: Iterable[Record], tools: Tools) -> Iterator[RecordDecision]:
        """Keep what is drawn."""
        by, size, each = self.settings["by"], self.settings["size"], self.settings["each"]
        groups: dict[str, list[str]] = {}
        order: list[tuple[str, str]] = []
        for record in records:
            group = str(record.fields.get(by, "")) if by else ""
            groups.setdefault(group, []).append(record.id)
            order.append((record.id, group))
        drawn: set[str] = set()
        if ratio := self.settings["ratio"]:
            most = int(min(map(len, groups.values()), default=0) * max(1.0, ratio))
            groups = {group: self._drawn(ids, tools)[:most] for group, ids in groups.items()}
        quota = dict.fromkeys(groups, each) if each else _even(groups, size or len(order))
        for group, ids in groups.items():
            drawn.update(self._drawn(ids, tools)[: quota[group]])
        for one, group in order:
            yield RecordDecision(
                one, "" if one in drawn else f"beyond the quota: {group}" if by else "beyond the sample"
            )

    def _drawn(self, ids: Sequence[str], tools: Tools) -> list[str]:
        """Ids in the order in which they are drawn."""
        return sorted(ids, key=lambda one: (tools.number(self.name, one), one))


def _even(groups: Mapping[str, Sequence[str]], size: int) -> Counter[str]:
    """How many of each group make a sample of this size: as even as the groups allow.

    >>> sorted(_even({"a": "xxxxx", "b": "x", "c": "xxxx"}, 6).items())
    [('a', 3), ('b', 1), ('c', 2)]
    """
    quota: Counter[str] = Counter(dict.fromkeys(groups, 0))
    left = min(size, sum(map(len, groups.values())))
    while left:
        for group in sorted(groups):
            if left and quota[group] < len(groups[group]):
                quota[group] += 1
                left -= 1
    return quota


class DistinctStep(WholeStep):
    """The first of all records that have the same values of some fields; texts are compared without case and spaces."""

    kind = "filter"
    settings_of: ClassVar = {"fields": []}
    decisive = ("fields",)

    def __init__(self, name: str, settings: Mapping[str, Any], reads: Sequence[str] = ()) -> None:
        super().__init__(name, settings, reads)
        self.needs = tuple(self.settings["fields"])

    def decide(self, records: Iterable[Record], tools: Tools) -> Iterator[RecordDecision]:
        """Drop what was there before."""
        seen: dict[bytes, str] = {}
        for record in records:
            values = [record.fields.get(name) for name in self.needs]
            key = canonical(
                [" ".join(value.split()).casefold() if isinstance(value, str) else value for value in values]
            )
            first = seen.setdefault(key, record.id)
            yield RecordDecision(record.id, "" if first == record.id else f"the same as another: {first}")
