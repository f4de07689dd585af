"""Questions of one case that ask the same in nearly the same words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from editscope.suites.annotation.questions.english import (
    AUXILIARIES,
    DETERMINERS,
    NUMBERS,
    PRONOUNS,
    is_mark,
    word_set,
    words,
)

_SMALL = (AUXILIARIES | PRONOUNS | word_set("on in at by of to from with for about")) | (
    DETERMINERS - NUMBERS - word_set("no more fewer several many few most")
)
"""Words that two questions may differ in."""
_SAYING_NOTHING = word_set(
    "visible present seen shown show shows be clearly actually really image picture photo scene that which located "
    "placed positioned currently get gets"
)
_FORMS = {
    form: base
    for base, forms in {
        "absent": "missing gone",
        "bend": "bent",
        "bind": "bound",
        "bite": "bitten",
        "blow": "blown",
        "break": "broken broke",
        "build": "built",
        "burn": "burnt",
        "catch": "caught",
        "center": "centre central centered",
        "child": "children",
        "draw": "drawn",
        "drive": "driven",
        "eat": "eaten",
        "fall": "fallen",
        "feed": "fed",
        "foot": "feet",
        "freeze": "frozen froze",
        "goose": "geese",
        "gray": "grey",
        "hang": "hung",
        "hide": "hidden",
        "hold": "held",
        "keep": "kept",
        "lay": "laid",
        "leaf": "leaves",
        "lie": "lying lain",
        "light": "lit",
        "man": "men",
        "mouse": "mice",
        "reflect": "reflection",
        "ride": "ridden",
        "shake": "shaken",
        "shelf": "shelves",
        "shrink": "shrunk",
        "sink": "sunk sunken",
        "sit": "sat",
        "stand": "stood",
        "steal": "stolen",
        "stick": "stuck",
        "swell": "swollen",
        "take": "taken",
        "tear": "torn",
        "throw": "thrown",
        "tie": "tying tied",
        "wear": "worn wore",
        "weave": "woven",
        "wind": "wound",
        "woman": "women",
        "wood": "wooden",
        "write": "written",
    }.items()
    for form in forms.split()
}


def asks_the_same(first: str, second: str) -> bool:
    """Whether two questions have the same words, apart from small ones and from their forms and order.

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


def _content(question: str) -> frozenset[str]:
    """The stems of a question's words, without small words and those that say nothing."""
    found = (word.removesuffix("'s").removesuffix("s'") for word in words(question) if not is_mark(word))
    stems = frozenset(_stem(word) for word in found if word not in _SMALL and word not in _SAYING_NOTHING)
    return stems or frozenset({question.strip().casefold()})


def _stem(word: str) -> str:
    """A word without its ending.

    >>> [_stem(word) for word in ("apples", "burning", "stacked", "glass", "bent", "riding", "ride")]
    ['appl', 'burn', 'stack', 'glass', 'bend', 'rid', 'rid']
    """
    base = _FORMS.get(word, word)
    if re.search(r"(?:ch|sh|x|ss)es$", base):
        return base[:-2]
    if base.endswith(("ies", "ied")) and len(base) > 4:
        return f"{base[:-3]}y"
    if base.endswith("s") and not base.endswith(("ss", "us", "is")):
        base = base[:-1]
    base = _FORMS.get(base, base)
    for ending in ("ing", "ed"):
        if base.endswith(ending) and len(base) - len(ending) > 2:
            base = base.removesuffix(ending)
            return base[:-1] if len(base) > 3 and base[-1] == base[-2] and base[-1] not in "ls" else base
    return base.removesuffix("e") if len(base) > 3 else base
