"""Words that join two questions into one, told from those that only say which thing is meant, or where it is."""

from __future__ import annotations

from collections.abc import Sequence

from editscope.suites.annotation.questions.english import (
    ATTRIBUTES,
    AUXILIARIES,
    CONNECTORS,
    DETERMINERS,
    PLACE,
    PREPOSITIONS,
    PRONOUNS,
    is_adverb,
    is_describing,
    is_mark,
    is_participle,
    noun_phrase,
    word_set,
    words,
)

_WORDS = frozenset({"and", "or", "both", "either", "while", "whereas", "except"})
_EVERY = word_set("all every each any everything everyone nothing nobody")
_PAIRS = frozenset({("up", "down"), ("back", "forth"), ("in", "out"), ("on", "off")})
_PLURAL = word_set("do are were have")
_PLURAL_NOUNS = word_set("people children men women feet teeth geese mice fish sheep leaves")
_CARRYING = word_set("wearing holding carrying containing")
_WHO = word_set("who that which")
_ASKING = word_set("do does can")
_NAMED = 2
"""Words of a thing such as "the pine"; one more after *do* is the verb."""
_RELATIVE = word_set("front left right top side end edge corner middle center centre bottom back")


def joining_word(question: str) -> str | None:
    """The first connector that joins two things that are asked; None where each one only says which or where.

    >>> joining_word("Is the cup red and shiny?"), joining_word("Is the mug between the lamp and the window red?")
    ('and', None)
    """
    found = words(question)
    for place, word in enumerate(found):
        if word in _WORDS and _joins(word, found[:place], found[place + 1 :]):
            return word
    return None


def _joins(word: str, before: list[str], after: list[str]) -> bool:
    while before and before[-1] == ",":
        before = before[:-1]
    if not before or not after or is_mark(after[0]):
        return True
    if word in ("while", "whereas"):
        return word == "whereas" or not _inside_who(before, after)
    if word == "both":
        return before[-1] not in PREPOSITIONS
    if word == "either":
        return before[-1] not in PREPOSITIONS or "or" in after
    if word == "except":
        return not _narrows(before, after)
    if word == "or":
        return not _modifies(before, after)
    return not (
        (before[-1], after[0]) in _PAIRS
        or _second_of_between(before)
        or _modifies(before, after)
        or _inside_place(before, after)
    )


def _inside_who(before: list[str], after: list[str]) -> bool:
    """Whether *while* belongs to words that tell a person or a thing: "the man who reads while leaning on the wall"."""
    starts = [at for at, word in enumerate(before) if word in _WHO]
    if not starts:
        return False
    since = before[starts[-1] + 1 :]
    if not since or any(is_mark(word) for word in since) or len([word for word in after if not is_mark(word)]) < 2:
        return False
    said = [word for word in since[1:] if word in AUXILIARIES or is_describing(word)]
    return not said or (since[0] in AUXILIARIES and len(since) == 2)


def _second_of_between(before: list[str]) -> bool:
    """Whether *and* belongs to "between X and Y"."""
    if "between" not in before:
        return False
    since = before[len(before) - before[::-1].index("between") :]
    return not any(word in ("and", "or") or word in AUXILIARIES or is_mark(word) for word in since)


def _modifies(before: list[str], after: list[str]) -> bool:
    """Whether two words describe one noun that follows: "the black and white dog"."""
    if len(before) < 2 or len(after) < 2:
        return False
    start, noun = before[-2], after[1]
    if before[0] in _PLURAL and len(before) == 3 and not noun.endswith("s") and noun not in _PLURAL_NOUNS:
        return False
    if is_mark(noun) or noun in PREPOSITIONS | AUXILIARIES | DETERMINERS | CONNECTORS | PRONOUNS or is_adverb(noun):
        return False
    if after[0] in DETERMINERS | PREPOSITIONS | AUXILIARIES | PRONOUNS or is_adverb(after[0]):
        return False
    opens = start in DETERMINERS | PREPOSITIONS | AUXILIARIES | ATTRIBUTES | PLACE or start in {"there", ","}
    if not opens or after[0].endswith("ing"):
        return False
    describing = {before[-1], after[0]} & (ATTRIBUTES | PLACE)
    if describing:
        return noun not in ATTRIBUTES or (len(after) > 2 and not is_mark(after[2]) and after[2] not in PREPOSITIONS)
    return not is_describing(noun) and len(after) > 2 and not is_mark(after[2])


def _inside_place(before: list[str], after: list[str]) -> bool:
    """Whether *and* joins two things that a place is given by: "behind the books and the clock"."""
    openers = [at for at, word in enumerate(before) if word in PREPOSITIONS or word in _CARRYING or word == "where"]
    if not openers:
        return False
    at = openers[-1]
    opener, first = before[at], before[at + 1 :]
    count = noun_phrase(after)
    second, rest = after[:count], [word for word in after[count:] if not is_mark(word)]
    if not first or not second or noun_phrase(first) < len(first) or is_describing(first[-1]):
        return False
    finite = AUXILIARIES - {"have"} if before[0] in ("does", "do", "can") else AUXILIARIES
    if all(is_describing(word) or is_adverb(word) for word in second) or any(word in finite for word in rest):
        return False
    if first[-1] in PLACE and second[-1] not in PLACE:
        return False
    exists = "there" in before[:2]
    if exists and second[0] in {"a", "an"} and first[0] not in {"a", "an"}:
        return False
    if opener in _CARRYING:
        return exists or bool(rest and is_describing(rest[0]))
    if rest and rest[0] in PREPOSITIONS and rest[0] not in {"of", "with"}:
        return opener == "with" or _names_the_subject(before, at)
    return True


def _names_the_subject(before: Sequence[str], at: int) -> bool:
    """Whether *of* belongs to what is asked about, as in "the shadow of the man", and not to "in front of"."""
    earlier = any(word in PREPOSITIONS for word in before[:at])
    return before[at] == "of" and not earlier and before[at - 1] not in _RELATIVE


def _narrows(before: list[str], after: list[str]) -> bool:
    """Whether *except* takes something out of what is asked about: "all the chairs except the red one"."""
    starts = [at for at, word in enumerate(before) if word in _EVERY]
    if not starts:
        return False
    between = before[starts[-1] + 1 :]
    if any(is_participle(word) for word in between) or (between and is_describing(between[-1])):
        return False
    after = after[1:] if after[0] == "for" else after
    one = next((at + 1 for at, word in enumerate(after[:4]) if at and word in ("one", "ones")), noun_phrase(after))
    rest = [word for word in after[one:] if not is_mark(word)]
    if not rest and before[0] in _ASKING and len(between) == 1 and one > _NAMED:
        return True
    placed = any(word in PREPOSITIONS for word in between)
    return bool(rest) and not (placed and rest[0] in PREPOSITIONS)
