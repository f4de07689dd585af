"""What only all entries of a dictionary together show: entries without a partner, and laws with too few."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import reduce
from operator import or_
from pathlib import Path

from editscope.factory.words.entries import balance
from editscope.factory.words.fitting import fit_table
from editscope.factory.words.records import LawWords, WordScene, WordSubject
from editscope.suites.datafolder.rows import Flaw


def lonely(words: LawWords, wheres: Mapping[str, Sequence[str]]) -> Iterator[Flaw]:
    """Flaws for entries that nothing goes with; ``wheres`` has where the entries stand, by kind, of those to check."""
    paired: dict[str, set[tuple[int, str]]] = {"subjects": set(), "scenes": set(), "motions": set()}
    for law in words.laws:
        fits = fit_table(words, law)
        by_scene = zip(*fits.masks, strict=True) if fits.masks else ()
        used = reduce(or_, (mask for row in fits.masks for mask in row), 0)
        paired["subjects"] |= {(id(one), law) for one, row in zip(fits.subjects, fits.masks, strict=True) if any(row)}
        paired["scenes"] |= {(id(one), law) for one, column in zip(fits.scenes, by_scene, strict=False) if any(column)}
        paired["motions"] |= {(id(one), law) for bit, one in enumerate(fits.motions) if used >> bit & 1}
    named: tuple[tuple[str, Sequence[WordSubject | WordScene], str], ...] = (
        ("subjects", words.subjects, "scene with a motion"),
        ("scenes", words.scenes, "subject with a motion"),
    )
    for kind_of_entry, entries, partner in named:
        for where, entry in zip(wheres[kind_of_entry], entries, strict=False):
            for law in entry.laws:
                if (id(entry), law) not in paired[kind_of_entry]:
                    tags = f"places: {', '.join(entry.places)}; traits: {', '.join(entry.traits) or 'none'}"
                    yield Flaw(
                        where, f"{entry.name!r} has no {partner} for {law!r} ({tags}); change its tags, or add one"
                    )
    for where, motion in zip(wheres["motions"], words.motions, strict=False):
        if (id(motion), motion.law) not in paired["motions"]:
            yield Flaw(where, f"no subject and scene of {motion.law!r} fit this motion; change its traits or slots")


def unbalanced(words: LawWords, given: Collection[str], path: Path) -> Iterator[Flaw]:
    """Flaws for laws that have less than half of the mean, of the kinds that the dictionary gives itself."""
    counted: dict[str, Callable[[str], int]] = {
        "subjects": lambda law: len(words.subjects_for(law)),
        "scenes": lambda law: len(words.scenes_for(law)),
        "motions": lambda law: len(words.motions_for(law)),
        "keywords": lambda law: len(words.keywords.get(law, ())),
    }
    for name in (name for name in counted if name in given):
        yield from balance({law: counted[name](law) for law in words.laws}, str(path), name, "law")
