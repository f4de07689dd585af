"""WebDataset shards: tar files in which the files of a record share their key."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from editscope.factory.output.columns import PROVENANCE, ExportColumn, Read, as_json, history_of
from editscope.factory.records import Record

PICTURES = ("picture", "pictures", "video")


class TarShards:
    """The tar files of one split; equal records give equal bytes, whatever the time and the user."""

    def __init__(self, folder: Path, split: str, columns: Sequence[ExportColumn], shard_bytes: int) -> None:
        self._folder, self._split, self._columns, self._shard_bytes = folder, split, columns, shard_bytes
        self._tar: tarfile.TarFile | None = None
        self._written = 0
        self.paths: list[Path] = []

    def add(self, record: Record, source_id: str, read: Read) -> None:
        """Append a record: ``KEY.picture.png`` for each picture, and ``KEY.json`` for all else."""
        key = key_of(record.id)
        if self._tar is None:
            self._folder.mkdir(parents=True, exist_ok=True)
            self.paths.append(self._folder / f"{self._split}-{len(self.paths):06d}.tar")
            self._tar = tarfile.open(self.paths[-1], "w", format=tarfile.USTAR_FORMAT)  # noqa: SIM115
        for name, data in self._files(record, source_id, read):
            entry = tarfile.TarInfo(f"{key}.{name}")
            entry.size, entry.mode = len(data), 0o644
            self._tar.addfile(entry, io.BytesIO(data))
            self._written += len(data)
        if self._written >= self._shard_bytes:
            self.close()

    def _files(self, record: Record, source_id: str, read: Read) -> Iterator[tuple[str, bytes]]:
        plain: dict[str, Any] = dict(zip(PROVENANCE, (record.id, source_id, history_of(record)), strict=True))
        for column in self._columns:
            cell = column.cell(record, read)
            if column.type not in PICTURES:
                plain[column.name] = cell
            elif isinstance(cell, list):
                for number, one in enumerate(cell):
                    yield f"{column.name}.{number}{Path(one['path']).suffix}", one["bytes"]
            elif cell is not None:
                yield f"{column.name}{Path(cell['path']).suffix}", cell["bytes"]
        yield "json", as_json(plain).encode("utf-8", "surrogatepass")

    def close(self) -> None:
        """End the shard that is open."""
        if self._tar is not None:
            self._tar.close()
            self._tar, self._written = None, 0


def key_of(record_id: str) -> str:
    """The key of a record: what stands before the first dot of its files.

    >>> key_of("5c1f0e92a7d4.3")
    '5c1f0e92a7d4_3'
    """
    return record_id.replace(".", "_").replace("/", "_")
