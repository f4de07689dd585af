"""Rules of questions that need more than their words: the answer, the operation, the other questions of the case."""

from __future__ import annotations

import re
from collections.abc import Callable

from editscope.factory.rules.records import CaseQuestions, QuestionText
from editscope.suites.annotation.question_rules import ANSWERS
from editscope.suites.annotation.questions import QUESTION_RULES, repeated_question
from editscope.suites.annotation.questions.english import NUMBERS, PLACE, PREPOSITIONS, any_of, is_mark, word_set, words
from editscope.suites.annotation.questions.target import is_located

FEWEST, MOST = 4, 5
"""Questions of a case."""

_ABSENT = word_set("absent gone missing removed without empty vacant lacking")
_PRESENT = word_set(
    "there visible present have has hold holds contain contains show shows wear wears wearing seen carry carries "
    "holding "
    "lie lies stand stands hang hangs sit sits standing lying sitting hanging"
)
_MANY = word_set("many several some few more most")


def by_words(name: str) -> Callable[[QuestionText], str | None]:
    """The rule of that name, which the studio checks while a person types."""
    check = QUESTION_RULES[name]
    return lambda question: check(question.text)


def plain_answer(question: QuestionText) -> str | None:
    """Yes or No, exactly."""
    if question.answer in ANSWERS:
        return None
    return f"the answer is {question.answer!r}; it must be exactly Yes or No."


def form_follows_operation(question: QuestionText) -> str | None:
    """Presence, absence, place, attribute or number, as the operation asks for."""
    if "physic" in question.category.lower():
        return None
    operation = _OPERATIONS.get(question.operation.strip().lower())
    if operation is None:
        return None
    what, keeps = operation
    found = [word for word in words(question.text) if not is_mark(word)]
    return None if keeps(question.text, found) else f"the edit is {question.operation!r}: {what}."


def _asks_absence(_: str, found: list[str]) -> bool:
    return bool(any_of(found, _ABSENT | {"visible", "present", "seen"})) or found[1:2] == ["there"]


def _asks_presence(_: str, found: list[str]) -> bool:
    if any_of(found, _ABSENT):
        return False
    return bool(any_of(found, _PRESENT)) or _has_place(found)


def _asks_place(_: str, found: list[str]) -> bool:
    return not any_of(found, _ABSENT) and _has_place(found)


def _asks_attribute(text: str, found: list[str]) -> bool:
    return not any_of(found, _ABSENT) and (found[1:2] != ["there"] or is_located(text))


def _asks_number(text: str, found: list[str]) -> bool:
    return bool(any_of(found, NUMBERS) or re.search(r"\d|\bsingle\b|\bpair of\b", text)) and not any_of(found, _MANY)


def _has_place(found: list[str]) -> bool:
    return any(word in PREPOSITIONS - {"of", "with", "for", "about"} for word in found[:-1]) or bool(
        any_of(found[-2:], PLACE - {"first", "second", "third", "last"})
    )


_REMOVE = ("ask whether the thing is absent, or whether there is one", _asks_absence)
_ADD = ("ask whether the thing is there", _asks_presence)
_MOVE = ("ask where the thing is, with something that it is next to or a side of the picture", _asks_place)
_ATTRIBUTE = ("ask for the new attribute of the thing", _asks_attribute)
_COUNT = ("ask for the number, such as 'Are there exactly three …?'", _asks_number)
_OPERATIONS = {
    **dict.fromkeys(("remove", "removal", "delete", "subtract"), _REMOVE),
    **dict.fromkeys(("add", "addition", "insert"), _ADD),
    **dict.fromkeys(("move", "position", "movement"), _MOVE),
    **dict.fromkeys(("attribute", "color", "texture", "material", "text"), _ATTRIBUTE),
    **dict.fromkeys(("count", "number", "quantity"), _COUNT),
}


def no_repeated_question(questions: CaseQuestions) -> str | None:
    """No two questions with the same content."""
    places = repeated_question(questions.texts)
    if places is None:
        return None
    first, second = (questions.texts[place] for place in places)
    return f"questions {places[0] + 1} and {places[1] + 1} ask the same: {first!r} and {second!r}."


def question_count(questions: CaseQuestions) -> str | None:
    """Four or five questions."""
    count = len(questions.texts)
    return None if FEWEST <= count <= MOST else f"there are {count} questions; a case has {FEWEST} or {MOST}."
