"""Queues of records for people to review: a folder with ``queue.jsonl``, and its pictures beside it.

A record has an ``id``, ``pictures`` by name with paths relative to the folder, ``texts`` by name, which a reviewer may
edit, ``fields`` that are shown as they are, and ``provenance``: where it comes from.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from editscope.documents import Malformed, read_json, read_toml
from editscope.errors import BadInput
from editscope.files import DOCUMENT, SETTINGS, lies_in, open_file, read_file
from editscope.outside import is_text

if TYPE_CHECKING:
    from pydantic import BaseModel

QUEUE, SETTINGS_FILE, DECISIONS_FILE = "queue.jsonl", "queue.toml", "decisions.jsonl"
ACCEPT, REJECT, PENDING = "accept", "reject", "pending"
LONGEST_LINE = 1 << 20
REASONS = ("wrong edit", "bad picture", "wrong text", "unsafe", "duplicate", "other")


@dataclass(frozen=True, slots=True)
class QueueRecord:
    """One record of a queue; ``fingerprint`` changes with anything in it."""

    id: str
    pictures: Mapping[str, str] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    fields: Mapping[str, Any] = field(default_factory=dict)
    provenance: Mapping[str, Any] = field(default_factory=dict)

    def as_json(self) -> str:
        """The record as a line of ``queue.jsonl``."""
        about = {"id": self.id, "pictures": dict(self.pictures), "texts": dict(self.texts)}
        return json.dumps({**about, "fields": dict(self.fields), "provenance": dict(self.provenance)})

    @property
    def fingerprint(self) -> str:
        """A hash of all that a reviewer sees."""
        return sha256(self.as_json().encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class QueueSettings:
    """What ``queue.toml`` may say: a title, a guide for reviewers, reviews that each record gets, reasons to reject."""

    title: str = ""
    guide: str = ""
    reviews: int = 2
    reasons: tuple[str, ...] = REASONS


def write_queue(folder: Path, records: Iterable[QueueRecord]) -> Path:
    """Add records to the queue of a folder, which is made where there is none."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / QUEUE).open("a", encoding="utf-8") as file:
        for record in records:
            file.write(record.as_json() + "\n")
    return folder / QUEUE


def read_queue(folder: Path) -> list[QueueRecord]:
    """All records of a folder's queue; BadInput names file, line, field and fix. A torn last line is left out."""
    path = folder / QUEUE
    records: list[QueueRecord] = []
    lines: dict[str, int] = {}
    for number, line in _lines(path):
        where = f"{path} line {number}"
        try:
            found = read_json(line)
        except Malformed as error:
            if not line.endswith(b"\n"):
                break  # somebody is still writing it
            raise BadInput(f"{where} is not JSON ({error}); write one object a line") from error
        record = _record(where, found, folder)
        if record.id in lines:
            raise BadInput(f"{where}: the id {record.id!r} is that of line {lines[record.id]} too; give each its own")
        lines[record.id] = number
        records.append(record)
    return records


@dataclass(frozen=True, slots=True)
class ReviewOutcome:
    """What people made of a record: accept, reject, or still pending; its texts as they were accepted.

    ``fingerprint`` is that of the record which they saw.
    """

    id: str
    outcome: str
    texts: Mapping[str, str] = field(default_factory=dict)
    reason: str = ""
    fingerprint: str = ""


def read_decisions(folder: Path) -> dict[str, ReviewOutcome]:
    """What people decided on the records of a queue, by id, as the studio writes it; empty before that."""
    path = folder / DECISIONS_FILE
    if not path.is_file():
        return {}
    found: dict[str, ReviewOutcome] = {}
    for number, line in _lines(path):
        try:
            row = read_json(line)
            made = ReviewOutcome(row["id"], row["outcome"], row["texts"], fingerprint=row["fingerprint"])
            reasons = [one["reason"] for one in row["decisions"] if one["decision"] == REJECT and one["reason"]]
        except (Malformed, KeyError, TypeError) as error:
            raise BadInput(f"{path} line {number} is not a decision; let the studio write the file again") from error
        found[made.id] = replace(made, reason=reasons[-1] if reasons else "")
    return found


def read_settings(folder: Path) -> QueueSettings:
    """What ``queue.toml`` says; the defaults where there is none."""
    path = folder / SETTINGS_FILE
    if not path.is_file():
        return QueueSettings()
    try:
        found = read_toml(read_file(path, SETTINGS).decode("utf-8"))
    except (Malformed, UnicodeDecodeError) as error:
        raise BadInput(f"{path} is not TOML ({error}); write it again") from error
    checked = _checked(_settings_model(), found, str(path))
    return QueueSettings(**{**checked, "reasons": tuple(checked["reasons"])})


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    try:
        with open_file(path) as file:
            for number, line in enumerate(iter(lambda: file.readline(LONGEST_LINE + 1), b""), start=1):
                if len(line) > LONGEST_LINE:
                    raise BadInput(f"{path} line {number} is longer than {LONGEST_LINE >> 20} MiB; shorten it")
                if file.tell() > DOCUMENT:
                    raise BadInput(f"{path} is larger than {DOCUMENT >> 30} GiB; make several queues")
                if line.strip():
                    yield number, line
    except OSError as error:
        raise BadInput(f"{path} cannot be read ({error.strerror}); check the folder") from error


def _record(where: str, found: Any, folder: Path) -> QueueRecord:
    values = _checked(_record_model(), found, where)
    for name, text in (("id", values["id"]), *values["texts"].items()):
        if not is_text(text):
            raise BadInput(f"{where}, field {name!r} holds a NUL or half of a character; write it again")
    for name, place in values["pictures"].items():
        if not place or "\0" in place or Path(place).is_absolute() or not lies_in(folder / place, folder):
            raise BadInput(f"{where}, field 'pictures.{name}': {place!r} leaves the folder; use a path inside it")
    return QueueRecord(**values)


def _checked(model: type[BaseModel], found: Any, where: str) -> dict[str, Any]:
    from pydantic import ValidationError

    try:
        return model.model_validate(found).model_dump()
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(map(str, first["loc"])) or "the object"
        raise BadInput(f"{where}, field {name!r}: {first['msg']}; see the format of a queue") from error


def _record_model() -> type[BaseModel]:
    from pydantic import BaseModel, ConfigDict, Field

    class RecordFields(BaseModel):
        model_config = ConfigDict(extra="forbid", strict=True)
        id: str = Field(min_length=1, max_length=200)
        pictures: dict[str, str] = Field(default_factory=dict, max_length=12)
        texts: dict[str, str] = Field(default_factory=dict, max_length=40)
        fields: dict[str, Any] = Field(default_factory=dict, max_length=100)
        provenance: dict[str, Any] = Field(default_factory=dict, max_length=100)

    return RecordFields


def _settings_model() -> type[BaseModel]:
    from pydantic import BaseModel, ConfigDict, Field

    class SettingsFields(BaseModel):
        model_config = ConfigDict(extra="forbid", strict=True)
        title: str = Field(default="", max_length=200)
        guide: str = Field(default="", max_length=20_000)
        reviews: int = Field(default=2, ge=1, le=5)
        reasons: list[str] = Field(default=list(REASONS), min_length=1, max_length=30)

    return SettingsFields
