"""Sentences with slots, such as ``The {subject} slides over the {surface}``."""

from __future__ import annotations

import re
from collections.abc import Mapping

from editscope.factory.words.records import WordScene, WordSubject

SLOTS = ("subject", "a_subject", "scene", "at_scene")
"""Slots that every pair fills; all others are parts of scenes."""

_SLOT = re.compile(r"\{([^{}]*)\}")
_YOU_SOUND = re.compile(r"(?:uni|use|usu|uk|eu|ewe|one\b|once)", re.IGNORECASE)
_SILENT_H = re.compile(r"(?:hour|honest|honor|heir)", re.IGNORECASE)


def slots(template: str) -> tuple[str, ...]:
    """The names in braces, in order, each once.

    >>> slots("The {subject} leaves the {surface}, and the {surface} stays dry.")
    ('subject', 'surface')
    """
    return tuple(dict.fromkeys(_SLOT.findall(template)))


def stray_braces(template: str) -> bool:
    """Whether a brace is left that belongs to no slot.

    >>> stray_braces("The {subject slides."), stray_braces("The {subject} slides.")
    (True, False)
    """
    return bool(re.search(r"[{}]", _SLOT.sub("", template)))


def with_article(name: str) -> str:
    """A name with "a" or "an", as it is spoken.

    >>> [with_article(name) for name in ("mug", "amber bottle", "ukulele", "hour glass", "unmade bed", "one-eyed cat")]
    ['a mug', 'an amber bottle', 'a ukulele', 'an hour glass', 'an unmade bed', 'a one-eyed cat']
    """
    spoken_vowel = name[:1].lower() in "aeiou" and not _YOU_SOUND.match(name)
    return f"{'an' if spoken_vowel or _SILENT_H.match(name) else 'a'} {name}"


def values_of(subject: WordSubject, scene: WordScene) -> dict[str, str]:
    """What a pair puts into the slots."""
    return {
        **scene.parts,
        "subject": subject.name,
        "a_subject": with_article(subject.name),
        "scene": scene.name,
        "at_scene": f"{scene.at} {with_article(scene.name)}",
    }


def fill(template: str, values: Mapping[str, str]) -> str:
    """A template with its slots filled, beginning with a capital letter.

    >>> fill("{a_subject} {at_scene}", {"a_subject": "a mug", "at_scene": "on an oak table"})
    'A mug on an oak table'
    """
    filled = _SLOT.sub(lambda match: values[match[1]], template)
    return filled[:1].upper() + filled[1:]
