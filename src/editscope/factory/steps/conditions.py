"""Conditions on fields: for steps that take some records only, and for those that drop the others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from editscope.errors import BadInput, unknown
from editscope.factory.records import Fields, Record
from editscope.factory.steps.base import Outcome, PlainStep, StepFailed, dropped, kept
from editscope.factory.steps.tools import Tools

NOTHING_THERE: tuple[Any, ...] = (None, "", [], {})
CONDITIONS: Mapping[str, Any] = {"equals": {}, "among": {}, "least": {}, "most": {}, "has": [], "lacks": []}
"""The conditions, each with an empty value of its type."""


def check_conditions(conditions: Any, where: str) -> Mapping[str, Any]:
    """Conditions that a plan gives; BadInput where one is unknown or of another type."""
    if not isinstance(conditions, Mapping):
        raise BadInput(f"{where}: when is a table; write, for example: when = {{ lacks = ['picture'] }}")
    for name, value in conditions.items():
        if name not in CONDITIONS:
            raise unknown("condition", name, CONDITIONS, of=f"{where}, when")
        if not isinstance(value, type(CONDITIONS[name])):
            kind = "a list of fields" if isinstance(CONDITIONS[name], list) else "a table by field"
            raise BadInput(f"{where}: the condition {name} is {value!r}, not {kind}")
    return conditions


def unmet(conditions: Mapping[str, Any], fields: Fields) -> str:
    """Why fields do not meet conditions; "" where they do.

    >>> unmet({"has": ["picture"], "least": {"width": 512}}, {"picture": "a", "width": 100})
    'width below 512'
    >>> unmet({"among": {"law": ["heat", "light"]}}, {"law": "heat"})
    ''
    """
    for name in conditions.get("has", ()):
        if fields.get(name) in NOTHING_THERE:
            return f"no {name}"
    for name in conditions.get("lacks", ()):
        if fields.get(name) not in NOTHING_THERE:
            return f"{name}: {fields[name]}"
    for name, value in conditions.get("equals", {}).items():
        if fields.get(name) != value:
            return f"{name} is not {value}"
    for name, values in conditions.get("among", {}).items():
        if fields.get(name) not in values:
            return f"{name} is none of {', '.join(map(str, values))}"
    for bounds, below in (("least", True), ("most", False)):
        for name, bound in conditions.get(bounds, {}).items():
            value = fields.get(name)
            if not isinstance(value, int | float) or (value < bound if below else value > bound):
                return f"{name} {'below' if below else 'above'} {bound}"
    return ""


class AcceptStep(PlainStep):
    """Records for which a model chose one of certain words: ``field = "verdict"``, ``accepts = ["fine"]``.

    ``reasons = { weak = "weak visual effect" }`` says for other words why the record is dropped.
    """

    kind = "filter"
    settings_of: ClassVar = {"field": "", "accepts": [], "reasons": {}}
    decisive = ("field", "accepts")

    def apply(self, record: Record, tools: Tools) -> Outcome:
        """The record, or the reason that its word stands for."""
        word = record.fields.get(self.settings["field"])
        if word in NOTHING_THERE:
            raise StepFailed(f"the field {self.settings['field']!r} is empty")
        if word in self.settings["accepts"]:
            return kept()
        return dropped(str(self.settings["reasons"].get(str(word), f"{self.settings['field']} is {word}")))
