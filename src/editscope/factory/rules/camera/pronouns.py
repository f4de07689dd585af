"""Whom *it* stands for in a motion caption: the camera, or what the camera looks at."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from editscope.factory.rules.camera.clauses import DETERMINERS, JOINING, UNDER, Clause
from editscope.factory.rules.camera.reading import Reading
from editscope.factory.rules.camera.subjects import is_person, is_plural, names_object
from editscope.factory.rules.camera.verbs import OPPOSITES, WAYS, Motion, is_strong, verb_forms
from editscope.factory.rules.camera.words import CAMERA
from editscope.suites.annotation.questions.english import word_set

FALLS = word_set(
    "roll slide drop spin swing drift sink tip bounce sway wobble float fly slip shake rotate twist turn lift bob "
    "rattle lean walk run step jump leap"
)
"""What things do more often than cameras."""


def it_is_camera(found: Motion, part: Clause, before: Clause | None, reading: Reading) -> bool:
    """Whether *it* stands for the camera rather than for what the camera looks at."""
    under = bool(UNDER.intersection(part.openers)) and part.openers[-1] not in JOINING - UNDER
    alone = before is not None and reading.now == "camera" and not _has_object(before.words)
    if is_strong(found) and not (under and found.verb in ("push", "pull", "track", "truck")):
        return True
    if under:
        return alone and not reading.thing_words and before is not None and not _names_thing(before.words)
    if found.verb == "tilt" and found.way in ("up", "down"):
        return True
    shared = found.verb in FALLS - {"drift", "float", "turn", "swing", "fly", "lift"}
    if reading.now == "camera" and "before" in part.openers:
        return alone and not shared
    if reading.now == "camera" and (alone or found.verb not in FALLS):
        return True
    last = reading.motions[-1] if reading.motions else found
    if last.family == found.family and OPPOSITES.get(last.way) == found.way:
        return True
    if reading.now == "camera":
        return found.verb == "turn" and bool(found.way)
    if {",", ";"} & set(part.openers) and {"and", "then"} & set(part.openers) and found.verb not in FALLS:
        return True
    if is_plural(reading.thing_words):
        return found.verb not in FALLS - {"turn", "swing"} or not names_object(reading.thing_words)
    return is_person(reading.thing_words) and not names_object(reading.thing_words)


def _has_object(found: Sequence[str]) -> bool:
    """Whether the camera looks at a thing that *it* may stand for: *orbits the cup*, *zooms in on the cup*."""
    verb = next((at for at, word in enumerate(found) if at and word in verb_forms()), len(found))
    after = found[verb + 1 :]
    looks = [at for at, word in enumerate(after) if word in ("on", "at", "with", "after", "of", "from")]
    return bool(after) and (
        after[0] in DETERMINERS or any(after[at + 1 : at + 2] and after[at + 1] in DETERMINERS for at in looks)
    )


def _names_thing(found: Sequence[str]) -> bool:
    """Whether a clause names anything besides the camera and the sides."""
    if {"it", "him", "her", "them"}.intersection(found):
        return True
    return any(
        one in DETERMINERS
        and noun not in CAMERA
        and noun not in WAYS
        and noun not in ("center", "middle", "distance")
        and not is_person((noun,))
        and not (one == "its" and noun in ("side", "axis", "own", "base"))
        for one, noun in pairwise(found)
    )
