"""Parquet shards, written row group by row group, so that a set of any size fits into memory."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from editscope.factory.output.columns import PROVENANCE, ExportColumn, Read, arrow_schema, history_of
from editscope.factory.records import Record

if TYPE_CHECKING:
    import pyarrow.parquet as pq

ROWS = 100
"""Rows of a row group: what a reader takes in at once."""
GROUP_BYTES = 8 << 20
"""Bytes of a row group, about: few large pictures, so that reading one record in a random order stays cheap."""


class ParquetShards:
    """The shards of one split in a folder; ``close`` gives them the names that `datasets` expects."""

    def __init__(self, folder: Path, split: str, columns: Sequence[ExportColumn], shard_bytes: int) -> None:
        self._folder, self._split, self._columns, self._shard_bytes = folder, split, columns, shard_bytes
        self._schema = arrow_schema(columns)
        self._rows: dict[str, list[Any]] = {name: [] for name in self._schema.names}
        self._waiting_bytes = self._shard = 0
        self._in_shard = 0
        self._writer: pq.ParquetWriter | None = None
        self.rows = self.bytes = 0

    def add(self, record: Record, source_id: str, read: Read) -> None:
        """Append a record."""
        cells: dict[str, Any] = dict(zip(PROVENANCE, (record.id, source_id, history_of(record)), strict=True))
        cells |= {column.name: column.cell(record, read) for column in self._columns}
        for name, value in cells.items():
            self._rows[name].append(value)
        self._waiting_bytes += sum(map(_size, cells.values()))
        self.rows += 1
        if len(self._rows["id"]) >= ROWS or self._waiting_bytes >= GROUP_BYTES:
            self._flush()

    def _flush(self) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        if not self._rows["id"]:
            return
        if self._writer is None:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._writer = pq.ParquetWriter(self._part(self._shard), self._schema)
        self._writer.write_table(pa.Table.from_pydict(self._rows, schema=self._schema), row_group_size=ROWS)
        self.bytes += self._waiting_bytes
        self._in_shard += self._waiting_bytes
        self._rows = {name: [] for name in self._schema.names}
        self._waiting_bytes = 0
        if self._in_shard >= self._shard_bytes:
            self._end_shard()

    def _end_shard(self) -> None:
        if self._writer is not None:
            self._writer.close()
            self._writer = None
            self._shard += 1
            self._in_shard = 0

    def _part(self, number: int) -> Path:
        return self._folder / f".{self._split}-{number:05d}.part"

    def close(self) -> list[Path]:
        """Write what is left; the shards."""
        self._flush()
        self._end_shard()
        paths = [
            self._folder / f"{self._split}-{number:05d}-of-{self._shard:05d}.parquet" for number in range(self._shard)
        ]
        for number, path in enumerate(paths):
            self._part(number).replace(path)
        return paths

    def abandon(self) -> None:
        """Close what is open, after an error."""
        if self._writer is not None:
            self._writer.close()


def _size(cell: Any) -> int:
    if isinstance(cell, dict):
        return len(cell["bytes"])
    if isinstance(cell, list):
        return sum(map(_size, cell))
    return len(cell) if isinstance(cell, str) else 8
