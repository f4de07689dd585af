"""Questions of one case that ask the same in nearly the same words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from editscope.suites.annotation.questions.english import (
    AUXILIARIES,
    DETERMINERS,
    NUMBERS,
    PREPOSITIONS,
    PRONOUNS,
    is_mark,
    word_set,
    words,
)

_RELATIONS = word_set(
    "under over above below beneath behind beside inside outside between near against front left right before onto "
    "into through across along around"
)
_SAYING_NOTHING = word_set(
    "visible present seen shown show shows be clearly actually really image picture photo scene that which located "
    "placed positioned currently get gets"
)
_FORMS = {
    "bent": "bend",
    "lit": "light",
    "broken": "break",
    "broke": "break",
    "torn": "tear",
    "frozen": "freeze",
    "fallen": "fall",
    "hung": "hang",
    "stood": "stand",
    "lying": "lie",
    "lain": "lie",
    "held": "hold",
    "centre": "center",
    "central": "center",
    "centered": "center",
    "wooden": "wood",
    "grey": "gray",
    "beneath": "under",
    "underneath": "under",
    "beside": "near",
    "men": "man",
    "women": "woman",
    "melted": "melt",
    "leaves": "leaf",
    "children": "child",
    "absent": "absent",
    "missing": "absent",
    "gone": "absent",
    "shelves": "shelf",
    "feet": "foot",
    "reflection": "reflect",
    "mirrored": "reflect",
}


def asks_the_same(first: str, second: str) -> bool:
    """Whether two questions have the same words, apart from those that say nothing and from their forms and order.

    >>> asks_the_same("Is there a red cup on the shelf?", "Is a red cup visible on the shelf?")
    True
    >>> asks_the_same("Is there a red cup on the left shelf?", "Is there a red cup on the right shelf?")
    False
    """
    return _content(first) == _content(second)


def repeated_question(questions: Sequence[str]) -> tuple[int, int] | None:
    """The places of the first two questions that ask the same, counted from 0."""
    earlier: dict[object, int] = {}
    for place, question in enumerate(questions):
        content = _content(question)
        if content in earlier:
            return earlier[content], place
        earlier[content] = place
    return None


def _content(question: str) -> tuple[frozenset[str], tuple[str, ...]]:
    """The stems of a question, and what its relations refer to: *left of the plate* is not *left of the cup*."""
    found = [word.removesuffix("'s") for word in words(question) if not is_mark(word)]
    stems: list[str] = []
    anchors: list[str] = []
    open_relation = ""
    for at, word in enumerate(found):
        if word in _RELATIONS:
            open_relation = word if word not in {"left", "right", "front"} or found[at + 1 : at + 2] == ["of"] else ""
            stems.append(_FORMS.get(word, word))
        elif word in NUMBERS or not (
            word in AUXILIARIES or word in DETERMINERS or word in PREPOSITIONS or word in PRONOUNS
        ):
            if word in _SAYING_NOTHING:
                continue
            stems.append(_stem(word))
            if open_relation:
                anchors.append(_stem(word))
                open_relation = ""
    return frozenset(stems) or frozenset({question.strip().casefold()}), tuple(anchors)


def _stem(word: str) -> str:
    """A word without its ending.

    >>> [_stem(word) for word in ("apples", "burning", "stacked", "glass", "bent")]
    ['apple', 'burn', 'stack', 'glass', 'bend']
    """
    if word in _FORMS:
        return _FORMS[word]
    if re.search(r"(?:ch|sh|x|ss)es$", word):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed"):
        if word.endswith(ending) and len(word) - len(ending) > 2:
            word = word.removesuffix(ending)
            return word[:-1] if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "ls" else word
    return _FORMS.get(word, word)
