"""Words for laws: what can be shown, where, and what happens to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class WordSubject:
    """One thing, person or animal, named in the singular without an article."""

    name: str
    laws: tuple[str, ...]
    """The laws that it can show."""
    places: tuple[str, ...]
    """Where it can be."""
    traits: tuple[str, ...]
    """What it is like, and so what can happen to it."""


@dataclass(frozen=True, slots=True)
class WordScene:
    """Somewhere to be, named in the singular without an article."""

    name: str
    at: str
    """The word between a subject and the scene: on, in, at."""
    laws: tuple[str, ...]
    places: tuple[str, ...]
    """The places that it offers to subjects."""
    traits: tuple[str, ...]
    parts: Mapping[str, str]
    """What it has that motions speak of, such as a lamp or a mirror, by the name of the slot."""


@dataclass(frozen=True, slots=True)
class MotionTemplate:
    """A motion caption for a law, and how its first frame looks, with slots for a pair."""

    law: str
    text: str
    start: str
    subject: tuple[str, ...]
    """Traits of which the subject has one; empty where it fits all."""
    scene: tuple[str, ...]
    """Traits of which the scene has one; empty where it fits all."""
    parts: tuple[str, ...]
    """Parts that the scene has, because the text or the start names them."""

    def fits_subject(self, subject: WordSubject) -> bool:
        """Whether it can happen to a subject."""
        return not self.subject or not set(self.subject).isdisjoint(subject.traits)

    def fits_scene(self, scene: WordScene) -> bool:
        """Whether it can happen in a scene."""
        return (not self.scene or not set(self.scene).isdisjoint(scene.traits)) and set(self.parts) <= set(scene.parts)


@dataclass(frozen=True, slots=True)
class LawWords:
    """A dictionary for laws."""

    laws: Mapping[str, str]
    """The laws that it has words for, each with a sentence about it."""
    subjects: tuple[WordSubject, ...]
    scenes: tuple[WordScene, ...]
    motions: tuple[MotionTemplate, ...]
    keywords: Mapping[str, tuple[str, ...]]
    """Words to search for candidate pictures with, by law."""

    def subjects_for(self, law: str) -> tuple[WordSubject, ...]:
        """The subjects of a law."""
        return tuple(subject for subject in self.subjects if law in subject.laws)

    def scenes_for(self, law: str) -> tuple[WordScene, ...]:
        """The scenes of a law."""
        return tuple(scene for scene in self.scenes if law in scene.laws)

    def motions_for(self, law: str) -> tuple[MotionTemplate, ...]:
        """The motions of a law."""
        return tuple(motion for motion in self.motions if motion.law == law)
