"""Subject, scene and motion for a law: seeded, lazily, without repeats, every word about equally often."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from editscope.errors import BadInput, unknown
from editscope.factory.words.fitting import FitTable, fit_table
from editscope.factory.words.records import LawWords, MotionTemplate, WordScene, WordSubject
from editscope.factory.words.templates import fill, values_of
from editscope.suites.generated.seeded_random import SeededRandom


@dataclass(frozen=True, slots=True)
class WordCombination:
    """A subject in a scene, and what happens to it."""

    law: str
    subject: WordSubject
    scene: WordScene
    motion: MotionTemplate

    @property
    def first_frame(self) -> str:
        """The first frame in words, for a text-to-image model."""
        return fill(self.motion.start, values_of(self.subject, self.scene))

    @property
    def caption(self) -> str:
        """The motion caption, for an image-to-video model."""
        return fill(self.motion.text, values_of(self.subject, self.scene))


def combinations(words: LawWords, law: str, seed: int = 0) -> Iterator[WordCombination]:
    """All combinations of a law, each once: first every pair with one motion, then every pair with another, and so on.

    The order depends on the words, the law and the seed alone. At any point, subjects that still have scenes have been
    used equally often up to one, and a subject takes the scene, and the pair the motion, that was used least so far.
    """
    if law not in words.laws:
        raise unknown("law", law, words.laws)
    table = fit_table(words, law)
    left = [list(row) for row in table.masks]
    scene_uses, motion_uses = [0] * len(table.scenes), [0] * len(table.motions)
    turn = 0
    while any(map(any, left)):
        random = _random(seed, law, turn)
        subjects = random.shuffled(range(len(table.subjects)))
        scenes = random.shuffled(range(len(table.scenes)))
        motions = random.shuffled(range(len(table.motions)))
        yield from _one_turn(table, law, (subjects, scenes, motions), left, scene_uses, motion_uses)
        turn += 1


def pairs(words: LawWords, law: str, seed: int = 0) -> Iterator[tuple[WordSubject, WordScene]]:
    """The pairs of a law, each once, in the order of ``combinations``."""
    if law not in words.laws:
        raise unknown("law", law, words.laws)
    for made in islice(combinations(words, law, seed), fit_table(words, law).pairs):
        yield made.subject, made.scene


def across_laws(
    words: LawWords, count: int, seed: int = 0, laws: Sequence[str] | None = None
) -> Iterator[WordCombination]:
    """``count`` combinations, the laws in turn; BadInput, before the first, where a law has too few."""
    chosen = tuple(dict.fromkeys(laws or words.laws))
    for law in chosen:
        if law not in words.laws:
            raise unknown("law", law, words.laws)
    have = {law: fit_table(words, law).combinations for law in chosen}
    for place, law in enumerate(chosen):
        needed = len(range(place, count, len(chosen)))
        if have[law] < needed:
            most = min(have.values()) * len(chosen)
            raise BadInput(
                f"the words for {law} make {have[law]:,} combinations, and {needed:,} are needed; "
                f"add subjects, scenes or motions for it, or ask for at most {most:,} in all"
            )
    return _in_turn([combinations(words, law, seed) for law in chosen], count)


def _in_turn(streams: Sequence[Iterator[WordCombination]], count: int) -> Iterator[WordCombination]:
    for number in range(count):
        yield next(streams[number % len(streams)])


def _one_turn(
    table: FitTable,
    law: str,
    orders: tuple[list[int], list[int], list[int]],
    left: list[list[int]],
    scene_uses: list[int],
    motion_uses: list[int],
) -> Iterator[WordCombination]:
    """Every pair that has a motion left, once; what is used is taken from ``left`` and counted."""
    subjects, scenes, motions = orders
    waiting = {subject: [scene for scene in scenes if left[subject][scene]] for subject in subjects}
    while waiting:
        for subject in subjects:
            open_scenes = waiting.get(subject)
            if not open_scenes:
                waiting.pop(subject, None)
                continue
            scene = min(open_scenes, key=scene_uses.__getitem__)  # the first of equals, in the order of this turn
            open_scenes.remove(scene)
            mask = left[subject][scene]
            motion = min((one for one in motions if mask >> one & 1), key=motion_uses.__getitem__)
            left[subject][scene] = mask & ~(1 << motion)
            scene_uses[scene] += 1
            motion_uses[motion] += 1
            yield WordCombination(law, table.subjects[subject], table.scenes[scene], table.motions[motion])


def _random(seed: int, law: str, turn: int) -> SeededRandom:
    """Random choices for one turn of a law, the same in every process."""
    digest = hashlib.sha256(f"{seed}/{law}/{turn}".encode()).digest()
    return SeededRandom(int.from_bytes(digest[:8], "big"))
