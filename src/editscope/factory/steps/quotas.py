"""Quotas: how many records of each kind a set has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import ceil
from typing import Any, ClassVar

from editscope.errors import BadInput
from editscope.factory.records import Record
from editscope.factory.steps.base import RecordDecision, WholeStep
from editscope.factory.steps.tools import Tools


class QuotaStep(WholeStep):
    """A set number of records for each value of a field: ``by = "subset"``, ``quotas = { awareness_1 = 281 }``.

    ``times = 1.5`` draws half as many again, for a shortlist from which people choose. Values without a quota are
    dropped. Which records are drawn depends on the plan's seed and on their ids. Without quotas all go on.
    """

    kind = "sample"
    settings_of: ClassVar = {"by": "", "quotas": {}, "times": 1.0}
    decisive = ("by", "quotas", "times")

    def __init__(self, name: str, settings: Mapping[str, Any], reads: Sequence[str] = ()) -> None:
        super().__init__(name, settings, reads)
        for value, number in self.settings["quotas"].items():
            if not isinstance(number, int) or isinstance(number, bool) or number < 0:
                raise BadInput(f"step {name!r}: the quota of {value} is {number!r}; write a whole number from 0")
        if not self.settings["by"]:
            raise BadInput(f"step {name!r} does not say what its quotas are of; write: by = 'subset'")
        if self.settings["times"] <= 0:
            raise BadInput(f"step {name!r}: times is {self.settings['times']}; write a number above 0")
        self.needs = (self.settings["by"],)

    def decide(self, records: Iterable[Record], tools: Tools) -> Iterator[RecordDecision]:
        """Keep what is drawn."""
        quotas, times = self.settings["quotas"], self.settings["times"]
        order = [(record.id, str(record.fields.get(self.settings["by"], ""))) for record in records]
        groups: dict[str, list[str]] = {}
        for one, group in order:
            groups.setdefault(group, []).append(one)
        drawn: set[str] = set()
        for group, ids in groups.items():
            ids.sort(key=lambda one: (tools.number(self.name, one), one))
            drawn.update(ids[: ceil(quotas.get(group, 0) * times)] if quotas else ids)
        for one, group in order:
            reason = f"beyond the quota: {group}" if group in quotas else f"no quota: {group}"
            yield RecordDecision(one, "" if one in drawn else reason)
