"""Rules of a good yes-or-no question about an edit, which a judge answers from the edit alone.

A question asks for one thing that can be seen, says where, does not compare with the picture before, and has one right
answer. What a program can tell by the words is checked by ``questions``; whether the place is clear, a person says.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from editscope.suites.annotation.form import FormField, Remark
from editscope.suites.annotation.questions import QUESTION_RULES, asks_the_same

ANSWERS = ("Yes", "No")


def question_remarks(field: FormField, questions: list[Any], regions: Collection[str]) -> Iterator[Remark]:
    """What is wrong with the questions of a case: each by itself, then all of them together."""
    for place, entry in enumerate(questions):
        for severity, message in _wrong(entry, regions, bool(field.of)):
            yield Remark(field.name, f"Question {place + 1}: {message}", "wrong" if severity else "advice", place)
        for rule in text_rules(entry["question"]):
            yield Remark(field.name, f"Question {place + 1}: {rule}", "advice", place)
    yield from _twice(field, questions)


def _wrong(entry: Any, regions: Collection[str], needs_region: bool) -> Iterator[tuple[bool, str]]:
    if not entry["question"].strip():
        yield True, "write the question"
    if entry["answer"].strip().rstrip(".").capitalize() not in ANSWERS:
        yield True, "the answer must be Yes or No"
    if needs_region and not entry["region"]:
        yield True, "choose the region that it looks at"
    elif needs_region and entry["region"] not in regions:
        yield True, "its region was deleted; choose another"


def text_rules(question: str) -> Iterator[str]:
    """What the words of a question break, in sentences.

    >>> list(text_rules("Is there a small blue cup on the right edge of the desk?"))
    []
    >>> for rule in text_rules("Is the cup on the left gone and is the floor clean?"):
    ...     print(rule)
    ask one thing: 'and' may join two. Split it, unless the word only says where.
    """
    if question.strip():
        yield from filter(None, (rule(question) for rule in QUESTION_RULES.values()))


def _twice(field: FormField, questions: list[Any]) -> Iterator[Remark]:
    for place, entry in enumerate(questions):
        text = entry["question"].strip().casefold()
        for other, earlier in enumerate(questions[:place] if text else ()):
            if earlier["region"] != entry["region"]:
                continue
            if text == earlier["question"].strip().casefold():
                yield Remark(field.name, f"Question {place + 1} is the same as question {other + 1}", entry=place)
                break
            if asks_the_same(text, earlier["question"]):
                yield Remark(
                    field.name, f"Question {place + 1} asks nearly the same as question {other + 1}", "advice", place
                )
                break
