"""Records of a pipeline: fields that steps add to, an id that says where a record comes from, and its history."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, TypeAlias

from editscope.cases import NOTHING

Fields: TypeAlias = Mapping[str, Any]
"""Values by name, as JSON has them; a picture or a video is ``{"blob": SHA-256, "type": MIME}``."""
BLOB = "blob"


@dataclass(frozen=True, slots=True)
class Record:
    """One record on its way through the steps.

    ``id`` is the place in the source, and for each step that expanded it the number of the part: ``000012.3``.
    ``history`` has, for each step that noted something (a model, the hash of a prompt), what it noted.
    """

    id: str
    fields: Fields = field(default_factory=lambda: NOTHING)
    history: tuple[tuple[str, Fields], ...] = ()

    def changed(self, fields: Fields, step: str, notes: Fields = NOTHING, part: int | None = None) -> Record:
        """The record after a step: with these fields, without those that are None now.

        >>> Record("000012", {"law": "optics", "draft": "…"}).changed({"text": "A cup", "draft": None}, "write", part=2)
        Record(id='000012.2', fields={'law': 'optics', 'text': 'A cup'}, history=())
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
            yield from blobs_in(inner)
