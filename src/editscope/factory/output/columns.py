"""Columns of an export: which fields of records become which features of `datasets`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from editscope.errors import BadInput
from editscope.factory.blobs import ENDINGS, BlobGone, BlobStore
from editscope.factory.records import BLOB, Record

if TYPE_CHECKING:
    import pyarrow as pa

COLUMN_TYPES = ("text", "number", "picture", "pictures", "video", "texts", "json")
PROVENANCE = ("id", "source_id", "history")
"""Columns of every export: the id of the record, what it shares with others of the same source, and how it was made."""
LARGEST = 1 << 63
Read: TypeAlias = Callable[[Mapping[str, Any]], bytes]


@dataclass(frozen=True, slots=True)
class ExportColumn:
    """A field with its type. ``whole`` numbers have no fraction; an ``optional`` field may be missing."""

    name: str
    type: str
    optional: bool = False
    whole: bool = False

    @property
    def feature(self) -> Any:
        """The feature of `datasets`, as JSON has it."""
        value = {"dtype": self._dtype, "_type": "Value"}
        made: dict[str, Any] = {
            "picture": {"_type": "Image"},
            "pictures": [{"_type": "Image"}],
            "video": {"_type": "Video"},
            "texts": [value],
        }
        return made.get(self.type, value)

    @property
    def yaml(self) -> dict[str, str]:
        """The feature as a data card has it."""
        names = {"picture": "image", "video": "video"}
        if self.type in ("pictures", "texts"):
            return {"name": self.name, "sequence": "image" if self.type == "pictures" else "string"}
        return {"name": self.name, "dtype": names.get(self.type, self._dtype)}

    @property
    def _dtype(self) -> str:
        return "string" if self.type != "number" else "int64" if self.whole else "float64"

    @property
    def arrow(self) -> pa.DataType:
        """The type in Arrow."""
        import pyarrow as pa

        picture = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
        made = {
            "picture": picture,
            "video": picture,
            "pictures": pa.list_(picture),
            "texts": pa.list_(pa.string()),
            "number": pa.int64() if self.whole else pa.float64(),
        }
        return made.get(self.type, pa.string())

    def cell(self, record: Record, read: Read) -> Any:
        """The value of a record in this column; ``read`` gives the bytes of a blob."""
        value = record.fields.get(self.name)
        if value is None:
            return None
        if self.type in ("picture", "video"):
            return _embedded(value, f"{record.id}.{self.name}", read)
        if self.type == "pictures":
            listed = [value] if isinstance(value, Mapping) else value
            return [_embedded(blob, f"{record.id}.{self.name}.{n}", read) for n, blob in enumerate(listed)]
        if self.type == "json":
            return as_json(value)
        if self.type == "number":
            return int(value) if self.whole else float(value)
        return value if self.type == "texts" or isinstance(value, str) else as_json(value)

    def check(self, record: Record, blobs: BlobStore) -> None:
        """Raise BadInput where a record does not have what the column says."""
        value, where = record.fields.get(self.name), f"record {record.id}, column {self.name!r}"
        if value is None:
            if not self.optional:
                raise BadInput(
                    f"{where}: the record has no such field; make it in a step, or allow it to be missing with "
                    f"{self.name} = '{self.type}?'"
                )
            return
        kind = kind_of(value)
        fits = {
            "text": kind not in _BLOBS,
            "number": kind == "number" and abs(value) < LARGEST,
            "picture": kind == "picture",
            "pictures": kind in ("picture", "pictures", "empty"),
            "video": kind == "video",
            "texts": kind in ("texts", "empty"),
            "json": True,
        }
        if not fits[self.type]:
            shown = as_json(value)
            raise BadInput(f"{where}: {shown[:80]} is not a {self.type}; correct the type under [output] columns")
        for blob in (value if isinstance(value, list) else [value]) if self.type in _BLOBS else ():
            if blobs.is_gone(blob):
                raise BadInput(f"{where}: {BlobGone(blobs.path(blob))}")


_BLOBS = ("picture", "pictures", "video")


def kind_of(value: Any) -> str:
    """The type of column that a value fits; "" for a list without entries.

    >>> [kind_of(one) for one in ("a", 3, ["a"], {"blob": "ab", "type": "image/png"}, [], {"a": 1}, True)]
    ['text', 'number', 'texts', 'picture', 'empty', 'json', 'json']
    """
    if isinstance(value, str):
        return "text"
    if isinstance(value, int | float) and not isinstance(value, bool):
        return "number"
    if isinstance(value, Mapping) and isinstance(value.get(BLOB), str):
        return "video" if str(value.get("type", "")).startswith("video/") else "picture"
    if isinstance(value, list):
        kinds = {kind_of(one) for one in value}
        return {"text": "texts", "picture": "pictures"}.get(kinds.pop(), "json") if len(kinds) == 1 else (
            "json" if kinds else "empty"
        )  # fmt: skip
    return "json"


@dataclass(slots=True)
class FieldSurvey:
    """What the fields of all records hold, from which columns follow."""

    kinds: dict[str, set[str]] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    fractions: set[str] = field(default_factory=set)
    large: set[str] = field(default_factory=set)
    records: int = 0

    def add(self, record: Record) -> None:
        """Look at a record."""
        self.records += 1
        for name, value in record.fields.items():
            if value is None:
                continue
            kind = kind_of(value)
            self.kinds.setdefault(name, set()).add(kind)
            self.counts[name] = self.counts.get(name, 0) + 1
            if kind == "number":
                if isinstance(value, float):
                    self.fractions.add(name)
                elif abs(value) >= LARGEST:
                    self.large.add(name)

    def columns(self, given: Mapping[str, str], *, videos: bool) -> list[ExportColumn]:
        """The columns that a plan gives; without any, one for each field, in the order of names."""
        if given:
            return [self._column(name, type_.removesuffix("?"), type_.endswith("?")) for name, type_ in given.items()]
        found = []
        for name in sorted(self.kinds):
            type_ = self._type(name)
            if name in PROVENANCE or (type_ == "video" and not videos):
                continue
            found.append(self._column(name, type_, self.counts[name] < self.records))
        return found

    def _column(self, name: str, type_: str, optional: bool) -> ExportColumn:
        return ExportColumn(name, type_, optional, type_ == "number" and name not in self.fractions)

    def _type(self, name: str) -> str:
        kinds = self.kinds[name] - {"empty"} or {"json"}
        if name in self.large:
            return "text"
        if kinds == {"picture", "pictures"}:
            return "pictures"
        if len(kinds) > 1 or ("empty" in self.kinds[name] and not kinds & {"texts", "pictures"}):
            return "json"
        return next(iter(kinds))


def as_json(value: Any) -> str:
    """A value as JSON, always the same for equal values."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def history_of(record: Record) -> str:
    """How a record was made, as JSON: for each step that noted something, its model, snapshot and prompt."""
    return as_json([{"step": step, **notes} for step, notes in record.history])


def arrow_schema(columns: Iterable[ExportColumn]) -> pa.Schema:
    """The schema of an export, with the features that `datasets` reads from it."""
    import pyarrow as pa

    listed = [*(ExportColumn(name, "text") for name in PROVENANCE), *columns]
    features = {column.name: column.feature for column in listed}
    return pa.schema(
        [(column.name, column.arrow) for column in listed],
        metadata={"huggingface": json.dumps({"info": {"features": features}})},
    )


def _embedded(blob: Mapping[str, Any], name: str, read: Read) -> dict[str, Any]:
    return {"bytes": read(blob), "path": f"{name.replace('/', '_')}{ENDINGS[str(blob['type'])]}"}
