"""Records from a list: a file of JSON lines or CSV, with pictures beside it."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar

from editscope.documents import Malformed, read_json
from editscope.errors import BadInput
from editscope.factory.records import Fields
from editscope.factory.sources.base import RecordSource
from editscope.factory.sources.pictures import picture_blob
from editscope.factory.steps.tools import Tools
from editscope.files import DOCUMENT, lies_in, read_file


class ListSource(RecordSource):
    """The rows of a file. Fields that ``pictures`` names are paths relative to the file, and become blobs.

    A row is known by the fields that ``key`` names, else by its field ``id``, else by all of its fields.
    """

    settings_of: ClassVar = {"path": "", "pictures": [], "key": []}

    def __init__(self, settings: Mapping[str, Any]) -> None:
        super().__init__(settings)
        self.named_by = tuple(self.settings["key"]) or self.named_by

    def identity(self, tools: Tools) -> Any:
        """The settings, and a hash of the file."""
        return [*super().identity(tools), sha256(self._data(tools)).hexdigest()]

    def count(self, tools: Tools) -> int | None:
        """How many rows there are."""
        return sum(1 for _ in rows_of_file(self._path(tools), self._data(tools)))

    def records(self, tools: Tools, start: int = 0) -> Iterator[Fields]:
        """The rows."""
        path = self._path(tools)
        for number, row in islice(rows_of_file(path, self._data(tools)), start, None):
            for name in self.settings["key"]:
                if row.get(name) is None:
                    raise BadInput(f"{path} line {number}: the field {name!r} is missing, which the source's key names")
            yield {**row, **self._pictures(path, number, row, tools)}

    def _pictures(self, path: Path, number: int, row: Fields, tools: Tools) -> dict[str, Any]:
        made = {}
        for name in self.settings["pictures"]:
            place = row.get(name)
            if not isinstance(place, str) or not place:
                raise BadInput(f"{path} line {number}: the field {name!r} names no picture; write a path")
            if Path(place).is_absolute() or not lies_in(path.parent / place, path.parent):
                raise BadInput(f"{path} line {number}: {place!r} leaves the folder; use a path inside it")
            made[name] = picture_blob(path.parent / place, tools)
        return made

    def _path(self, tools: Tools) -> Path:
        if not self.settings["path"]:
            raise BadInput("the source needs a path: source = { use = 'list', path = 'records.jsonl' }")
        return tools.folder / str(self.settings["path"])

    def _data(self, tools: Tools) -> bytes:
        path = self._path(tools)
        try:
            return read_file(path, DOCUMENT)
        except OSError as error:
            raise BadInput(f"{path} cannot be read ({error.strerror}); check the path of the source") from error


def rows_of_file(path: Path, data: bytes) -> Iterator[tuple[int, Fields]]:
    """The rows of a file with their lines: of CSV, unless its name says that it is JSON."""
    rows = _json_rows if path.suffix in (".jsonl", ".json", ".ndjson") else _csv_rows
    return rows(path, data)


def _json_rows(path: Path, data: bytes) -> Iterator[tuple[int, Fields]]:
    for number, line in enumerate(data.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            row = read_json(line)
        except Malformed as error:
            raise BadInput(f"{path} line {number} is not JSON ({error}); write one object a line") from error
        if not isinstance(row, dict):
            raise BadInput(f"{path} line {number} is not an object; write one object a line")
        yield number, row


def _csv_rows(path: Path, data: bytes) -> Iterator[tuple[int, Fields]]:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(f"{path} is not UTF-8 text ({error.reason}); save it as UTF-8") from error
    reader = csv.DictReader(io.StringIO(text, newline=""))
    try:
        names = reader.fieldnames or ()
        if not names:
            raise BadInput(
                f"{path} is empty; write the names of columns into its first line, and a record a line below"
            )
        if twice := [name for place, name in enumerate(names) if name in names[:place]]:
            raise BadInput(f"{path} line 1 has two columns {twice[0]!r}; give each its own name")
        for row in reader:
            if None in row or None in row.values():
                raise BadInput(
                    f"{path} line {reader.line_num} has other columns than the first line; add what is missing"
                )
            yield reader.line_num, dict(row)
    except csv.Error as error:
        raise BadInput(
            f"{path} line {reader.line_num + 1} is not CSV ({error}); close its quotes, or use JSON lines for long text"
        ) from error
