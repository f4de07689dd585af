"""Which subjects, scenes and motions of a law go together."""

from __future__ import annotations

from dataclasses import dataclass

from editscope.factory.words.records import LawWords, MotionTemplate, WordScene, WordSubject


@dataclass(frozen=True, slots=True)
class FitTable:
    """The pairs of a law. Motions are bits: bit *m* of ``masks[s][c]`` is motion *m* for subject *s* in scene *c*."""

    subjects: tuple[WordSubject, ...]
    scenes: tuple[WordScene, ...]
    motions: tuple[MotionTemplate, ...]
    masks: tuple[tuple[int, ...], ...]

    @property
    def pairs(self) -> int:
        """How many pairs of subject and scene have a motion."""
        return sum(1 for row in self.masks for mask in row if mask)

    @property
    def combinations(self) -> int:
        """How many combinations of subject, scene and motion there are."""
        return sum(mask.bit_count() for row in self.masks for mask in row)


def fit_table(words: LawWords, law: str) -> FitTable:
    """The pairs of a law: both list it, they share a place, and a motion fits the two."""
    subjects, scenes, motions = words.subjects_for(law), words.scenes_for(law), words.motions_for(law)
    in_scenes = [sum(1 << bit for bit, motion in enumerate(motions) if motion.fits_scene(scene)) for scene in scenes]
    offered = [frozenset(scene.places) for scene in scenes]
    masks = []
    for subject in subjects:
        own = sum(1 << bit for bit, motion in enumerate(motions) if motion.fits_subject(subject))
        masks.append(
            tuple(
                own & there if not places.isdisjoint(subject.places) else 0
                for there, places in zip(in_scenes, offered, strict=True)
            )
        )
    return FitTable(subjects, scenes, motions, tuple(masks))
