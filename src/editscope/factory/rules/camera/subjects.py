"""Subjects of clauses about things: one thing, several, or a person, which *it* cannot stand for."""

from __future__ import annotations

import re
from collections.abc import Sequence

from editscope.factory.rules.camera.verbs import WAYS
from editscope.suites.annotation.questions.english import DETERMINERS, PREPOSITIONS, is_adverb, word_set

_SEVERAL = word_set("these those two three four five several many both all some few dozens hundreds they")
_IRREGULAR = word_set("people children men women geese mice feet teeth sheep firemen policemen fishermen oxen cattle")
_PERSON = word_set(
    "man woman boy girl child kid baby toddler person somebody someone he she who cook chef baker waiter waitress "
    "barber "
    "butcher farmer gardener painter potter sculptor weaver tailor blacksmith carpenter mason builder worker plumber "
    "driver rider pilot sailor captain fisherman diver swimmer surfer skater skier climber hiker runner cyclist walker "
    "jogger dancer ballerina singer musician drummer violinist pianist guitarist conductor juggler acrobat clown actor "
    "actress magician teacher student pupil nurse doctor surgeon dentist soldier guard officer policeman fireman "
    "firefighter priest monk nun bride groom king queen prince princess knight thief courier mailman postman vendor "
    "seller shopkeeper merchant customer tourist traveler passenger commuter mother father sister brother grandmother "
    "grandfather grandma grandpa neighbor friend hunter shepherd cowboy jockey goalkeeper player boxer wrestler fencer "
    "archer athlete gymnast skateboarder snowboarder busker beggar hairdresser clockmaker watchmaker shoemaker cobbler "
    "luthier glassblower beekeeper lifeguard scientist librarian clerk judge lawyer mechanic welder miner janitor maid "
    "artist photographer reporter speaker bartender barista butler cashier"
)

_PERSON_ENDING = re.compile(r"(?:.{4}ist|[^uer]man|woman|smith|keeper|maker|seller|player|worker|dancer|tamer)$")


def is_plural(found: Sequence[str]) -> bool:
    """Whether a clause is about several things.

    >>> is_plural("the plates rattle".split()), is_plural("a waiter carries plates".split())
    (True, False)
    """
    if not found or found[0] in ("a", "an", "one", "another", "it", "he", "she", "this", "each", "every"):
        return False
    if found[0] in _SEVERAL or found[0] in _IRREGULAR:
        return True
    first = 1 if found[0] in DETERMINERS else 0
    for at, word in enumerate(found[: first + 3]):
        if at < first:
            continue
        following = found[at + 1] if at + 1 < len(found) else ""
        if word in _IRREGULAR:
            return True
        if re.search(r"[^su]s$", word):
            if at == first:
                return True
            return bool(following) and not (
                following in PREPOSITIONS
                or following in DETERMINERS
                or following in WAYS
                or following.endswith("s")
                or is_adverb(following)
            )
        if word in PREPOSITIONS:
            return False
    return False


def is_person(found: Sequence[str]) -> bool:
    """Whether a clause is about a person.

    >>> is_person("a cook reaches for one".split()), is_person("a mug tips".split())
    (True, False)
    """
    if found and found[0] in ("he", "she", "who"):
        return True
    first = 1 if found and found[0] in DETERMINERS else 0
    return any(word in _PERSON or _PERSON_ENDING.search(word) for word in found[first : first + 3])


def names_object(found: Sequence[str]) -> bool:
    """Whether a clause names, after its subject, one thing that *it* may stand for."""
    return any(
        at > 1 and word in ("a", "an", "the", "his", "her", "its", "their", "this", "that")
        for at, word in enumerate(found[:-1])
    )
