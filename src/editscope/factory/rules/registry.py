"""All rules for texts, by what they are about."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, get_args

from editscope.errors import unknown
from editscope.factory.rules.caption_rules import CAPTION_RULES
from editscope.factory.rules.instruction_rules import INSTRUCTION_RULES
from editscope.factory.rules.records import Breach, RuledText, Subject, TextRule

_RULES: tuple[TextRule[Any], ...] = (*INSTRUCTION_RULES, *CAPTION_RULES)
RULES_VERSION = 6
"""Goes up with every change of what code decides, so that steps that use the rules are done again."""

RULES = {one.name: one for one in _RULES}
"""Every rule by its name."""


def rule(name: str) -> TextRule[Any]:
    """The rule of a name."""
    if name not in RULES:
        raise unknown("rule", name, RULES)
    return RULES[name]


def rules_for(subject: Subject, decided_by: str = "") -> tuple[TextRule[Any], ...]:
    """The rules about a subject; of them those that code or a model decides, where that is asked for.

    >>> [one.name for one in rules_for("questions", "code")]
    ['no_repeated_question', 'question_count']
    """
    if subject not in get_args(Subject):
        raise unknown("subject of rules", subject, get_args(Subject))
    return tuple(one for one in _RULES if subject in one.subjects and decided_by in ("", one.decided_by))


def breaches(subject: Subject, text: RuledText, without: Iterable[str] = ()) -> list[Breach]:
    """What a text breaks of all that code decides about it; rules that are named in ``without`` are left out.

    >>> from editscope.factory.rules.records import CaseQuestions
    >>> [one.rule for one in breaches("questions", CaseQuestions(("Is the lamp lit?", "Is the lamp lit?")))]
    ['no_repeated_question', 'question_count']
    """
    left_out = {rule(name).name for name in without}
    found = (one.check(text) for one in rules_for(subject, "code") if one.name not in left_out)
    return [breach for breach in found if breach]
