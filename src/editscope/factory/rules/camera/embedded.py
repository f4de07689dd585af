"""Motions that a clause about a thing names on the way: *a horse gallops by in a side-on tracking shot*."""

from __future__ import annotations

import re
from collections.abc import Sequence

from editscope.factory.rules.camera.nouns import noun_motions, phrase_motions
from editscope.factory.rules.camera.verbs import Motion, is_strong
from editscope.factory.rules.camera.words import PARTS, SHAKY
from editscope.suites.annotation.questions.english import PREPOSITIONS, is_mark, word_set

_TAKES = word_set("shot take footage camerawork shots")
_FILMED = word_set("filmed shown seen captured caught recorded viewed framed observed watched shot presented revealed")
_IN = word_set("in with by during through from as via under")
_UNHURRIED = word_set("slow continuous single smooth unbroken steady gentle quick fast sweeping sudden rapid")
_MOST_BEFORE = 6
"""Words of a noun phrase before *shot*."""


def embedded_motions(found: Sequence[str]) -> list[Motion]:
    """The motions of shots that a clause names after a preposition, and of those that it is filmed in.

    >>> [one.word for one in embedded_motions("a horse gallops by in a side on tracking shot".split())]
    ['tracking']
    >>> [one.word for one in embedded_motions("a barge passes filmed in a pan to the left".split())]
    ['pan']
    """
    motions: list[Motion] = []
    if held := re.search(
        rf"\b(?:{'|'.join(sorted(_FILMED))}|held) (?:from|by|with|in) an? (\w+) hand\b", " ".join(found)
    ):
        motions += [Motion(held[1], "shake")] if held[1] in SHAKY else []
    text = " ".join(found)
    if told := re.search(
        r"\b(?:seconds?|moments?|beats?|end|finish|rest|half|part) (?:is|are|brings?|adds?) (?=an? )", text
    ):
        motions += noun_motions(text[told.end() :].split(), joined=True)
    for at, word in enumerate(found):
        following = found[at + 1] if at + 1 < len(found) else ""
        if word in _TAKES and following not in PARTS:
            motions += _of_take(found, at)
        elif word in _IN and at and (found[at - 1] in _FILMED or found[at - 1] == "all"):
            motions += [one for one in noun_motions(found[at + 1 :], joined=True) if following in ("a", "an", "one")]
        elif word == "in" and following in ("a", "an", "one"):
            motions += _of_noun(found[at + 1 :])
    return motions


def _of_take(found: Sequence[str], at: int) -> list[Motion]:
    """What the words before *shot* say, back to its article; nothing where no preposition stands before that."""
    start = at
    while start and at - start < _MOST_BEFORE and not is_mark(found[start - 1]):
        start -= 1
        if found[start] in ("a", "an", "one", "the"):
            break
    if not start or found[start] not in ("a", "an", "one") or found[start - 1] not in _IN:
        return []
    phrase = [word for word in found[start:at] if word not in PREPOSITIONS]
    return phrase_motions(phrase, shot=True)


def _of_noun(found: Sequence[str]) -> list[Motion]:
    """A motion of the camera by its noun alone: *in one slow pan*, not *in a hot pan*."""
    motions = noun_motions(found, joined=True)
    told = any(word in _UNHURRIED for word in found[1:4])
    return [one for one in motions if one.word in ("zoom", "dolly", "pan") and (told or (is_strong(one) and one.way))]


def becomes(found: Sequence[str]) -> list[Motion]:
    """What a motion turns to: *a push-in becomes a pull-back*."""
    text = " ".join(found)
    if both := re.search(r"\bfrom (?P<one>an? .+?) to (?P<other>an? .+)", text):
        ways = [noun_motions(both[name].split(), joined=True) for name in ("one", "other")]
        if all(ways):
            return [*ways[0], *ways[1]]
    match = re.search(
        r"\b(?:becomes|becoming|accompanies|accompanying|joins|joining|overlaps|meets"
        r"|(?:gives way|giving way|changes|switches|leads|leading|transitions|transitioning|adds) to"
        r"|(?:turns|turning|flows|melts|blends|merges|morphs|evolves|resolves|eases|settles|slides|shifts) into"
        r"|(?:ends|ending|finishes|finishing|closes|begins|starts|opens) (?:in|with|on|as))"
        r" (?:the )?(?=an? |slow |\w+ing )",
        text,
    )
    return noun_motions(text[match.end() :].split(), joined=True) if match else []
