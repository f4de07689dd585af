"""Lists in fields: taken apart into numbered fields, and put together again."""

from __future__ import annotations

from typing import ClassVar

from editscope.factory.records import Record
from editscope.factory.steps.base import Outcome, PlainStep, StepFailed, dropped, kept
from editscope.factory.steps.conditions import NOTHING_THERE
from editscope.factory.steps.tools import Tools


class SpreadStep(PlainStep):
    """A field for each entry of a list: ``field = "prompts"``, ``into = "prompt"`` gives prompt_1, prompt_2 and so on.

    ``count`` names a field with the number of entries that there must be; a list of another length drops the record.
    """

    kind = "map"
    settings_of: ClassVar = {"field": "", "into": "", "count": ""}
    decisive = ("field", "count")

    def apply(self, record: Record, tools: Tools) -> Outcome:
        """The record with the entries."""
        entries = record.fields.get(self.settings["field"])
        if not isinstance(entries, list):
            raise StepFailed(f"the field {self.settings['field']!r} is not a list")
        wanted = record.fields.get(self.settings["count"]) if self.settings["count"] else len(entries)
        if len(entries) != wanted:
            return dropped(f"another number of {self.settings['field']} than asked for: {len(entries)} for {wanted}")
        into = self.settings["into"] or self.settings["field"]
        return kept({f"{into}_{number}": entry for number, entry in enumerate(entries, start=1)})


class GatherStep(PlainStep):
    """A list of fields: ``fields = ["picture_1", "picture_2"]``, ``into = "pictures"``. Empty ones are left out."""

    kind = "map"
    settings_of: ClassVar = {"fields": [], "into": ""}

    def apply(self, record: Record, tools: Tools) -> Outcome:
        """The record with the list beside the fields."""
        entries = [record.fields.get(name) for name in self.settings["fields"]]
        return kept({self.settings["into"]: [entry for entry in entries if entry not in NOTHING_THERE]})
