"""Steps that need no model: texts from templates, records from lists, and records that meet a condition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from editscope.errors import BadInput
from editscope.factory.records import Record
from editscope.factory.steps.base import Outcome, PlainStep, StepFailed, dropped, kept
from editscope.factory.steps.conditions import CONDITIONS, unmet
from editscope.factory.steps.tools import Tools


class TemplateStep(PlainStep):
    """Texts made of other fields: ``fields = { prompt = "A photo of {subject} in {scene}" }``."""

    kind = "map"
    settings_of: ClassVar = {"fields": {}}

    def __init__(self, name: str, settings: Mapping[str, Any], reads: Sequence[str] = ()) -> None:
        super().__init__(name, settings, reads)
        for field, template in self.settings["fields"].items():
            if not isinstance(template, str):
                raise BadInput(f"step {name!r}: the template of {field!r} is {template!r}; write a text in quotes")

    def apply(self, record: Record, tools: Tools) -> Outcome:
        """The record with the texts."""
        return kept({name: filled(template, record) for name, template in self.settings["fields"].items()})


class ExpandStep(PlainStep):
    """A record for each entry of a list: ``field = "questions"`` holds it, ``into = "question"`` gets an entry."""

    kind = "expand"
    settings_of: ClassVar = {"field": "", "into": "", "most": 0}
    decisive = ("field",)

    def apply(self, record: Record, tools: Tools) -> Outcome:
        """A record for each entry."""
        entries = record.fields.get(self.settings["field"])
        if not isinstance(entries, list):
            raise StepFailed(f"the field {self.settings['field']!r} is not a list")
        if not entries:
            return dropped("nothing to expand")
        most = self.settings["most"] or len(entries)
        into = self.settings["into"] or self.settings["field"]
        parts = [
            {into: entry, **({} if into == self.settings["field"] else {self.settings["field"]: None})}
            for entry in entries[:most]
        ]
        return Outcome(tuple(parts))


class WhereStep(PlainStep):
    """Records whose fields have certain values, lie between others, or are there at all.

    ``equals = { law = "optics" }``, ``among = { law = ["optics", "heat"] }``, ``least = { width = 512 }``,
    ``most = { width = 4096 }``, ``has = ["picture"]``, ``lacks = ["broken"]``.
    """

    kind = "filter"
    settings_of: ClassVar = CONDITIONS
    decisive = tuple(CONDITIONS)

    def apply(self, record: Record, tools: Tools) -> Outcome:
        """The record, or why it is dropped."""
        reason = unmet(self.settings, record.fields)
        return dropped(reason) if reason else kept()


class _Words(dict[str, Any]):
    def __missing__(self, name: str) -> str:
        raise StepFailed(f"a template asks for the field {name!r}, which the record does not have")


def filled(template: str, record: Record | Mapping[str, Any]) -> str:
    """A template with fields in the place of their names in braces.

    >>> filled("{subject} at {time}", {"subject": "A cup", "time": "noon"})
    'A cup at noon'
    """
    fields = record.fields if isinstance(record, Record) else record
    return template.format_map(_Words(fields))
