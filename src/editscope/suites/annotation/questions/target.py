"""The thing that a question asks about, and whether its words tell it from others."""

from __future__ import annotations

import re

from editscope.suites.annotation.questions.english import (
    AUXILIARIES,
    DETERMINERS,
    PLACE,
    PREPOSITIONS,
    is_adverb,
    is_describing,
    is_mark,
    word_set,
    words,
)

_STUFF = re.compile(
    r"(?<=\w) (?:made|full|out|filled|covered|coated|painted|wrapped|dressed|soaked|stained) (?:of|with|in|by)\b",
    re.IGNORECASE,
)
"""Words before what a thing is made of, which is no place."""
_UNIQUE = word_set("sky sun moon horizon background foreground scene landscape weather")
"""Things of which a picture has one."""
_WHOLE = word_set("image picture photo photograph scene frame shot view")
"""Places that are the whole picture, and say nothing."""
_THERE = word_set("visible present absent there shown seen be missing gone")
_DOING = word_set(
    "have show cast hold wear look face touch reflect contain carry stand lie lean hang cover reach lack glow "
    "shine point sit "
    "rest float burn emit block overlap match bend sag tilt drip leak bloom give throw let send spew spit puff ooze "
    "release shed produce form grow bear lose keep leave bring take make get see read pull push lift raise fill "
    "support mirror display feature include pour spill spray fly move spin sparkle gleam glisten shimmer steam smoke "
    "blaze flicker catch attract melt crumble rust peel wilt swim sleep smile wave eat drink chew bite lick sniff "
    "kick bark sing hide resemble use need serve produce exhale blow absorb repel trail drag tow sway swing bulge "
    "lift bathe drool sweat shiver tremble squint frown grin yawn blink stare bleed glint radiate scatter"
)
_GIVING_OFF = re.compile(
    r"\b(?:giv|let|throw|send|puff|pour|spit|spew|blow|leak|shoot|breath|belch|soak|tak|put|cast)(?:e|es|s|ing)?"
    r" (?:off|out|up|in|forth)(?= (?:(?!the\b|a\b|an\b|its\b|his\b|her\b|their\b)\w+ ){0,2}\w+ *\?*$)",
    re.IGNORECASE,
)
"""Words such as *gives off*, whose little word is no place."""
_SHORT_ACTS = word_set("tying using dying lying")
_PARTICLES = word_set("on off up down out open over away")


def is_located(question: str) -> bool:
    """Whether a place, an order or an attribute says which thing is meant.

    >>> is_located("Is there a cat on the rug?"), is_located("Is there a cat in the picture?"), is_located("Is it wet?")
    (True, False, False)
    """
    found = [word for word in words(_GIVING_OFF.sub("emit", _STUFF.sub(" ", question))) if not is_mark(word)]
    if any(word in PLACE | _UNIQUE for word in found) or _has_place(found):
        return True
    found = _without_whole(found)
    exists = "there" in found[:2]
    named = [word for word in found[1:] if not is_adverb(word) and word not in _THERE]
    named = named[next((at for at, word in enumerate(named) if word not in DETERMINERS), 0) :]
    if exists:
        return len(named) > 1
    begin = next((at for at, word in enumerate(named) if word in DETERMINERS), len(named))
    doing = bool(found) and found[0] in AUXILIARIES and not found[0].startswith(("is", "are", "was", "were"))
    return len(_subject(named[:begin], doing, said=any(word in _THERE for word in found))) > 1


def _has_place(found: list[str]) -> bool:
    """Whether a preposition has an object other than the whole picture."""
    for at, word in enumerate(found[:-1]):
        rest = [one for one in found[at + 1 :] if one not in DETERMINERS]
        if word in PREPOSITIONS and rest and rest[0] not in _WHOLE:
            return True
    return False


def _without_whole(found: list[str]) -> list[str]:
    """The words before "in the picture"."""
    at = next((at for at, word in enumerate(found) if word in PREPOSITIONS and found[-1] in _WHOLE), len(found))
    return found[:at]


def _subject(found: list[str], doing: bool, said: bool) -> list[str]:
    """The words of the noun phrase at the beginning, without what is said about it."""
    phrase = list(found)
    if phrase and phrase[-1] in _PARTICLES:
        phrase.pop()
        if not (phrase and is_describing(phrase[-1])):
            return phrase
    if doing:
        verb = next((at for at, word in enumerate(phrase) if at and word in _DOING), len(phrase) - 1)
        return phrase[:verb]
    if said:
        return phrase
    acts = len(phrase) > 2 and phrase[-2].endswith("ing") and (is_describing(phrase[-2]) or phrase[-2] in _SHORT_ACTS)
    if acts and not is_describing(phrase[-1]):
        return phrase[:-2]
    popped = False
    while phrase and is_describing(phrase[-1]) and len(phrase) > 1:
        phrase.pop()
        popped = True
    return phrase if popped else phrase[:-1]
