"""Read a dictionary for laws: the shipped one, or one of the user in the same form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from editscope.errors import unknown
from editscope.factory.words.checking import lonely, unbalanced
from editscope.factory.words.entries import (
    SHIPPED,
    check_kinds,
    choices,
    raise_flaws,
    repeats,
    rows_of,
    table,
    texts,
    toml_files,
)
from editscope.factory.words.names import named_sentences, toml_kind
from editscope.factory.words.records import LawWords, MotionTemplate, WordScene, WordSubject
from editscope.factory.words.templates import SLOTS, slots, stray_braces
from editscope.suites.datafolder.rows import DataRow, Flaw

VOCABULARY = ("laws", "places", "traits", "parts")
ENTRIES = ("subjects", "scenes", "motions", "keywords")

Contents = list[tuple[Path, dict[str, Any]]]


@cache
def shipped_law_words() -> LawWords:
    """The dictionary that comes with Editscope."""
    return _read(SHIPPED / "laws", None)


def read_law_words(path: str | Path | None = None) -> LawWords:
    """A dictionary for laws from a TOML file or a folder of them; None is the shipped one.

    What it leaves out is taken from the shipped one: subjects, scenes, motions or keywords, each kind as a whole. Its
    laws, places, traits and parts come in addition. BadInput lists all that is wrong: duplicates, also in another case
    or number, empty entries, unknown names, slots that no scene fills, entries that nothing goes with, and laws that
    have less than half as many entries as the mean.
    """
    return shipped_law_words() if path is None else _read(Path(path), SHIPPED / "laws")


class _Vocabulary:
    """The names that tags are made of."""

    def __init__(self, contents: Contents) -> None:
        self.flaws: list[Flaw] = []
        self.laws = named_sentences(contents, "laws", self.flaws)
        self.places = named_sentences(contents, "places", self.flaws)
        self.parts = named_sentences(contents, "parts", self.flaws)
        self.subject_traits = named_sentences(contents, "traits", self.flaws, inside="subject")
        self.scene_traits = named_sentences(contents, "traits", self.flaws, inside="scene")
        for name in set(self.parts) & set(SLOTS):
            self.flaws.append(Flaw("parts", f"{name!r} is a slot that every pair fills; choose another name"))


def _read(path: Path, base: Path | None) -> LawWords:
    own = toml_files(path)
    shipped = toml_files(base) if base else []
    flaws = list(check_kinds(own, (*VOCABULARY, *ENTRIES)))
    vocabulary = _Vocabulary(shipped + own)
    flaws += vocabulary.flaws
    given = {name for _, content in own for name in content if name in ENTRIES}

    def source(name: str) -> Contents:
        return own if name in given or not shipped else shipped

    subjects = list(_subjects(source("subjects"), vocabulary, flaws))
    scenes = list(_scenes(source("scenes"), vocabulary, flaws))
    motions = list(_motions(source("motions"), vocabulary, flaws))
    keywords = _keywords(source("keywords"), vocabulary, flaws)
    flaws += repeats(((where, subject.name) for where, subject in subjects), "subject")
    flaws += repeats(((where, scene.name) for where, scene in scenes), "scene")
    flaws += repeats(((where, motion.text) for where, motion in motions), "motion")
    raise_flaws(flaws, f"the dictionary {path}")
    # Where a dictionary gives only one of the two, the laws are those it names.
    tagged: list[Sequence[str]] = (
        [subject.laws for _, subject in subjects] if "subjects" in given or "scenes" not in given else []
    )
    tagged += [scene.laws for _, scene in scenes] if "scenes" in given else []
    named = {law for laws in tagged for law in laws}
    words = LawWords(
        {law: about for law, about in vocabulary.laws.items() if law in named},
        tuple(subject for _, subject in subjects),
        tuple(scene for _, scene in scenes),
        tuple(motion for _, motion in motions),
        {law: keywords.get(law, ()) for law in vocabulary.laws if law in named},
    )
    wheres = {
        name: tuple(where for where, _ in entries) if name in given else ()
        for name, entries in (("subjects", subjects), ("scenes", scenes), ("motions", motions))
    }
    raise_flaws([*lonely(words, wheres), *unbalanced(words, given, path)], f"the dictionary {path}")
    return words


def _subjects(contents: Contents, vocabulary: _Vocabulary, flaws: list[Flaw]) -> Iterator[tuple[str, WordSubject]]:
    """The subjects; an entry has tags and the names that share them."""
    for row in rows_of(contents, "subjects", ("names", "laws", "places", "traits"), "names"):
        if not row.flaws:
            names = texts(row, "names")
            laws, places = choices(row, "laws", vocabulary.laws), choices(row, "places", vocabulary.places)
            traits = choices(row, "traits", vocabulary.subject_traits, least=0)
            for number, name in enumerate(names, start=1):
                _plain_name(row, name)
                yield f"{row.where}, name {number}", WordSubject(name, laws, places, traits)
        flaws += row.flaws


def _scenes(contents: Contents, vocabulary: _Vocabulary, flaws: list[Flaw]) -> Iterator[tuple[str, WordScene]]:
    for row in rows_of(contents, "scenes", ("name", "at", "laws", "places", "traits", "parts")):
        if not row.flaws:
            name, at = row.text("name"), row.text("at")
            _plain_name(row, name)
            laws, places = choices(row, "laws", vocabulary.laws), choices(row, "places", vocabulary.places)
            traits = choices(row, "traits", vocabulary.scene_traits, least=0)
            parts = {}
            for part, words in table(row, "parts").items():
                if part not in vocabulary.parts:
                    row.flaw(f"field 'parts': {unknown('part', part, vocabulary.parts)}")
                elif not isinstance(words, str) or not words.strip():
                    row.flaw(f"the part {part!r} is empty; name it or take it out")
                else:
                    parts[part] = words.strip()
            yield row.where, WordScene(name, at, laws, places, traits, parts)
        flaws += row.flaws


def _motions(contents: Contents, vocabulary: _Vocabulary, flaws: list[Flaw]) -> Iterator[tuple[str, MotionTemplate]]:
    known = (*SLOTS, *vocabulary.parts)
    for row in rows_of(contents, "motions", ("law", "text", "start", "subject", "scene"), "text"):
        if not row.flaws:
            law, text, start = row.choice("law", tuple(vocabulary.laws)), row.text("text"), row.text("start")
            for name, template in (("text", text), ("start", start)):
                if stray_braces(template):
                    row.flaw(f"field {name!r} has a brace without its partner; a slot is {{subject}}")
                for slot in slots(template):
                    if slot not in known:
                        row.flaw(f"field {name!r}: {unknown('slot', slot, known)}")
            if text and "subject" not in slots(text):
                row.flaw("field 'text' has no slot {subject}; say what happens to it")
            subject = choices(row, "subject", vocabulary.subject_traits, least=0)
            scene = choices(row, "scene", vocabulary.scene_traits, least=0)
            parts = tuple(slot for slot in slots(f"{text} {start}") if slot in vocabulary.parts)
            yield row.where, MotionTemplate(law, text, start, subject, scene, parts)
        flaws += row.flaws


def _keywords(contents: Contents, vocabulary: _Vocabulary, flaws: list[Flaw]) -> Mapping[str, tuple[str, ...]]:
    """The keywords by law, from ``[keywords]`` of all files."""
    found: dict[str, list[tuple[str, str]]] = {}
    for file, content in contents:
        given = content.get("keywords", {})
        if not isinstance(given, dict):
            flaws.append(Flaw(str(file), f"'keywords' is a {toml_kind(given)}, not a table of laws and lists"))
            continue
        row = DataRow(f"{file} keywords", given, file.parent)
        for law in given:
            if law not in vocabulary.laws:
                row.flaw(str(unknown("law", law, vocabulary.laws)))
            else:
                listed = texts(row, law)
                found.setdefault(law, []).extend(
                    (f"{row.where} {law} {number}", word) for number, word in enumerate(listed, start=1)
                )
        flaws += row.flaws
    for listed_words in found.values():
        flaws += repeats(listed_words, "keyword")
    return {law: tuple(word for _, word in listed_words) for law, listed_words in found.items()}


def _plain_name(row: DataRow, name: str) -> None:
    """A flaw where a name begins with an article, which sentences put before it themselves."""
    first, _, rest = name.partition(" ")
    if first.casefold() in ("a", "an", "the") and rest:
        row.flaw(f"write {name!r} without its article, as {rest!r}")
