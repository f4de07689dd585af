"""Texts of records checked by the rules for texts: as a step of its own, and for what a model has just written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from typing import Any, ClassVar, cast

from editscope.errors import BadInput, unknown
from editscope.factory.records import Record
from editscope.factory.rules import RULES_VERSION, Breach, breaches, rule, rules_for
from editscope.factory.rules.records import RuledText, Subject
from editscope.factory.steps.base import Outcome, PlainStep, StepFailed, dropped, kept
from editscope.factory.steps.tools import Tools

SETTINGS: Mapping[str, Any] = {"subject": "", "fields": {}, "each": "", "rules": [], "except": []}
"""What says which texts are checked, and by which rules."""


@dataclass(frozen=True, slots=True)
class TextCheck:
    """The rules about a subject, and the fields of a record that hold its text.

    ``fields`` maps an entry of the text (``text``, ``law``) to a field of the record. With ``each`` a field holds a
    list, and every entry of it is a text: its entries are looked for there first.
    """

    subject: Subject
    fields: Mapping[str, str]
    each: str
    left_out: tuple[str, ...]

    @property
    def reads(self) -> tuple[str, ...]:
        """The fields of a record that decide."""
        return (*((self.each,) if self.each else ()), *self.fields.values())

    def breaches(self, record: Mapping[str, Any]) -> list[Breach]:
        """What the texts of a record break; StepFailed where it has none."""
        return [breach for text in self._texts(record) for breach in breaches(self.subject, text, self.left_out)]

    def _texts(self, record: Mapping[str, Any]) -> Iterator[RuledText]:
        if not self.each:
            yield self._text(record)
            return
        entries = record.get(self.each)
        if not isinstance(entries, list) or not all(isinstance(entry, Mapping) for entry in entries):
            raise StepFailed(f"the field {self.each!r} is not a list of tables, so that no rule can be checked")
        for entry in entries:
            yield self._text({**record, **entry})

    def _text(self, values: Mapping[str, Any]) -> RuledText:
        made = record_class(self.subject)
        given: dict[str, Any] = {}
        for entry in fields(made):  # type: ignore[arg-type]
            name = self.fields.get(entry.name, "")
            value = values.get(name) if name else None
            if value is None and entry.default is MISSING:
                raise StepFailed(f"the field {name!r} is empty, so that no rule can be checked")
            if value is not None:
                given[entry.name] = _as_texts(value, name) if entry.name == "texts" else _as_text(value, name)
        return made(**given)


def text_check(settings: Mapping[str, Any], where: str) -> TextCheck:
    """The check that settings describe; BadInput where they name what is not there."""
    for name, value in settings.items():
        if name not in SETTINGS:
            raise unknown("setting", name, SETTINGS, of=where)
        if not isinstance(value, type(SETTINGS[name])):
            raise BadInput(f"{where}: {name} is {value!r}; write, for example: {name} = {_EXAMPLES[name]}")
    given = {**SETTINGS, **settings}
    subject = cast(Subject, given["subject"])
    known = [one.name for one in rules_for(subject, "code")]
    entries = [entry.name for entry in fields(record_class(subject))]  # type: ignore[arg-type]
    if not given["fields"]:
        raise BadInput(f"{where} names no fields; write: fields = {{ {entries[0]} = 'field' }}")
    for entry, name in given["fields"].items():
        if entry not in entries:
            raise unknown("entry", entry, entries, of=f"{where}, fields")
        if not isinstance(name, str):
            raise BadInput(f"{where}: fields.{entry} is {name!r}; write the name of a field of the record")
    for name in [*given["rules"], *given["except"]]:
        if rule(name).decided_by == "model":
            raise BadInput(f"{where}: code cannot decide the rule {name!r}; ask a model in a step of its own")
        if name not in known:
            raise unknown("rule", name, known, of=f"the subject {subject!r}")
    left_out = [name for name in known if (given["rules"] and name not in given["rules"]) or name in given["except"]]
    return TextCheck(subject, dict(given["fields"]), given["each"], tuple(left_out))


def record_class(subject: Subject) -> type[RuledText]:
    """What the rules about a subject read."""
    return cast(type[RuledText], rules_for(subject)[0].record)


class LintStep(PlainStep):
    """Records whose texts keep rules: ``subject = "motion_caption"``, ``fields = { text = "motion", law = "law" }``.

    ``rules`` names those that are checked, ``except`` those that are not; without them all that code decides are. With
    ``each`` the texts are entries of a list. The reason of a dropped record is the first rule that it breaks.
    """

    kind = "filter"
    settings_of: ClassVar = SETTINGS
    decisive = ("subject", "rules", "except")

    def __init__(self, name: str, settings: Mapping[str, Any], reads: Sequence[str] = ()) -> None:
        super().__init__(name, settings, reads)
        self.check = text_check(self.settings, f"step {name!r}")
        self.reads = tuple(reads) or self.check.reads

    def identity(self) -> Any:
        """The settings, and the version of the rules."""
        return [*super().identity(), RULES_VERSION]

    def apply(self, record: Record, tools: Tools) -> Outcome:
        """The record, or the first rule that it breaks."""
        found = self.check.breaches(record.fields)
        return dropped(as_reason(found), notes={"breaches": as_lines(found)}) if found else kept()


def as_reason(found: Sequence[Breach]) -> str:
    """Why a text is dropped: the first rule that it breaks.

    >>> as_reason([Breach("no_mood", "'sad' is a mood."), Breach("visible_change", "no word says what one sees.")])
    "no_mood: 'sad' is a mood."
    """
    return f"{found[0].rule}: {found[0].reason}"


def as_lines(found: Sequence[Breach]) -> list[str]:
    """All that a text breaks, a line for each."""
    return list(dict.fromkeys(f"{one.rule}: {one.reason}" for one in found))


_EXAMPLES = {
    "subject": "'motion_caption'",
    "fields": "{ text = 'motion' }",
    "each": "'questions'",
    "rules": "['one_sentence']",
    "except": "['one_sentence']",
}


def _as_text(value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise StepFailed(f"the field {name!r} is not a string, so no rule can be checked")
    return value


def _as_texts(value: Any, name: str) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise StepFailed(f"the field {name!r} is not a list of texts, so that no rule can be checked")
    return tuple(_as_text(one.get("question") if isinstance(one, Mapping) else one, name) for one in value)
