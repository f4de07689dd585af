"""Datasets in Arrow files, as ``datasets.save_to_disk`` writes them: unpacked into the cache, each content once."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from editscope.cachefolder import cache_folder
from editscope.errors import BadInput
from editscope.files import open_file
from editscope.suites.datafolder.hub import content_digest, unpack

if TYPE_CHECKING:
    import pyarrow as pa

CACHED = "cache-"
"""How the names of files begin in which the library ``datasets`` keeps results beside the data."""


def arrow_files(folder: Path) -> list[Path]:
    """The Arrow files of a dataset's folder, in order, without those that the library keeps results of its own in."""
    return sorted(path for path in folder.rglob("*.arrow") if path.is_file() and not path.name.startswith(CACHED))


def unpack_arrow(files: Sequence[Path], listing: str, pictures: Sequence[str]) -> Path:
    """The rows of Arrow files as the folder that ``hub.unpack`` makes of Parquet files.

    Of the columns ``pictures`` the first that is there is unpacked. A small file in the cache, named by the content of
    the files, says which folder holds them.
    """
    home = cache_folder() / "datasets"
    pointer = home / f"{content_digest(files)}.arrow.txt"
    if pointer.is_file():
        folder = home / pointer.read_text(encoding="utf-8").strip()
        if (folder / listing).is_file():
            return folder
    try:
        home.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="making-", dir=home) as making:
            parquet = Path(making) / "rows.parquet"
            _write_parquet(files, parquet, pictures)
            folder = unpack([parquet], listing)
        pointer.write_text(folder.name, encoding="utf-8")
    except OSError as error:
        raise BadInput(
            f"{home} cannot be written ({error.strerror or error}); make room, or set EDITSCOPE_CACHE to another folder"
        ) from error
    return folder


def _write_parquet(files: Sequence[Path], target: Path, pictures: Sequence[str]) -> None:
    """All rows in one Parquet file."""
    from pyarrow import parquet

    writer = None
    try:
        for batch in _batches(files):
            there = [name for name in pictures if name in batch.schema.names]
            selected = batch.select([name for name in batch.schema.names if name not in there[1:]])
            writer = writer or parquet.ParquetWriter(target, selected.schema)
            writer.write_batch(selected)
    finally:
        if writer is not None:
            writer.close()
    if writer is None:
        raise BadInput(f"{files[0].parent} holds Arrow files without rows; download the dataset again")


def _batches(files: Sequence[Path]) -> Iterator[pa.RecordBatch]:
    """The rows of all files, some at a time; each is a stream, as the library ``datasets`` writes it."""
    import pyarrow as pa

    for path in files:
        try:
            with open_file(path) as file, pa.ipc.open_stream(file) as reader:
                yield from reader
        except pa.ArrowException as error:
            message = " ".join(str(error).split())[:120]
            raise BadInput(f"{path} cannot be read as Arrow ({message}); download it again") from error
