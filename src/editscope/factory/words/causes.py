"""Objects and the causes that change them, by mode: what happens to a thing, never how that looks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from editscope.errors import unknown
from editscope.factory.words.entries import (
    SHIPPED,
    balance,
    check_kinds,
    raise_flaws,
    repeated_within,
    repeats,
    rows_of,
    table,
    texts,
    toml_files,
)
from editscope.factory.words.names import named_sentences
from editscope.factory.words.templates import with_article
from editscope.suites.datafolder.rows import DataRow, Flaw


@dataclass(frozen=True, slots=True)
class CausedObject:
    """A thing and what can happen to it."""

    name: str
    causes: Mapping[str, tuple[str, ...]]
    """By mode; a mode that is not here is not plausible for the thing. Each completes "the <name> is …"."""


@dataclass(frozen=True, slots=True)
class ObjectCause:
    """One object, one mode, one cause."""

    object: str
    mode: str
    cause: str

    @property
    def question(self) -> str:
        """The cause as a question.

        >>> ObjectCause("ice cube", "temperature", "left in the sun").question
        'What happens to the look of an ice cube if it is left in the sun?'
        """
        return f"What happens to the look of {with_article(self.object)} if it is {self.cause}?"


@dataclass(frozen=True, slots=True)
class CauseWords:
    """A dictionary of objects and causes."""

    modes: Mapping[str, str]
    objects: tuple[CausedObject, ...]

    def pairs(self) -> Iterator[tuple[str, str]]:
        """The plausible pairs of object and mode."""
        for thing in self.objects:
            for mode in thing.causes:
                yield thing.name, mode

    def causes(self, mode: str | None = None) -> Iterator[ObjectCause]:
        """All causes, or those of one mode."""
        if mode is not None and mode not in self.modes:
            raise unknown("mode", mode, self.modes)
        for thing in self.objects:
            for one, causes in thing.causes.items():
                if mode in (None, one):
                    yield from (ObjectCause(thing.name, one, cause) for cause in causes)


@cache
def shipped_cause_words() -> CauseWords:
    """The dictionary that comes with Editscope."""
    return _read(SHIPPED / "causes", None)


def read_cause_words(path: str | Path | None = None) -> CauseWords:
    """A dictionary of objects and causes from a TOML file or a folder of them; None is the shipped one.

    Modes that it defines come in addition to the shipped ones. BadInput lists all that is wrong with it.
    """
    return shipped_cause_words() if path is None else _read(Path(path), SHIPPED / "causes")


def _read(path: Path, base: Path | None) -> CauseWords:
    own = toml_files(path)
    flaws = list(check_kinds(own, ("modes", "objects")))
    modes = named_sentences([*(toml_files(base) if base else []), *own], "modes", flaws)
    found = []
    for row in rows_of(own, "objects", ("name", "modes")):
        if not row.flaws:
            thing = CausedObject(row.text("name"), _causes(row, modes))
            found.append((row.where, thing))
            if not thing.causes and not row.flaws:
                row.flaw("field 'modes' is missing or empty; give it a mode with a cause")
        flaws += row.flaws
    flaws += repeats(((where, thing.name) for where, thing in found), "object")
    if not found:
        flaws.append(Flaw(str(path), "there is no [[objects]] entry; add some"))
    used = {mode for _, thing in found for mode in thing.causes}
    counts = {mode: sum(mode in thing.causes for _, thing in found) for mode in modes if mode in used}
    raise_flaws([*flaws, *balance(counts, str(path), "objects", "mode")], f"the dictionary {path}")
    return CauseWords({mode: modes[mode] for mode in counts}, tuple(thing for _, thing in found))


def _causes(row: DataRow, modes: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """The causes of one object by mode, in the order of the modes."""
    given: Mapping[str, Any] = table(row, "modes")
    causes = {}
    inner = DataRow(row.where, given, row.root, row.flaws)
    for mode in given:
        if mode not in modes:
            row.flaw(str(unknown("mode", mode, modes)))
        else:
            causes[mode] = texts(inner, mode)
            row.flaws.extend(repeated_within(f"{row.where} {mode}", causes[mode], "cause"))
    return {mode: causes[mode] for mode in modes if mode in causes}
