"""Rows of a data file; every flaw is noted with file, row and fix, and reading goes on."""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from editscope.documents import Malformed, Twice, read_json
from editscope.errors import BadImage, BadInput, unknown
from editscope.files import DOCUMENT, read_file
from editscope.images import probe
from editscope.outside import is_text


@dataclass(frozen=True, slots=True)
class Flaw:
    """Something in a dataset that cannot be used: where it stands, and what is wrong and how to mend it."""

    where: str
    what: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"


@dataclass(frozen=True, slots=True, eq=False)
class DataRow:
    """One record of a data file. Asking it for a field that is not as it should be adds a flaw and goes on."""

    where: str
    fields: Mapping[str, Any]
    root: Path
    """The folder that its paths are relative to and must not leave."""
    flaws: list[Flaw] = field(default_factory=list)
    oddities: list[Flaw] = field(default_factory=list)
    """What a user should know of, though the row can be used."""

    def flaw(self, what: str) -> None:
        """Note that something in this row cannot be used."""
        self.flaws.append(Flaw(self.where, what))

    def odd(self, what: str) -> None:
        """Note something that a user should know of, though the row can be used."""
        self.oddities.append(Flaw(self.where, what))

    def check_texts(self) -> None:
        """Add a flaw for each field with a text that no file can hold: half of a character, or a NUL."""
        for name in unfit_fields(self.fields):
            self.flaw(f"field {name!a} holds a NUL or half of a character (a lone surrogate); write it again")

    def has(self, name: str) -> bool:
        """Whether a field is there and not empty."""
        value = self.fields.get(name)
        return value is not None and (not isinstance(value, str) or bool(value.strip()))

    def text(self, name: str, default: str | None = None) -> str:
        """A text; a flaw where it is missing and there is no default, or where it is something else."""
        if not self.has(name):
            if default is None:
                self.flaw(f"field {name!r} is missing or empty; give it a text")
            return default or ""
        value = self.fields[name]
        if not isinstance(value, str):
            self.flaw(f"field {name!r} is a {kind(value)}, not a text")
            return default or ""
        return value.strip()

    def identifier(self, name: str) -> str:
        """An id: a text or a whole number that can stand in the path of a file."""
        value = self.fields.get(name)
        if isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        value = value.strip() if isinstance(value, str) else ""
        if not value:
            self.flaw(f"field {name!r} is missing or empty; give every row an id of its own")
        elif not re.fullmatch(r"[^\\/\x00-\x1f\x7f\ud800-\udfff]{1,120}", value) or value.strip(".") == "":
            self.flaw(f"{name} {value!r} cannot name a file; use letters, digits, '-' and '_'")
        return value

    def choice(self, name: str, known: Sequence[str], also: Mapping[str, str] | None = None) -> str:
        """A text that is one of the known names, however it is written; ``also`` maps other names to them."""
        written = self.text(name)
        if not written:
            return ""
        chosen = tag_name(written)
        chosen = (also or {}).get(chosen, chosen)
        if chosen not in known:
            self.flaw(f"field {name!r}: {unknown(name, written, known)}")
        return chosen

    def picture(self, name: str, value: Any = None) -> Path:
        """The path of a picture that is there, can be read and lies under the root; ``value`` if not the field."""
        return self.measured(name, value)[0]

    def measured(self, name: str, value: Any = None) -> tuple[Path, tuple[int, int]]:
        """A picture as ``picture`` gives it, with its width and height; a flaw, and nothing, where it is not usable."""
        value = self.fields.get(name) if value is None else value
        if not isinstance(value, str) or not value.strip():
            self.flaw(f"field {name!r} holds no path of a picture")
            return self.root, (0, 0)
        path = inside(self.root, value.strip())
        if path is None:
            self.flaw(f"field {name!r}: {value!r} leaves the data folder {self.root}; paths are relative to it")
            return self.root, (0, 0)
        try:
            return path, probe(path)
        except BadImage as error:
            self.flaw(f"field {name!r}: {error}")
            return path, (0, 0)


def inside(root: Path, text: str) -> Path | None:
    """The path that a data file gives, under its root; None where it would leave it.

    >>> inside(Path("data"), "images/1.png").as_posix(), inside(Path("data"), "../secret.png")
    ('data/images/1.png', None)
    """
    if "\x00" in text:
        return None
    # Links are followed: a folder that the hub's cache made consists of them, and no row of data can make one.
    path = Path(os.path.normpath(root / text))
    return path if path.is_relative_to(os.path.normpath(root)) else None


def unfit_fields(fields: Mapping[str, Any]) -> list[str]:
    """The fields in whose names or values, however deep, there is a text that cannot be kept as it is.

    JSON can smuggle in halves of characters. Names that begin with a NUL are our own, and no file has them.

    >>> unfit_fields({"id": "a", "tags": {"task": ["b\\ud800"]}, "hint": "c\\0", "d\\udfff": 1})
    ['tags', 'hint', 'd\\udfff']
    """
    return [
        name for name, value in fields.items() if not name.startswith("\0") and not (is_text(name) and _is_fit(value))
    ]


def _is_fit(value: Any) -> bool:
    if isinstance(value, str):
        return is_text(value)
    if isinstance(value, Mapping):
        return all(is_text(str(name)) and _is_fit(one) for name, one in value.items())
    return all(map(_is_fit, value)) if isinstance(value, list | tuple) else True


def tag_name(text: str) -> str:
    """A name as tags have it: lower case, words joined by an underscore.

    >>> tag_name("Light Source-Effects ")
    'light_source_effects'
    """
    return re.sub(r"[\s_\-]+", "_", text.strip().lower()).strip("_")


def kind(value: Any) -> str:
    """What a value from JSON is, in words that follow "a".

    >>> kind([1]), kind({}), kind(None), kind(1.5)
    ('list', 'JSON object', 'null', 'number')
    """
    names = {dict: "JSON object", list: "list", bool: "truth value", int: "number", float: "number", str: "text"}
    return "null" if value is None else names.get(type(value), type(value).__name__)


def read_text(path: Path, limit: int = DOCUMENT) -> str:
    """A text file in UTF-8, with or without byte order mark; BadInput where it is something else."""
    data = b""
    try:
        data = read_file(path, limit)
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise BadInput(f"{path} is not UTF-8 (line {line}, byte {error.start}); save it as UTF-8") from error
    except FileNotFoundError as error:
        raise BadInput(f"{path} is missing; check that the dataset was copied whole") from error
    except OSError as error:
        raise BadInput(f"{path} cannot be read ({error.strerror}); check the path") from error


def json_list(path: Path, root: Path, id_field: str = "index") -> Iterator[DataRow]:
    """The objects of a JSON file that holds a list of them."""
    try:
        content = read_json(read_text(path))
    except Malformed as error:
        raise BadInput(f"{path} is not JSON ({error}); write it again") from error
    if not isinstance(content, list):
        raise BadInput(f"{path} holds a {kind(content)}, not a list of cases")
    for number, fields in enumerate(content, start=1):
        yield _object_row(path, number, fields, root, id_field)


def json_lines(path: Path, root: Path, id_field: str = "id") -> Iterator[DataRow]:
    """The objects of a file with one JSON object a line; blank lines are skipped, broken ones are flaws."""
    number = 0
    for line, text in enumerate(read_text(path).split("\n"), start=1):
        if not text.strip():
            continue
        number += 1
        try:
            fields = read_json(text)
        except Twice as error:
            reason = f"the key {error.key!r} stands twice in one object of this line; keep one of them"
            yield broken(f"{path} row {number} (line {line})", reason, root)
            continue
        except Malformed as error:
            yield broken(f"{path} row {number} (line {line})", f"this line is not JSON ({error})", root)
            continue
        yield _object_row(path, number, fields, root, id_field, f" (line {line})" if line != number else "")


def csv_rows(path: Path, root: Path, columns: Iterable[str], id_field: str = "idx") -> Iterator[DataRow]:
    """The records of a CSV file with a header that has at least these columns."""
    try:
        reader = csv.reader(io.StringIO(read_text(path), newline=""), strict=True)
        header = [name.strip() for name in next(reader, [])]
    except BadInput as error:
        yield DataRow(str(path), {}, root, [Flaw(str(path), str(error).removeprefix(f"{path} "))])
        return
    except csv.Error as error:
        yield broken(f"{path} line 1", f"the header is broken ({error})", root)
        return
    missing = [name for name in columns if name not in header]
    if missing:
        names = ", ".join(filter(None, header)) or "none"
        yield broken(str(path), f"the header lacks {', '.join(map(repr, missing))} (it has: {names})", root)
        return
    number, line = 0, reader.line_num
    while True:
        where = f"{path} row {number + 1} (line {line + 1})"
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield broken(where, f"the row is broken ({error}); close its quotes. The rows after it are not read", root)
            return
        line = reader.line_num
        if not any(cell.strip() for cell in cells):
            continue
        number += 1
        if len(cells) != len(header):
            counts = f"{len(cells)} cells, the header {len(header)}"
            yield broken(where, f"the row has {counts}; put what has commas in quotes", root)
            continue
        fields = dict(zip(header, cells, strict=True))
        yield DataRow(where + _named(fields, id_field), fields, root)


def broken(where: str, what: str, root: Path) -> DataRow:
    """A row that could not be read at all."""
    return DataRow(where, {}, root, [Flaw(where, what)])


def _object_row(path: Path, number: int, fields: Any, root: Path, id_field: str, line: str = "") -> DataRow:
    where = f"{path} row {number}{line}"
    if not isinstance(fields, dict):
        return broken(where, f"the row is a {kind(fields)}, not an object", root)
    return DataRow(where + _named(fields, id_field), fields, root)


def _named(fields: Mapping[str, Any], id_field: str) -> str:
    value = fields.get(id_field)
    text = str(value).strip()[:60] if isinstance(value, str | int) else ""
    return f", {id_field} {text if text.isprintable() else ascii(text)}" if text else ""
