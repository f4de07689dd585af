"""Clauses of a motion caption, cut at marks and conjunctions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from editscope.factory.rules.camera.nouns import camera_at, noun_motions
from editscope.factory.rules.camera.verbs import motion, verb_forms
from editscope.factory.rules.camera.words import CAMERA
from editscope.suites.annotation.questions.english import PREPOSITIONS, unquoted, word_set

UNDER = word_set("as while when until once after because where since whenever if so")
RELATIVE = word_set("that which who whose")
JOINING = word_set(
    "and then but or before plus finally next afterwards followed by with into combined ending starting beginning "
    "opening finishing joined first also later eventually"
)
_OPENERS = UNDER | RELATIVE | JOINING | word_set(", ; : . ! ?")
_WHEN = word_set("also later eventually first next finally afterwards")
"""Words that open a clause only where they come first."""
DETERMINERS = word_set(
    "the a an its his her their this that these those one two three several some many all both each every another"
)
AUXILIARY = word_set(
    "is are was be does do will would can begins begin starts start continues continue keeps keep itself first "
    "then also now simply only just both never proceeds still already immediately soon again once almost nearly "
    "even always often together instead had has been"
)


@dataclass(frozen=True, slots=True)
class Clause:
    """Words without a conjunction between them, and the conjunctions and marks before them."""

    openers: tuple[str, ...]
    words: tuple[str, ...]


_WORDS = re.compile(r"[a-zà-ÿ]+(?:'[a-zà-ÿ]+)*|\d+(?:[.,]\d+)*%?|[,;:?!.]")


_AT = r"(?:right |just |only )?(?:at|in|on|near|toward|towards|after|during|within|by|for|until|just before|from)"
_SPAN = r"(?:brief |short |few |couple of |split |half |half a |long |little |single |good |full )*"
_WHEN_IT_IS = re.compile(
    rf"\b(?:{_AT} (?:the |its )(?:very |last |final )*(?:end|close|finish|start|beginning|outset|finale)"
    rf"|{_AT} the (?:very |last |final |first |opening |closing |few )+(?:seconds?|moments?|beats?|frames?)"
    rf"|{_AT} (?:a|an|one|two|three|half) {_SPAN}(?:seconds?|moments?|beats?|instant|while|pause)"
    rf"|(?:a|an|one|two|half a|some|barely a|only a) {_SPAN}(?:seconds?|moments?|beats?|instant|while) (?:later|after"
    rf"|afterwards|on)|(?:seconds|moments) (?:later|after|afterwards)"
    rf"|(?:half|mid|part)way through|in the same (?:move|movement|motion|breath|take|sweep)|at the same time"
    rf"|without (?:stopping|pausing|a pause|a break)|at length|in the process|to finish)"
    rf"(?! of\b(?! the (?:clip|shot|take|video|caption|move|movement|pan)\b))"
    rf"(?: of the (?:clip|shot|take|video|move|pan))?(?! (?:where|line|zone|wall|table|post|block|gate|hand)\b)\b"
)
"""Words that only say when; *eventually* stands for them when clauses are read."""


_ACTIVE = {"pulled": "pulls", "pushed": "pushes", "swung": "swings", "lifted": "lifts", "raised": "rises"}
_ACTIVE |= {"lowered": "lowers", "moved": "moves", "drawn": "draws", "panned": "pans", "whipped": "whips"}
_DRIVEN = re.compile(
    rf"\b(?:camera|lens|viewpoint|view|shot) is (?:being |\w+ly |then )*(?:{'|'.join(_ACTIVE)})\b[^.;:]*"
)


def _as_active(said: re.Match[str]) -> str:
    """What is done to a camera, as what it does: *is pulled back*."""
    pattern = rf"\b(?:is )?(?P<how>(?:being |\w+ly |then )*)(?P<done>{'|'.join(_ACTIVE)})\b"
    return re.sub(pattern, lambda one: one["how"].replace("being ", "") + _ACTIVE[one["done"]], said[0])


def tokens(caption: str) -> list[str]:
    """The words and marks of a caption, hyphens and quotations aside."""
    text = unquoted(caption).lower().replace("’", "'")
    text = re.sub(r"\bhand-? ?held\b", "handheld", text)
    text = re.sub(r"\b(?:point|field) of view\b|\bvantage point\b", "viewpoint", text)
    text = re.sub(r"\bcamera (?:operator|person)\b", "cameraman", text)
    text = re.sub(r"\s[-–—]+\s|[–—]", " ; ", text)
    text = re.sub(r"\b(?:counter|anti)-clockwise\b", "counterclockwise", text)
    text = re.sub(r"\bthere(?: is| are|'s)(?= (?:also )?(?:a|an)\b)", "", text)
    text = re.sub(r"\bonly to (?=\w+ )", "then ", text)
    text = _DRIVEN.sub(_as_active, text)
    text = _WHEN_IT_IS.sub("eventually", text)
    text = re.sub(r"\b(?:left|right)-to-(?=(?:left|right)\b)", "", text)
    return _WORDS.findall(text.replace("-", " "))


def clauses(found: Sequence[str]) -> Iterator[Clause]:
    """The clauses of a caption, cut at marks and conjunctions."""
    openers: list[str] = []
    held: list[str] = []
    for at, word in enumerate(found):
        if held and _begins_again(found, at, held):
            yield Clause(tuple(openers), tuple(held))
            openers, held = [], []
        if _only_stresses(found, at):
            continue
        if word in _OPENERS and not (held and word in _WHEN) and not _is_inside(found, at):
            if held:
                yield Clause(tuple(openers), tuple(held))
                openers, held = [], []
            openers.append(word)
        else:
            held.append(word)
    if held:
        yield Clause(tuple(openers), tuple(held))


def _only_stresses(found: Sequence[str], at: int) -> bool:
    """Whether a word only stresses the conjunction after it: *just as*, *right before*."""
    following = found[at + 1] if at + 1 < len(found) else ""
    if found[at] == "right":
        return following in ("before", "after")
    return found[at] in ("just", "even", "only", "shortly", "soon") and following in UNDER | {"before"}


_PARTICLES = word_set("over off down out up in away apart back through")


def _begins_again(found: Sequence[str], at: int, held: Sequence[str]) -> bool:
    """Whether a new clause begins without a conjunction: *once it breaks* the camera zooms out."""
    last = held[-1]
    if last in DETERMINERS or (last in PREPOSITIONS and last not in _PARTICLES) or len(held) < 2:
        return False
    if found[at] == "it" and last in ("in", "on", "of", "with", "inside"):
        return False
    if found[at] == "it":
        return motion(found[at + 1], found[at + 2 :]) is not None if at + 1 < len(found) else False
    if found[at] not in ("the", "our"):
        return False
    named = next((place for place in range(at + 1, min(at + 4, len(found))) if found[place] in CAMERA), None)
    if named is None or named + 1 >= len(found) or camera_at(found[at : named + 6]) is None:
        return False
    return (
        found[named + 1].removesuffix("ly") != found[named + 1]
        or found[named + 1] in verb_forms()
        or found[named + 1] in AUXILIARY
    )


_CHASING = word_set(
    "hurries races rushes dashes runs scurries trots speeds hurrying racing rushing dashing running speeding"
)


def _is_inside(found: Sequence[str], at: int) -> bool:
    """Whether a conjunction joins no clause here: *with* and *into* before what is no motion, *so far*."""
    word, rest = found[at], found[at + 1 : at + 9]
    if word in ("with", "into", "by"):
        near = rest[: next((place for place, one in enumerate(rest) if place and one in _OPENERS), len(rest))]
        return not noun_motions(near, joined=True) and camera_at(near) is None and not _moves_in(near)
    if word in ("ending", "starting", "beginning", "opening", "finishing", "followed", "combined", "joined"):
        return not rest or rest[0] not in ("with", "on", "in", "by", "from", "as", "to")
    if word == "after":
        return bool(at) and found[at - 1] in _CHASING
    if word in ("first", "later", "next"):
        return bool(at) and found[at - 1] in ("the", "a")
    return word == "that" and bool(at) and found[at - 1] in ("so",)


def _moves_in(rest: Sequence[str]) -> bool:
    return bool(rest) and rest[0].endswith("ing") and motion(rest[0], rest[1:]) is not None
