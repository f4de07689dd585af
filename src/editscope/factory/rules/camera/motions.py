"""How the camera moves in a motion caption: a walk through its clauses that keeps in mind who does what."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from editscope.factory.rules.camera.clauses import (
    AUXILIARY,
    DETERMINERS,
    RELATIVE,
    UNDER,
    Clause,
    clauses,
    tokens,
)
from editscope.factory.rules.camera.denied import without_denied
from editscope.factory.rules.camera.embedded import becomes, embedded_motions
from editscope.factory.rules.camera.nouns import (
    camera_at,
    is_shared,
    noun_motions,
    phrase_motions,
)
from editscope.factory.rules.camera.pronouns import FALLS, it_is_camera
from editscope.factory.rules.camera.reading import (
    PERFORMING,
    Reading,
    add_motion,
    first_verb,
    read_said,
    returns,
    without_adverbial,
)
from editscope.factory.rules.camera.subjects import is_person, is_plural
from editscope.factory.rules.camera.verbs import OPPOSITES, WAYS, Motion, is_strong, motion, unknown_motion, verb_forms
from editscope.factory.rules.camera.words import CAMERA
from editscope.suites.annotation.questions.english import PREPOSITIONS, is_adverb, is_participle, word_set

_THEN = word_set("then before finally next afterwards later eventually followed after")
_PRONOUNS = word_set("it they he she this these its their his her him them")


def motions(caption: str) -> list[str]:
    """The camera's motions that a caption names, in its own words; the same motion named again counts once.

    >>> motions("The tower tilts left, camera pans right then zooms in."), motions("The tower tilts, camera static.")
    (['pans', 'zooms'], [])
    """
    reading = Reading()
    parts = list(clauses(without_denied(tokens(caption))))
    for at, part in enumerate(parts):
        _read(part, parts[at + 1 :], parts[at - 1] if at else None, reading)
    different: list[Motion] = []
    for one in sorted(reading.motions, key=lambda one: (one.weak, not one.way)):
        if not any(one.is_same(other) for other in different):
            different.append(one)
    return [one.word for one in reading.motions if any(one is other for other in different)]


def _read(part: Clause, rest: Sequence[Clause], before: Clause | None, reading: Reading) -> None:
    """Take up what one clause says."""
    under = bool(UNDER.intersection(part.openers))
    by_noun, reading.by_noun = reading.by_noun, False
    reading.openers = frozenset(part.openers)
    reading.in_order = reading.in_order or (before is None and bool(reading.openers & {"after", "before"}))
    if reading.resumes and "," in part.openers:
        reading.now = reading.main
        reading.openers |= {"and"}
    interposed = under and bool({"and", "then", "but"}.intersection(part.openers)) and "," in part.openers[1:]
    reading.resumes = interposed or (reading.resumes and "," not in part.openers)
    if place := camera_at(part.words):
        start, end = place
        named = phrase_motions(part.words[start : end - 1], shot=part.words[end - 1] == "shot")
        for said in named:
            reading.add(said)
        reading.acts("camera", main=True)
        verb, after = first_verb(part.words[end:])
        tells_no_more = any(said.family != "shake" for said in named) and (moved := motion(verb, after)) and moved.plain
        if not tells_no_more:
            read_said(part.words[end:], reading)
        for said in becomes(part.words[end:]):
            reading.add(said)
        return
    for said in embedded_motions(part.words):
        reading.add(said)
    if _read_pronoun(part, before, rest, reading):
        return
    if _read_noun(part, before, reading):
        return
    if RELATIVE.intersection(part.openers):
        _read_relative(part, before, reading, by_noun=by_noun)
        return
    if _read_way(part, reading):
        return
    verb, after = first_verb(without_adverbial(part.words))
    if reading.now == "camera" and verb in PERFORMING and verb not in verb_forms():
        read_said((verb, *after), reading)
    elif (returned := returns(verb, after, reading)) and _camera_returns(after, part, reading):
        reading.acts("camera", main=True)
        reading.add(returned)
    elif reading.now == "camera" and not under and (found := _unlisted(verb, after)):
        reading.add(found)
    elif verb in verb_forms():
        _read_verb(verb, after, part, rest, reading)
    elif verb and not _goes_on(part, reading):
        if reading.now != "thing" or len(part.words) > 2 or part.words[0] in DETERMINERS:
            reading.thing_words = part.words
        inside = reading.now == "thing" and "and" in part.openers and "," not in part.openers
        reading.acts("thing", main=not (under or inside))


def _unlisted(verb: str, after: Sequence[str]) -> Motion | None:
    """A motion by a verb that no list has, in a clause without a subject: *and yaws toward the fountain*."""
    leads_on = bool(after) and (after[0] in WAYS or after[0] in ("to", "toward", "towards") or is_adverb(after[0]))
    return unknown_motion(verb, after) if leads_on else None


def _camera_returns(after: Sequence[str], part: Clause, reading: Reading) -> bool:
    """Whether it is the camera that returns, and not the thing that was spoken of last."""
    if reading.now == "camera":
        return True
    same = re.search(r"\b(?:same way|way it came|its (?:path|steps|way|course|route))\b", " ".join(after)) is not None
    return (
        reading.main == "camera" and bool(_THEN.intersection(part.openers)) and (same or is_plural(reading.thing_words))
    )


_HOLDING = word_set(
    "stops stopping holds holding pauses pausing rests settles lingers reveals revealing shows showing ends "
    "ending stays staying remains keeps waits watches frames framing captures capturing focuses focusing levels "
    "slows speeds continues comes looking looks keeping reaching arriving finding again slowly there once both "
    "hovers hovering idles steadies straightens locks freezes halts hangs "
    "refocuses refocusing"
)
"""What a camera does besides moving."""


def _goes_on(part: Clause, reading: Reading) -> bool:
    """Whether a clause has no subject of its own: a place, another object, or what else the camera does."""
    first = part.words[0]
    if reading.now == "camera" and first.endswith("ing") and is_participle(first):
        return True
    if first in PREPOSITIONS | {"halfway", "midway"} or first in _HOLDING or first_verb(part.words)[0] in _HOLDING:
        return True
    if len(part.words) == 1 and (first.endswith("s") or reading.now == "camera"):
        return True
    if (
        first.endswith("s")
        and part.words[1:2]
        and part.words[1] in DETERMINERS | _PRONOUNS | PREPOSITIONS | WAYS.keys()
    ):
        return True
    short = len(part.words) < 3 or (len(part.words) == 3 and not part.words[-1].endswith("s"))
    return reading.now == "camera" and first in DETERMINERS and short and not UNDER.intersection(part.openers)


def _read_pronoun(part: Clause, before: Clause | None, rest: Sequence[Clause], reading: Reading) -> bool:
    """A clause about *it*: the camera, or what the camera looks at."""
    if "it" not in part.words[:7]:
        return part.words[0] in _PRONOUNS and _is_thing(part, reading)
    at = part.words.index("it")
    if at and not (part.words[0] in PREPOSITIONS | AUXILIARY | {"halfway", "midway"} or is_adverb(part.words[0])):
        return False
    verb, after = first_verb(part.words[at + 1 :])
    found = motion(verb, after)
    if not reading.main and verb == "a" and (place := camera_at(after)) and place[0] == 0:
        _read(Clause(part.openers, tuple(after)), (), before, reading)
        return True
    if verb in ("opens", "begins", "starts") and not reading.main:
        reading.acts("camera", main=True)
        read_said(part.words[at + 1 :], reading)
        return True
    if found and before is None and found.verb not in FALLS and _who_follows(rest):
        add_motion(found, after, reading)
        return True
    if found and reading.main == "camera" and it_is_camera(found, part, before, reading):
        reading.acts("camera", main=True)
        add_motion(found, after, reading)
        return True
    return _is_thing(part, reading)


def _is_thing(part: Clause, reading: Reading) -> bool:
    reading.thing_words = part.words
    reading.acts("thing", main=False)
    return True


def _read_noun(part: Clause, before: Clause | None, reading: Reading) -> bool:
    """A clause that is a motion by its noun: *a slow push-in*."""
    openers = set(part.openers)
    words = part.words
    while words and words[0] in ("in", "on", "as", "from", "to", "with", "by") and openers & _LEADING:
        words = words[1:]
    joined = reading.now == "camera" and bool(openers) and not openers & UNDER
    found = noun_motions(words, opening=before is None and not openers, joined=joined)
    if not found or RELATIVE & openers:
        return False
    beside = (
        "with" in openers and reading.now == "thing" and not openers & {",", ";", ":", "and", "followed", "combined"}
    )
    if beside and all(is_shared(one) and one.way not in ("up", "down") for one in found):
        return False
    if reading.watched and words[0] in verb_forms() and "then" not in openers:
        return True
    plural = any(word.endswith("s") for word in reading.thing_words[:2])
    if reading.now == "thing" and plural and words[0] in verb_forms() and all(is_shared(one) for one in found):
        return False
    if reading.now == "thing" and _agrees_with_things(words[0], part, reading):
        return False
    bare = len(words) < 3 and words[-1] in _ALSO_THINGS
    if part.openers == ("and",) and reading.now == "thing" and all(bare or is_shared(one) for one in found):
        return False
    if (
        "into" in openers
        and before
        and reading.motions
        and reading.motions[-1].vague
        and reading.motions[-1].word in before.words
    ):
        reading.motions.pop()
    for one in (*found, *becomes(words)):
        reading.add(one)
    reading.acts("camera", main=not UNDER & openers or not reading.main)
    reading.by_noun = True
    return True


def _agrees_with_things(word: str, part: Clause, reading: Reading) -> bool:
    """Whether a word that may be a noun is what several things do: *the leaves lift off and drift away*."""
    if verb_forms().get(word) != word:
        return False
    if reading.thing_words[:1] == ("they",):
        return True
    sure = (
        ("zoom", "pan", "dolly", "crane", "tilt")
        if "and" in part.openers
        else ("zoom", "pan", "dolly", "crane", "push", "pull", "tilt")
    )
    return is_plural(reading.thing_words) and set(part.openers) <= {"and", ","} and word not in sure


_ALSO_THINGS = word_set("pan crane truck dolly boom track")
_LEADING = word_set("ending starting beginning opening finishing followed combined joined")


def _read_relative(part: Clause, before: Clause | None, reading: Reading, *, by_noun: bool) -> None:
    """A clause with *that* or *which*, about the word before it."""
    last = before.words[-1] if before else ""
    named = camera_at(before.words) if before else None
    seen = last == "drone" and before is not None and named is not None and named[1] < len(before.words)
    if (last in CAMERA and not seen) or (
        by_noun and reading.now == "camera" and (last in WAYS or last in verb_forms())
    ):
        reading.acts("camera", main=False)
        read_said(part.words, reading)
    else:
        verb, _ = first_verb(part.words)
        several = not verb.endswith(("s", "ed", "ing")) and part.words[0] not in ("is", "has", "was")
        if "whose" in part.openers or part.words[0] in DETERMINERS or last in PREPOSITIONS:
            several = is_plural(part.words)
        subject = "they" if several else "he" if "who" in part.openers else "it"
        reading.thing_words = (subject, *part.words)
        reading.acts("thing", main=False)


_NO_WEIGHT = word_set("again off the slowly once more to toward slightly immediately straight quickly gently it from")
_A_LITTLE = word_set("a an little bit touch few some half quarter degrees degree full ninety also")
"""Words before *left* or *up* that say how far."""
_OF_PLACES = word_set("of next before after side hand wall half edge corner close at behind in door window a an")
"""Words after *left* or *up* that make a place of them."""


def _read_way(part: Clause, reading: Reading) -> bool:
    """A clause that only says another way: *pans left, then right*; *zooms in and out*."""
    found = [word for word in part.words if word not in _NO_WEIGHT and not word[0].isdigit()]
    while found and found[0] in _A_LITTLE:
        found = found[1:]
    if not found or not reading.motions:
        return False
    if found[0] == "other" and reading.now == "camera" and len(found) < 3:
        reading.add(Motion("other", reading.motions[-1].family, "return"))
        return True
    if len(found) > 1 and found[0] in WAYS and found[1] in WAYS and found[0] != "back" and "to" in part.words:
        found = found[1:]
    back = found[0] == "back"
    ahead = found[1] if back and len(found) > 1 and found[1] in WAYS else found[0]
    if ahead in ("forth", "fro"):
        ahead, back = "back", True
    if ahead not in WAYS or part.words[0] == "the":
        return False
    following = found[found.index(ahead) + 1 : found.index(ahead) + 2] if ahead in found else []
    goal = any(one in WAYS and other in ("to", "toward", "towards") for one, other in pairwise(part.words))
    if following and following[0] in _OF_PLACES and not goal:
        return False
    last = reading.motions[-1]
    way = "return" if back and ahead == "back" and last.family not in ("pull", "zoom", "push") else WAYS[ahead]
    if reading.now == "camera":
        if last.way or set(part.openers) - {","}:
            turned = motion(last.word, [ahead]) if way != "return" else None
            reading.add(turned or Motion(ahead, last.family, way))
        return True
    same_axis = {word for word in reading.thing_words if word in WAYS}
    if (
        reading.main == "camera"
        and _THEN.intersection(part.openers)
        and OPPOSITES.get(last.way) == way
        and not same_axis
    ):
        reading.add(Motion(ahead, last.family, way))
        reading.acts("camera", main=True)
    return True


def _read_verb(verb: str, after: Sequence[str], part: Clause, rest: Sequence[Clause], reading: Reading) -> None:
    """A clause that begins with a verb of motion and has no subject of its own."""
    found = motion(verb, after)
    if found is None:
        return
    if verb in _PLURALS and part.openers and set(part.openers) <= {";", ":", "."}:
        reading.thing_words = ("they", *part.words)
        reading.acts("thing", main=False)
        return
    if (
        verb in ("following", "chasing", "trailing")
        and reading.motions
        and reading.motions[-1].family != "shake"
        and not {"and", "then", "before"} & set(part.openers)
    ):
        return
    if reading.now == "camera" and reading.motions and part.openers == (",",) and verb.endswith("ing"):
        last = reading.motions[-1]
        if last.vague and (found.plain or (last.weak and found.family == "crane")):
            return
    if not reading.main:
        camera = _who_follows(rest) if verb.endswith("ing") else is_strong(found)
    elif reading.now == "camera":
        camera = True
    elif reading.main == "camera" and found.verb in ("push", "pull") and _is_next_of_person(part, reading):
        camera = False
    elif reading.main == "camera":
        agrees = verb.endswith("s") and is_plural(reading.thing_words) and bool({"and", "then"} & set(part.openers))
        drifts = verb == "drifting" and is_person(reading.thing_words) and bool(_THEN & set(part.openers))
        camera = agrees or drifts or _returns_to_camera(found, part)
    elif reading.motions and is_strong(found) and _THEN.intersection(part.openers):
        camera = True
    else:
        camera = is_strong(found) and verb.endswith("ing") and bool(set(part.openers) - {"and"}) and verb != "tracking"
    if camera:
        reading.acts("camera", main=True)
        add_motion(found, after, reading)


_PLURALS = word_set("trucks cranes dollies tracks pans booms")
"""Verbs that are also names of several things, with which a clause may begin."""


def _is_next_of_person(part: Clause, reading: Reading) -> bool:
    """Whether a verb goes on with what a person does: *a welder who leans in and pulls back*."""
    one = is_person(reading.thing_words) or reading.thing_words[:1] in (("it",), ("he",))
    return one and set(part.openers) <= {"and", ","}


def _returns_to_camera(found: Motion, part: Clause) -> bool:
    """Whether a verb after a clause about a thing is about the camera again."""
    openers = set(part.openers)
    then = bool(openers & _THEN)
    if is_strong(found):
        return True
    if found.verb == "tilt" and found.way in ("up", "down"):
        return then or {",", "and"} <= openers or (found.word.endswith("ing") and "," in openers)
    return then and (found.verb not in FALLS or found.verb in ("turn", "swing", "lift", "float"))


def _who_follows(rest: Sequence[Clause]) -> bool:
    """Whether the first subject after an opening such as *panning left* is the camera."""
    for part in rest:
        if camera_at(part.words):
            return True
        if part.words[0] in DETERMINERS and not UNDER.intersection(part.openers) and part.openers:
            return False
    return False
