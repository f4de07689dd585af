"""The thing that a question asks about, and whether its words tell it from others."""

from __future__ import annotations

import re

from editscope.suites.annotation.questions.english import (
    AUXILIARIES,
    DETERMINERS,
    NUMBERS,
    PLACE,
    PREPOSITIONS,
    is_adverb,
    is_describing,
    is_mark,
    word_set,
    words,
)

_STUFF = re.compile(
    r"(?<=\w) (?:made|full|out|filled|covered|coated|painted|wrapped|dressed|soaked|stained) (?:of|with|in|by)\b"
    rf"(?: (?!(?:{'|'.join(sorted(PREPOSITIONS - {'of'}))})\b)[\w-]+)*",
    re.IGNORECASE,
)
"""Words before what a thing is made of, which is not a place."""
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
    "kick bark sing hide resemble use need serve produce exhale blow absorb repel trail drag tow consist belch own "
    "possess reveal exhibit sport enclose surround wrap clutch grip sway swing bulge "
    "lift bathe drool sweat shiver tremble squint frown grin yawn blink stare bleed glint radiate scatter"
)
_GIVING_OFF = re.compile(
    r"\b(?:giv|let|throw|send|puff|pour|spit|spew|blow|leak|shoot|breath|belch|soak|tak|put|cast)(?:e|es|s|ing)?"
    r" (?:off|out|up|in|forth)(?= (?:(?!the\b|a\b|an\b|its\b|his\b|her\b|their\b)\w+ ){0,2}\w+ *\?*$)",
    re.IGNORECASE,
)
"""Words such as *gives off*, whose little word is not a place."""
_SHORT_ACTS = word_set("tying using dying lying")
_PARTICLES = word_set("on off up down out open over away")


def is_located(question: str) -> bool:
    """Whether a place, an order or an attribute says which thing is meant.

    >>> is_located("Is there a cat on the rug?"), is_located("Is there a cat in the picture?"), is_located("Is it wet?")
    (True, False, False)
    """
    found = [word for word in words(_GIVING_OFF.sub("emit", _STUFF.sub(" covered", question))) if not is_mark(word)]
    found = _without_own(found)
    if any(word in PLACE | _UNIQUE for word in found) or _has_place(found):
        return True
    found = _without_states(found)
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
    """Whether a preposition has an object other than the whole picture, and one that is not a state or material.

    A place has an article, *the window*, unless it belongs to the name, as in *the man in uniform* or *the cup of tea*,
    after which the question goes on. *Into pieces*, *on fire* and *of rusty iron* have none.
    """
    for at, word in enumerate(found[:-1]):
        rest = [one for one in found[at + 1 :] if one not in DETERMINERS]
        if word not in PREPOSITIONS or not rest or rest[0] in _WHOLE:
            continue
        if found[at + 1] in _ARTICLES and not (word in _SHAPING and found[at + 1] in ("a", "an")):
            return True
        if word in _ALWAYS or found[at + 1] in _BARE or "there" in found[:2]:
            return True
        named = [one for one in found[1:at] if one not in DETERMINERS]
        if len(named) == 1 and len(found) > at + 2 and (found[0] not in _BEING or _is_said(word, found[-1])):
            return True
    return False


_BEING = word_set("is are was were isn't aren't")
_MATERIALS = word_set(
    "iron gold marble silver wood stone glass steel brass copper bronze clay paper plastic leather ice wax concrete "
    "brick granite oak pine straw silk wool cotton rubber ivory jade sand snow chocolate bamboo tin metal porcelain"
)


def _is_said(preposition: str, last: str) -> bool:
    """Whether the last word says something of the thing, so that the words before it belong to its name."""
    return is_describing(last) or (preposition == "of" and last not in _MATERIALS)


_ARTICLES = word_set("the a an this that these those my your our another each every both all") | NUMBERS - {"two"}
_SHAPING = word_set("into of for like as")
"""Prepositions before what a thing has become or consists of: *into a heap*, *of a metal*."""
_ALWAYS = word_set(
    "behind beside near between above below beneath underneath inside outside against among along across around "
    "onto upon atop opposite alongside beyond toward towards"
)
"""Prepositions of a place whatever follows."""
_BARE = word_set("deck stage shore land board sea bed court campus town port school church top")
"""Places that have no article: *on deck*."""
_OWN = word_set("its his her their")


def _without_own(found: list[str]) -> list[str]:
    """The words without a place on the thing itself, such as "on its side"."""
    for at, word in enumerate(found[:-2]):
        if word in PREPOSITIONS and found[at + 1] in _OWN:
            return found[:at] + found[at + 3 :]
    return found


def _without_states(found: list[str]) -> list[str]:
    """The words before a preposition that gives no place, such as "on fire"."""
    at = next((at for at, word in enumerate(found) if at > 1 and word in PREPOSITIONS - _PARTICLES), len(found))
    on = next((at for at, word in enumerate(found[:-1]) if at > 1 and word in ("on", "in")), len(found))
    return found[: min(at, on)]


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
