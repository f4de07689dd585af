"""Rules that a yes-or-no question keeps or breaks by its own words."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TypeAlias

from editscope.suites.annotation.questions.connectors import joining_word
from editscope.suites.annotation.questions.english import (
    ATTRIBUTES,
    AUXILIARIES,
    PREPOSITIONS,
    any_of,
    is_mark,
    matching,
    noun_phrase,
    word_set,
    words,
)
from editscope.suites.annotation.questions.target import is_located

QuestionCheck: TypeAlias = Callable[[str], str | None]
"""What a question breaks, as a sentence that says what to do; None where it keeps the rule."""

LONGEST = 30
"""Words of a question that is still brief."""

_NEGATIVE = word_set("not never no none nothing nobody nowhere neither nor cannot hardly lack lacks lacking")
_OPEN = re.compile(
    r"\b(?:some|somewhat|something|somewhere|somehow|perhaps|maybe|possibly|probably|presumably|supposedly|apparently"
    r"|seemingly|likely|approximately|roughly|slightly|fairly|several|numerous|many|a few|a lot|lots of|a couple of"
    r"|a number of|a bit|or so|more or less|quite|seems?|seem(?:ed|ing)|rather(?! than))\b"
    r"|(?<!same )(?<!this )(?<!the )(?<!any )(?<!another )(?<!a )(?<!what )\b(?:kind|sort) of\b",
    re.IGNORECASE,
)
_SEEMING = re.compile(r"\b(?:looks?|looked|looking|appears?|appeared|appearing)\b(?P<rest>[^?.!,;]*)", re.IGNORECASE)
_LOOKING = PREPOSITIONS - {"about"} | word_set(
    "up down left right out away back ahead directly straight forward upward downward upwards downwards twice once "
    "exactly only clearly both"
)
_EARLIER = re.compile(
    r"\b(?:original|originally|previous|previously|earlier|formerly|no longer|any ?more|unchanged|unaltered|unedited"
    r"|used to|compared (?:to|with)|in comparison|newly|now|been|as (?:instructed|requested|asked)"
    r"|(?:source|input|initial|starting|reference|first|unedited) (?:image|picture|photo|photograph|scene|version)"
    r"|the (?:input|source)(?= *[,?])|the same as in|than (?:it|they|he|she) (?:was|were|did|had)"
    r"|after (?:the )?(?:edit\w*|change|modification|removal|addition|replacement|move)|edit(?:s|ed|ing)?"
    r"|modif(?:y|ied|ication)|altered|inserted|added|replaced|chang(?:e|es|ed)|preserved|retained|restored"
    r"|remain(?:ed|ing)?|remains(?! of)|at first|untouched|unaffected|stay(?:s|ed)?|keeps? (?:its|his|her|their)"
    r"|moved"
    r"|relocated|transformed|converted|turned into|swapped|erased|deleted|the (?:model|editor)|disappear(?:s"
    r"|ed)?|vanished"
    r"|increased|decreased|reduced|enlarged|(?:look|looks|exactly) the same(?! \w+ as)"
    r"|the same (?:place|position|spot|pose|location|way|state|condition)(?! as (?:the|a|an|its|that)\b))\b"
    r"|\bnew(?= *\?$)|^(?:did|was|were)\b",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    r"\bbefore\b(?! (?:the|a|an|its|his|her|their|this|that|these|those)\b)"
    r"|\bbefore (?:the|any|this|its) (?:edit\w*|change|removal|modification|move|addition|replacement)\b",
    re.IGNORECASE,
)
_STILL = re.compile(
    r"(?<!\ba )(?<!\bthe )(?<!perfectly )(?<!completely )(?<!absolutely )(?<!stand )(?<!standing )(?<!holding )"
    r"(?<!sit )(?<!sitting )(?<!lying )(?<!lie )\bstill\b(?! *[?]| life| and\b| water\b)",
    re.IGNORECASE,
)
_COMPARATIVE = re.compile(
    r"\b(?:(?:more|less) \w+|(?:dark|bright|light|long|short|tall|larg|small|bigg|wid|narrow|warm|cool|cold|hott"
    r"|thick"
    r"|thinn|soft|sharp|high|low|deep|clean|wett|dri|smooth|rough|heavi|redd|blu|green|full|clear|clos|round|flatt"
    r"|shini|dirti|pal|dimm|strong|weak)er) *\?$",
    re.IGNORECASE,
)


def yes_no_form(question: str) -> str | None:
    """A verb such as Is or Does at the beginning, a question mark at the end."""
    text = question.strip()
    if not text.endswith(("?", "？", "؟")):
        return "end it with a question mark."
    first = next(iter(words(text)), "")
    if text.isascii() and first not in AUXILIARIES:
        return "begin with a verb, such as Is or Does, so that Yes or No answers it."
    return None


def one_predicate(question: str) -> str | None:
    """One thing asked; *and*, *or* and their like only where they say which thing is meant, or where."""
    word = joining_word(question)
    return f"ask one thing: {word!r} may join two. Split it, unless the word only says where." if word else None


def positive_framing(question: str) -> str | None:
    """What should be there, not what should not."""
    found = words(question)
    if "with no" in " ".join(found):
        found = words(re.sub(r"\bwith no\b", "without", question, flags=re.IGNORECASE))
    word = any_of(found, _NEGATIVE) or next((word for word in found if word.endswith("n't")), None)
    if word is None and matching(re.compile(r"\bfail(?:s|ed)? to\b", re.IGNORECASE), question):
        word = "fail to"
    if word is None and "without" in found:
        after = found[found.index("without") + 1 :]
        word = None if [one for one in after[noun_phrase(after) :] if not is_mark(one)] else "without"
    return f"{word!r} makes it negative. Ask for what should be there, and answer No." if word else None


def concrete_words(question: str) -> str | None:
    """No word that leaves open whether, how much or how many."""
    word = matching(_OPEN, question) or _seeming(question) or _a_little(question)
    return f"{word!r} is vague. Ask for what can be seen or not." if word else None


def _seeming(question: str) -> str | None:
    match = _SEEMING.search(question)
    rest = words(match["rest"]) if match else []
    if match is None or not rest or (rest[0] in _LOOKING and rest[:1] != ["to"]):
        return None
    if rest[0] == "to" and match[0].lower().startswith("look"):
        return None
    return " ".join([match[0].split()[0], rest[0]])


def _a_little(question: str) -> str | None:
    match = re.search(r"\b(a little|pretty) (\w+)( \w+)?", question, re.IGNORECASE)
    if match is None or match[2].lower() not in ATTRIBUTES:
        return None
    after = (match[3] or "").strip().lower()
    return match[1] if not after or after in PREPOSITIONS else None


def edited_picture_alone(question: str) -> str | None:
    """Answerable from the edit alone: no word about the picture before, or about editing."""
    for pattern in (_EARLIER, _BEFORE, _STILL, _COMPARATIVE):
        if word := matching(pattern, question.strip()):
            word = word.rstrip(" ?")
            return f"{word!r} compares with the picture before, which the judge does not see. Ask what the edit shows."
    return None


def located_target(question: str) -> str | None:
    """A place, an order or an attribute that tells the thing asked about from others."""
    return None if is_located(question) else "say which one is meant, or where it is: 'the lamp next to the sofa'."


def brief_question(question: str) -> str | None:
    """At most 30 words."""
    count = len(question.split())
    return f"it has {count} words. Use {LONGEST} at most." if count > LONGEST else None


QUESTION_RULES: Mapping[str, QuestionCheck] = MappingProxyType(
    {
        rule.__name__: rule
        for rule in (
            yes_no_form,
            one_predicate,
            edited_picture_alone,
            concrete_words,
            positive_framing,
            located_target,
            brief_question,
        )
    }
)
"""The rules by name, in the order in which they are shown to people."""
