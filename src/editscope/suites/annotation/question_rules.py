"""Rules of a good yes-or-no question about an edit, which a judge answers from the edit alone.

A question asks for one thing that can be seen, says where, does not compare with the picture before, and has one right
answer. What a program can tell by the words is checked here; whether the place is clear only a person can say.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Any

from editscope.suites.annotation.form import FormField, Remark

ANSWERS = ("Yes", "No")
LONGEST = 30
"""Words of a question that is still brief."""
ALIKE = 0.8
"""Shared words, as a part of all words of two questions, from which on they ask the same."""

_STARTS = (
    *("is", "are", "was", "were", "does", "do", "did", "has", "have", "can", "could", "will", "would", "should"),
    *("isn't", "aren't", "doesn't", "don't"),
)
_JOINED = re.compile(r"\b(and|or|both|either|while|except)\b", re.IGNORECASE)
_VAGUE = re.compile(r"\b(some|somewhat|appears? to|seems? to|looks? like|kind of|a bit)\b", re.IGNORECASE)
_NEGATIVE = re.compile(r"\b(?:not|never|without)\b|n['’]t\b", re.IGNORECASE)
_COMPARING = re.compile(
    r"\b(original|originally|before|previously|no longer|unchanged|compared (?:to|with)"
    r"|same as (?:in )?the (?:input|source)|source image|input image"
    r"|after (?:the )?edit(?:ing)?|been (?:removed|added|moved|changed|replaced)|edited)\b",
    re.IGNORECASE,
)


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
    >>> for rule in text_rules("Is the cup gone and does the floor seem clean?"):
    ...     print(rule)
    ask one thing: 'and' may join two. Split it, unless the word only says where.
    """
    text = question.strip()
    if not text:
        return
    if not text.endswith(("?", "？", "؟")):
        yield "end it with a question mark."
    words = text.split()
    if text.isascii() and words[0].lower() not in _STARTS:
        yield "begin with a verb, such as Is or Does, so that Yes or No answers it."
    if match := _JOINED.search(text):
        yield f"ask one thing: {match[0]!r} may join two. Split it, unless the word only says where."
    if match := _COMPARING.search(text):
        yield f"{match[0]!r} compares with the picture before, which the judge does not see. Ask what the edit shows."
    if match := _VAGUE.search(text):
        yield f"{match[0]!r} is vague. Ask for what can be seen or not."
    if match := _NEGATIVE.search(text):
        yield f"{match[0]!r} makes it negative. Ask for what should be there, and answer No."
    if len(words) > LONGEST:
        yield f"it has {len(words)} words. Keep it under {LONGEST}."


def _twice(field: FormField, questions: list[Any]) -> Iterator[Remark]:
    earlier: list[tuple[int, str, set[str]]] = []
    for place, entry in enumerate(questions):
        text = entry["question"].strip().casefold()
        words = set(re.findall(r"\w+", text))
        if not words:
            continue
        for other, other_text, other_words in earlier:
            same_place = questions[other]["region"] == entry["region"]
            if text == other_text and same_place:
                yield Remark(field.name, f"Question {place + 1} is the same as question {other + 1}", entry=place)
                break
            if same_place and len(words & other_words) >= ALIKE * len(words | other_words):
                yield Remark(
                    field.name, f"Question {place + 1} asks nearly the same as question {other + 1}", "advice", place
                )
                break
        earlier.append((place, text, words))
