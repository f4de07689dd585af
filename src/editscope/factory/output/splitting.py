"""Splits that never divide a source picture, nor pictures that are nearly the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from editscope.factory.checks.perceptual_hash import NearHashes
from editscope.factory.records import BLOB, Record, blobs_in, digest

PHASH = "phash"


@dataclass(slots=True)
class SourceGroups:
    """Records that belong together: of one entry of the source, with a source picture in common, or nearly equal ones.

    >>> groups = SourceGroups("picture", near=0)
    >>> for name, blob in (("c0a1.1", "aa"), ("c0a1.2", "bb"), ("77fe", "bb"), ("d2d2", "cc")):
    ...     groups.add(Record(name, {"picture": {"blob": blob}}))
    >>> [groups.group(name) for name in ("c0a1.1", "c0a1.2", "77fe", "d2d2")]
    ['aa', 'aa', 'aa', 'cc']

    Of several pictures, any that two records share keeps them together.

    >>> groups = SourceGroups("pictures", near=0)
    >>> for name, blobs in (("c0a1", "xy"), ("77fe", "zy"), ("d2d2", "zw"), ("e0e0", "v")):
    ...     groups.add(Record(name, {"pictures": [{"blob": blob} for blob in blobs]}))
    >>> [groups.group(name) for name in ("c0a1", "77fe", "d2d2", "e0e0")]
    ['w', 'w', 'w', 'v']
    """

    source: str
    near: int
    _parents: dict[str, str] = field(default_factory=dict)
    _of: dict[str, str] = field(default_factory=dict)
    _seen: NearHashes[str] = field(init=False)

    def __post_init__(self) -> None:
        self._seen = NearHashes(self.near)

    def add(self, record: Record) -> None:
        """Put a record into its group."""
        root = f"record {record.id.partition('.')[0]}"
        names = [str(blob[BLOB]) for blob in blobs_in(record.fields.get(self.source))]
        own = names[0] if names else root
        self._of[record.id] = own
        for name in (*names, root):
            self._join(own, name)
        if (value := hash_of(record)) is not None:
            for _, other in self._seen.near(value):
                self._join(own, other)
            self._seen.add(value, own)

    def group(self, record_id: str) -> str:
        """What stands for the group of a record."""
        return self._top(self._of[record_id])

    def _top(self, name: str) -> str:
        path = [name]
        while (parent := self._parents.get(path[-1], path[-1])) != path[-1]:
            path.append(parent)
        for one in path:
            self._parents[one] = path[-1]
        return path[-1]

    def _join(self, first: str, second: str) -> None:
        # Hashes of pictures stand before the ids of records, so that a group is known by a picture where it has one.
        low, high = sorted((self._top(first), self._top(second)), key=lambda name: (name.startswith("record "), name))
        self._parents[high] = low


def hash_of(record: Record) -> int | None:
    """The perceptual hash that a step has put into a record, as a number or in hexadecimal digits."""
    value = record.fields.get(PHASH)
    if isinstance(value, int) and not isinstance(value, bool):
        return value & ((1 << 64) - 1)
    if isinstance(value, str):
        try:
            return int(value, 16) & ((1 << 64) - 1)
        except ValueError:
            return None
    return None


def split_of(group: str, seed: int, shares: Mapping[str, float], rest: str) -> str:
    """The split of a group: a hash of the seed and the group decides, so that more records move nobody else.

    >>> [split_of(name, 0, {"test": 0.5}, "train") for name in ("a", "b", "c", "d")]
    ['train', 'train', 'test', 'train']
    """
    place = int.from_bytes(digest("split", seed, group)[:8], "big") / (1 << 64)
    for name, share in sorted(shares.items()):
        if place < share:
            return name
        place -= share
    return rest
