"""Entries of TOML files: every flaw is noted with file, entry and fix, and reading goes on."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from editscope.documents import Malformed, read_toml
from editscope.errors import BadInput, unknown
from editscope.factory.words.names import toml_kind
from editscope.suites.datafolder.rows import DataRow, Flaw, broken, read_text, tag_name

SHIPPED = Path(__file__).with_name("data")
"""The folder of the dictionaries that come with Editscope."""
LARGEST = 16 << 20
"""Bytes that a file of a dictionary may have."""
MOST_SHOWN = 10
"""Flaws that a message lists before it only counts them."""

_ARTICLES = ("a ", "an ", "the ")


def toml_files(path: Path) -> list[tuple[Path, dict[str, Any]]]:
    """The TOML files of a folder in the order of their names, or the one file, with their content."""
    if path.is_dir():
        files = sorted(file for file in path.iterdir() if file.suffix == ".toml")
        if not files:
            raise BadInput(f"{path} holds no .toml file; a dictionary is a TOML file or a folder of them")
    elif path.is_file():
        files = [path]
    else:
        raise BadInput(f"there is no dictionary {path}; give a TOML file or a folder of them")
    contents = []
    for file in files:
        try:
            contents.append((file, read_toml(read_text(file, LARGEST))))
        except Malformed as error:
            raise BadInput(f"{file} is not TOML: {error}") from None
    return contents


def check_kinds(contents: Iterable[tuple[Path, Mapping[str, Any]]], known: Collection[str]) -> Iterator[Flaw]:
    """Flaws for what a file has at its top level and no dictionary of this sort has."""
    for file, content in contents:
        for name in content:
            if name not in known:
                yield Flaw(str(file), f"{unknown('kind of entry', name, known)}; rename it or take it out")


def rows_of(
    contents: Iterable[tuple[Path, Mapping[str, Any]]], name: str, known: Collection[str], titled: str = "name"
) -> Iterator[DataRow]:
    """The entries of one kind, from all files; keys that no entry of this kind has are flaws."""
    for file, content in contents:
        entries = content.get(name, [])
        if not isinstance(entries, list):
            yield broken(str(file), f"{name!r} is a {toml_kind(entries)}, not a list of [[{name}]]", file.parent)
            continue
        for number, fields in enumerate(entries, start=1):
            where = f"{file} {name} {number}"
            if not isinstance(fields, dict):
                yield broken(where, f"the entry is a {toml_kind(fields)}, not a table", file.parent)
                continue
            title = fields.get(titled)
            title = title[0] if isinstance(title, list) and title else title
            shown = f" ({title.strip()[:60]!r})" if isinstance(title, str) and title.strip() else ""
            row = DataRow(where + shown, fields, file.parent)
            row.check_texts()
            for key in fields:
                if key not in known:
                    row.flaw(f"{unknown('key', key, known)}; rename it or take it out")
            yield row


def texts(row: DataRow, name: str, least: int = 1) -> tuple[str, ...]:
    """A list of texts, none of them empty and none twice; a flaw for each that is not so."""
    value = row.fields.get(name, [])
    if not isinstance(value, list):
        row.flaw(f"field {name!r} is a {toml_kind(value)}, not a list of texts")
        return ()
    kept = []
    for number, item in enumerate(value, start=1):
        if not isinstance(item, str):
            row.flaw(f"field {name!r}, item {number} is a {toml_kind(item)}, not a text")
        elif not item.strip():
            row.flaw(f"field {name!r}, item {number} is empty; write it or take it out")
        else:
            kept.append(" ".join(item.split()))
    if len(kept) < least and not row.flaws:
        row.flaw(f"field {name!r} has {len(kept)} items and needs at least {least}")
    return tuple(kept)


def choices(row: DataRow, name: str, known: Collection[str], least: int = 1) -> tuple[str, ...]:
    """A list of names, all of them known; one that stands twice counts once."""
    chosen = dict.fromkeys(map(tag_name, texts(row, name, least)))
    for one in chosen:
        if one not in known:
            row.flaw(f"field {name!r}: {unknown(name.rstrip('s'), one, known)}")
    return tuple(one for one in chosen if one in known)


def table(row: DataRow, name: str) -> Mapping[str, Any]:
    """A table inside an entry; empty where there is none."""
    value = row.fields.get(name, {})
    if not isinstance(value, dict):
        row.flaw(f"field {name!r} is a {toml_kind(value)}, not a table")
        return {}
    return value


def name_key(text: str) -> str:
    """What two spellings of one name have in common: no case, no article, no hyphen, every word in the singular.

    >>> name_key("The Glass  Jars") == name_key("glass jar"), name_key("Candy-Boxes"), name_key("a berry")
    (True, 'candy box', 'berry')
    """
    plain = re.sub(r"[\s\-_]+", " ", text.strip().casefold().replace("’", "'"))
    for article in _ARTICLES:
        plain = plain.removeprefix(article)
    return " ".join(_singular(word) for word in plain.split())


def _singular(word: str) -> str:
    """A word without the ending of a plural, as far as spelling tells.

    >>> [_singular(word) for word in ("boxes", "berries", "cups", "glass", "cactus", "dishes", "axes", "shoes")]
    ['box', 'berry', 'cup', 'glass', 'cactus', 'dish', 'axe', 'shoe']
    """
    if len(word) <= 3 or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "sses", "zzes")) or (word.endswith("xes") and len(word) > 4):
        return word[:-2]
    return word[:-1] if word.endswith("s") else word


def repeats(entries: Iterable[tuple[str, str]], what: str) -> Iterator[Flaw]:
    """Flaws for names that stand twice, also in another case or number; each entry is (where, name)."""
    seen: dict[str, tuple[str, str]] = {}
    for where, name in entries:
        first_where, first = seen.setdefault(name_key(name), (where, name))
        if (first_where, first) != (where, name):
            yield Flaw(where, f"the {what} {name!r} is the same as {first!r} in {first_where}; keep one of the two")


def repeated_within(where: str, names: Sequence[str], what: str) -> Iterator[Flaw]:
    """Flaws for names that stand twice in one list."""
    return repeats(((f"{where}, item {number}", name) for number, name in enumerate(names, start=1)), what)


def balance(counts: Mapping[str, int], where: str, what: str, of: str) -> Iterator[Flaw]:
    """Flaws for those that have less than half as many as the mean.

    >>> [flaw.what for flaw in balance({"time": 8, "light": 8, "break": 2}, "words.toml", "objects", "mode")]
    ["the mode 'break' has 2 objects, less than half of the mean 6; add at least 2"]
    """
    mean = sum(counts.values()) / len(counts) if counts else 0.0
    for name, count in counts.items():
        if 2 * count < mean:
            missing = _missing(counts, name)
            yield Flaw(where, f"the {of} {name!r} has {count} {what}, less than half of the mean {mean:g}; "
                              f"add at least {missing}")  # fmt: skip


def _missing(counts: Mapping[str, int], name: str) -> int:
    """How many more one needs to have half of the mean, which grows with them."""
    total, own, many = sum(counts.values()), counts[name], len(counts)
    more = 0
    while 2 * (own + more) * many < total + more:
        more += 1
    return more


def raise_flaws(flaws: Sequence[Flaw], what: str) -> None:
    """BadInput that lists the flaws, if there are any."""
    if not flaws:
        return
    lines = [str(flaw).rstrip(".") for flaw in flaws[:MOST_SHOWN]]
    if len(flaws) > MOST_SHOWN:
        lines.append(f"and {len(flaws) - MOST_SHOWN:,} more")
    raise BadInput(f"{what} cannot be used: " + "; ".join(lines))
