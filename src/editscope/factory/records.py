"""Records of a pipeline: fields that steps add to, an id that says where a record comes from, and its history."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, TypeAlias

from editscope.cases import NOTHING

Fields: TypeAlias = Mapping[str, Any]
"""Values by name, as JSON has them; a picture or a video is ``{"blob": SHA-256, "type": MIME}``."""
BLOB = "blob"
PLAIN = (str, int, float, type(None))
"""What holds no blobs; nearly all values of records are such."""


@dataclass(frozen=True, slots=True)
class Record:
    """One record on its way through the steps.

    ``id`` stands for what the source gave (see ``RecordNames``), with the number of the part for each step that
    expanded it: ``5c1f0e92a7d4.3``.
    ``history`` has, for each step that noted something (a model, the hash of a prompt), what it noted.
    """

    id: str
    fields: Fields = field(default_factory=lambda: NOTHING)
    history: tuple[tuple[str, Fields], ...] = ()

    def changed(self, fields: Fields, step: str, notes: Fields = NOTHING, part: int | None = None) -> Record:
        """The record after a step: with these fields, without those that are None now.

        >>> Record("5c1f", {"law": "optics", "draft": "…"}).changed({"text": "A cup", "draft": None}, "write", part=2)
        Record(id='5c1f.2', fields={'law': 'optics', 'text': 'A cup'}, history=())
        """
        merged = {**self.fields, **fields} if fields else self.fields
        if any(value is None for value in fields.values()):
            merged = {name: value for name, value in merged.items() if value is not None}
        history = (*self.history, (step, notes)) if notes else self.history
        return Record(self.id if part is None else f"{self.id}.{part}", merged, history)

    def to_json(self) -> list[Any]:
        """The record as a store keeps it."""
        return [self.id, dict(self.fields), [[step, dict(notes)] for step, notes in self.history]]

    @classmethod
    def from_json(cls, kept: list[Any]) -> Record:
        """A record that a store kept."""
        name, fields, history = kept
        return cls(name, fields, tuple((step, notes) for step, notes in history))


def canonical(value: Any) -> bytes:
    """The bytes of a JSON value that are the same for equal values, whatever the order of names.

    >>> canonical({"b": 1, "a": "ü"})
    b'{"a":"\\xc3\\xbc","b":1}'
    """
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode("utf-8", "surrogatepass")


def digest(*values: Any) -> bytes:
    """16 bytes that stand for some JSON values."""
    hashed = blake2b(digest_size=16)
    for value in values:
        hashed.update(value if isinstance(value, bytes) else canonical(value))
        hashed.update(b"\x1e")
    return hashed.digest()


class RecordNames:
    """Ids of the records that a source gives, from first to last.

    An id comes from what names a record, not from its place, so a row that is added, moved or removed leaves the ids
    of the others as they are. Records with equal names are numbered.

    >>> names = RecordNames()
    >>> [names.add({"word": word}) for word in ("cup", "lamp", "cup")]
    ['09faddf9797a', 'fd32a1983edf', '09faddf9797a-2']
    >>> RecordNames(RecordNames.packed(["fd32a1983edf", "09faddf9797a"])).add({"word": "cup"})
    '09faddf9797a-2'
    """

    SIZE = 6
    """Bytes that an id shows."""

    def __init__(self, before: bytes = b"") -> None:
        self._times = Counter(before[start : start + self.SIZE] for start in range(0, len(before), self.SIZE))

    def add(self, naming: Any) -> str:
        """The id of the next record, from what names it."""
        name = digest(naming)[: self.SIZE]
        self._times[name] += 1
        times = self._times[name]
        return name.hex() if times == 1 else f"{name.hex()}-{times}"

    @classmethod
    def packed(cls, ids: Iterable[str]) -> bytes:
        """Ids of records, ``SIZE`` bytes each: what ``RecordNames`` wants to know of records that came before."""
        return b"".join(bytes.fromhex(name[: 2 * cls.SIZE]) for name in ids)


def blobs_in(value: Any) -> Iterator[Mapping[str, Any]]:
    """All blobs that a value holds.

    >>> fields = {"picture": {"blob": "ab", "type": "image/png"}, "frames": [{"blob": "cd"}]}
    >>> [blob["blob"] for blob in blobs_in(fields)]
    ['ab', 'cd']
    """
    if isinstance(value, Mapping):
        if isinstance(value.get(BLOB), str):
            yield value
            return
        value = list(value.values())
    if isinstance(value, list | tuple):
        for inner in value:
            if not isinstance(inner, PLAIN):
                yield from blobs_in(inner)
