"""Who or what does something: the noun that a form in -ing is about, as far as the order of words tells."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from editscope.factory.rules.lexicon import entries
from editscope.factory.rules.verb_forms import ing_forms
from editscope.suites.annotation.questions.english import PREPOSITIONS, is_adverb, is_mark, word_set

BE = word_set("is are be was were being been am it's that's there's they're he's she's isn't aren't")
_CLAUSES = word_set(
    "and but or so while as when where because with whereas until whose though although if once without"
)
_RELATIVE = word_set("that which who")
_FILLERS = word_set(
    "now still just already currently also seen shown visible keeps keep kept continues continue goes go on "
    "starts start started begins begin began begun starting beginning to left"
)
_LY_NOUNS = word_set(
    "butterfly dragonfly damselfly firefly housefly mayfly gadfly holly jelly lily belly ally bully gully anomaly "
    "assembly trolley rally doily melancholy fly tally folly dolly lolly"
)
_NATURAL = ("elements", "flyers")
_KEEPS = word_set("keeps keep kept continues continue goes")
_PLACING = word_set("put place set move lay hang position park lean rest drop stand tie")
"""Commands whose object goes to a place; words after the place are about the place."""


@cache
def singulars(name: str) -> frozenset[str]:
    """The nouns of a list of the lexicon."""
    return frozenset(entries(name))


@cache
def ing_list(name: str) -> frozenset[str]:
    """The forms in -ing of the verbs of a list of the lexicon."""
    return frozenset(form for verb in entries(name) for form in ing_forms(verb))


def is_one_of(noun: str, name: str) -> bool:
    """Whether a list has the noun, in the singular or the plural.

    >>> is_one_of("flames", "elements"), is_one_of("butterflies", "flyers"), is_one_of("vase", "elements")
    (True, True, False)
    """
    noun = noun.removesuffix("'s").removesuffix("'")
    known = singulars(name)
    if noun in known:
        return True
    return (
        (noun.endswith("s") and noun[:-1] in known)
        or (noun.endswith("es") and noun[:-2] in known)
        or (noun.endswith("ies") and f"{noun[:-3]}y" in known)
        or noun.rpartition("-")[2] in known
    )


def subjects(before: Sequence[str], form: str = "") -> list[str]:
    """The nouns that may do what the word after these words says: one, or more where one clause leans on another.

    >>> subjects("the tree by the river is".split()), subjects("a column of smoke is".split())
    (['tree'], ['smoke'])
    """
    rest = _without_fillers(list(before))
    related = bool(rest) and rest[-1] in _RELATIVE
    said_with_is = not related and any(word in BE or word in _KEEPS for word in before[len(rest) :])
    if related:
        rest = _without_marks(rest[:-1])
    if (
        rest
        and not said_with_is
        and is_one_of(rest[-1], "elements")
        and "of" not in rest[-4:]
        and form in ing_list("element_verbs")
    ):
        return rest[-1:]
    clause = _last_clause(rest)
    if clause:
        return _heads(clause)
    while rest and (is_mark(rest[-1]) or rest[-1] in _CLAUSES):
        rest = rest[:-1]
    earlier = _last_clause(rest)
    own = _heads(earlier)
    while rest and earlier and not _names(own) and len(rest) > len(earlier):
        rest = _without_marks(rest[: len(rest) - len(earlier)])
        rest = rest[:-1] if rest and rest[-1] in _CLAUSES else rest
        earlier = _last_clause(rest)
        own = _heads(earlier) + _opening(earlier)
    return own + _opening(earlier)


def _names(heads: Sequence[str]) -> bool:
    return any(not one.endswith("ing") for one in heads)


def _opening(clause: Sequence[str]) -> list[str]:
    """The nouns before the first preposition of a clause, whose verb may stand among them."""
    stop = next((at for at, word in enumerate(clause) if word in PREPOSITIONS and word != "of"), len(clause))
    commands = singulars("command_verbs")
    return [word for at, word in enumerate(clause[:stop]) if len(word) > 2 and (at or word not in commands)]


def says_how(word: str) -> bool:
    """Whether it is an adverb, and no noun such as *butterfly* or *holly*."""
    return is_adverb(word) and word not in _LY_NOUNS


def _without_fillers(rest: list[str]) -> list[str]:
    while rest and (rest[-1] in BE or rest[-1] in _FILLERS or says_how(rest[-1])):
        rest = rest[:-1]
    return rest


def _without_marks(rest: list[str]) -> list[str]:
    while rest and is_mark(rest[-1]):
        rest = rest[:-1]
    return rest


def _last_clause(rest: Sequence[str]) -> list[str]:
    for at in range(len(rest) - 1, -1, -1):
        if is_mark(rest[at]) or rest[at] in _CLAUSES:
            return list(rest[at + 1 :])
    return list(rest)


def _heads(clause: Sequence[str]) -> list[str]:
    """The head of the noun phrase, without the place that it is in."""
    if not clause:
        return []
    places = [at for at, word in enumerate(clause) if word in PREPOSITIONS and word != "of"]
    if not places or places[0] == 0 or clause[0] in _PLACING:
        last = [word for word in clause if word != "of"]
        whole = list(clause[places[-1] + 1 :]) if places else list(clause)
        return _of_what(whole) if "of" in whole else last[-1:]
    first = [word for word in clause[: places[0]] if not says_how(word)]
    return _of_what(first) if first else list(clause[-1:])


def _of_what(phrase: Sequence[str]) -> list[str]:
    """The head of *a column of smoke*, which is the smoke, and of *a glass of water*, which is the glass."""
    if "of" in phrase:
        at = list(phrase).index("of")
        head = phrase[at - 1] if at else ""
        inner = _of_what(phrase[at + 1 :])
        counted = is_one_of(head, "quantities") and any(is_one_of(one, kind) for one in inner for kind in _NATURAL)
        if counted or not head:
            return inner
        part = is_one_of(head, "roads") and not any(is_one_of(one, "roads") for one in inner)
        return [f"{head} of"] if part else [head]
    return list(phrase[-1:])
