"""Collections of pictures with captions: a folder, a list, or a dataset. Pictures are read when they are asked for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from editscope.errors import BadInput, unknown
from editscope.factory.sources.manifest import rows_of_file
from editscope.factory.sources.pictures import TYPES
from editscope.files import DOCUMENT, PICTURE, lies_in, read_file
from editscope.outside import reason_of

COLUMNS = {
    "picture": ("picture", "image", "img", "jpg", "file_name", "file", "path", "input_path"),
    "caption": ("caption", "text", "description", "prompt", "title", "alt"),
    "license": ("license", "licence", "rights"),
}
"""Names that columns have where the plan does not say it."""
LISTS = (".jsonl", ".ndjson", ".json", ".csv")
HUB = "hf:"
_HUB_NAME = re.compile(r"hf:([\w.-]+/[\w.-]+)(?:@([\w./-]+))?")
_BATCH = 64


@dataclass(frozen=True, slots=True)
class CandidatePicture:
    """A picture that may be taken: what is known about it, and how its bytes are read."""

    file: str
    caption: str
    license: str
    read: Callable[[], bytes]


@dataclass(frozen=True, slots=True)
class PictureCollection:
    """Pictures in an order that is always the same; ``identity`` changes with what is in it."""

    identity: Any
    pictures: Callable[[], Iterator[CandidatePicture]]
    origin: str = ""


def open_collection(path: str, folder: Path, columns: Mapping[str, str], split: str) -> PictureCollection:
    """The collection of a path beside the plan, or of a dataset of the hub: ``hf:OWNER/NAME[@REVISION]``."""
    for name in columns:
        if name not in COLUMNS:
            raise unknown("column", name, COLUMNS, of="the source, columns")
    if not path:
        raise BadInput(
            "the source of candidates needs a path: a folder of pictures, a list (.jsonl or .csv), a folder of "
            "Parquet files, or hf:OWNER/NAME"
        )
    if path.startswith(HUB):
        return _from_hub(path, columns, split)
    place = folder / path
    if place.is_file() and place.suffix.lower() in LISTS:
        return _from_list(place, columns)
    if not place.is_dir():
        raise BadInput(f"{place} is not a collection of pictures; name a folder, or a .jsonl or .csv file")
    if (place / "state.json").is_file() or (place / "dataset_dict.json").is_file():
        return _saved(place, columns, split)
    files = sorted(file for file in place.rglob("*.parquet") if file.is_file())
    return _from_parquet(place, files, columns, split) if files else _from_folder(place)


def _from_folder(folder: Path) -> PictureCollection:
    """Pictures by name. A text file beside a picture is its caption; else its name is."""
    files = sorted(file for file in folder.rglob("*") if file.suffix.lower() in TYPES and file.is_file())
    identity = [[file.relative_to(folder).as_posix(), file.stat().st_size, _caption_beside(file)] for file in files]

    def pictures() -> Iterator[CandidatePicture]:
        for file in files:
            caption = _caption_beside(file) or re.sub(r"[\W_\d]+", " ", file.stem).strip()
            name = file.relative_to(folder).as_posix()
            yield CandidatePicture(name, caption, "", lambda file=file: read_file(file, PICTURE))  # type: ignore[misc]

    return PictureCollection(identity, pictures, folder.name)


def _caption_beside(file: Path) -> str:
    beside = file.with_suffix(".txt")
    return read_file(beside, 1 << 20).decode("utf-8", "replace").strip() if beside.is_file() else ""


def _from_list(path: Path, columns: Mapping[str, str]) -> PictureCollection:
    """Rows of JSON or CSV that name pictures beside the list."""
    data = read_file(path, DOCUMENT)

    def pictures() -> Iterator[CandidatePicture]:
        for number, row in rows_of_file(path, data):
            names = _columns(row, columns, f"{path} line {number}")
            place = row.get(names["picture"])
            if not isinstance(place, str) or not place:
                raise BadInput(f"{path} line {number}: the field {names['picture']!r} names no picture; write a path")
            file = path.parent / place
            if Path(place).is_absolute() or not lies_in(file, path.parent):
                raise BadInput(f"{path} line {number}: {place!r} leaves the folder; use a path inside it")
            yield CandidatePicture(
                place,
                _text(row, names, "caption"),
                _text(row, names, "license"),
                lambda file=file: read_file(file, PICTURE),  # type: ignore[misc]
            )

    return PictureCollection(sha256(data).hexdigest(), pictures, path.name)


def _from_parquet(folder: Path, files: list[Path], columns: Mapping[str, str], split: str) -> PictureCollection:
    """Rows of Parquet files, as the hub has them. Captions are read first; a picture only where it is asked for."""
    named = [file for file in files if split and re.match(rf"{re.escape(split)}\b", file.name)]
    chosen = named or files
    identity = [[file.relative_to(folder).as_posix(), file.stat().st_size] for file in chosen]

    def pictures() -> Iterator[CandidatePicture]:
        for file in chosen:
            yield from _parquet_rows(file, file.relative_to(folder).as_posix(), columns)

    return PictureCollection(identity, pictures, folder.name)


def _parquet_rows(file: Path, name: str, columns: Mapping[str, str]) -> Iterator[CandidatePicture]:
    import pyarrow as pa
    from pyarrow import parquet

    try:
        table = parquet.ParquetFile(file)
        names = _columns(dict.fromkeys(table.schema_arrow.names), columns, str(file))
        plain = [one for place, one in names.items() if place != "picture" and one in table.schema_arrow.names]
        number = 0
        for group in range(table.num_row_groups):
            rows = table.read_row_group(group, columns=plain).to_pylist()
            count = table.metadata.row_group(group).num_rows
            shown = _GroupPictures(table, group, names["picture"])
            for place, row in enumerate(rows or [{}] * count):
                yield CandidatePicture(
                    f"{name}#{number}",
                    _text(row, names, "caption"),
                    _text(row, names, "license"),
                    lambda place=place, shown=shown: shown.read(place),  # type: ignore[misc]
                )
                number += 1
    except (pa.ArrowException, OSError) as error:
        raise BadInput(f"{file} cannot be read as Parquet ({error}); download it again") from error


class _GroupPictures:
    """The pictures of one group of rows of a Parquet file, a few read ahead."""

    def __init__(self, table: Any, group: int, column: str) -> None:
        self._table, self._group, self._column = table, group, column
        self._first, self._values = 0, list[Any]()
        self._batches: Iterator[Any] | None = None

    def read(self, place: int) -> bytes:
        """The bytes of the picture at a place; asked for in order, or from the start again."""
        if self._batches is None or place < self._first:
            self._batches = self._table.iter_batches(_BATCH, row_groups=[self._group], columns=[self._column])
            self._first, self._values = 0, []
        while place >= self._first + len(self._values):
            self._first += len(self._values)
            self._values = next(self._batches).column(0).to_pylist()
        return _bytes(self._values[place - self._first], self._column)


def _saved(folder: Path, columns: Mapping[str, str], split: str) -> PictureCollection:
    """What ``datasets`` saved with ``save_to_disk``."""
    datasets = _datasets()
    loaded = datasets.load_from_disk(str(folder))
    if isinstance(loaded, datasets.DatasetDict):
        if split not in loaded:
            raise unknown("split", split, loaded, of=str(folder))
        loaded = loaded[split]
    return PictureCollection(
        [folder.name, loaded._fingerprint], lambda: _rows(loaded, columns, folder.name), folder.name
    )


def _from_hub(spec: str, columns: Mapping[str, str], split: str) -> PictureCollection:
    """A dataset of the hub, read as it comes; give a revision, so that it stays the same."""
    match = _HUB_NAME.fullmatch(spec)
    if match is None:
        raise BadInput(f"the source {spec!r} is not of the form hf:OWNER/NAME or hf:OWNER/NAME@REVISION")
    name, revision = match.groups()

    def pictures() -> Iterator[CandidatePicture]:
        yield from _rows(load_rows(name, split, revision), columns, spec)

    return PictureCollection([name, revision or "", split], pictures, spec)


def load_rows(name: str, split: str, revision: str | None = None) -> Any:
    """A split of a dataset of the hub, or of a folder in its layout, as ``datasets`` streams it."""
    datasets = _datasets()
    try:
        return datasets.load_dataset(name, split=split, revision=revision, streaming=True)
    except Exception as error:  # the library raises what its parts raise
        raise BadInput(
            f"the dataset {name} cannot be loaded ({reason_of(error)}); check its name, split and revision, or "
            "download it and give its folder"
        ) from error


def _rows(loaded: Any, columns: Mapping[str, str], origin: str) -> Iterator[CandidatePicture]:
    names = _columns(dict.fromkeys(loaded.column_names or ()), columns, origin)
    shown = loaded.cast_column(names["picture"], _datasets().Image(decode=False))
    for number, row in enumerate(shown):
        value = row[names["picture"]]
        yield CandidatePicture(
            f"{origin}#{number}",
            _text(row, names, "caption"),
            _text(row, names, "license"),
            lambda value=value: _bytes(value, names["picture"]),  # type: ignore[misc]
        )


def _datasets() -> Any:
    try:
        import datasets
    except ImportError as error:
        raise BadInput(f"this source needs datasets ({error}): pip install 'editscope[factory]'") from error
    return datasets


def _columns(row: Mapping[str, Any], given: Mapping[str, str], where: str) -> dict[str, str]:
    """Which column is which: as the plan says, or by the names that are common."""
    names = {}
    for place, usual in COLUMNS.items():
        if place in given and given[place] not in row:
            raise unknown("column", given[place], row, of=where)
        names[place] = given.get(place) or next((one for one in usual if one in row), "")
    if not names["picture"]:
        raise BadInput(f"{where} has no column with a picture; name it: columns = {{ picture = '…' }}")
    return names


def _text(row: Mapping[str, Any], names: Mapping[str, str], place: str) -> str:
    value = row.get(names[place]) if names[place] else None
    if isinstance(value, list):
        value = next((one for one in value if isinstance(one, str)), "")
    return " ".join(str(value).split()) if value not in (None, "") else ""


def _bytes(value: Any, column: str) -> bytes:
    data = value.get("bytes") if isinstance(value, dict) else value
    if not isinstance(data, bytes):  # a path that a table names may lead anywhere, so it is not followed
        raise BadInput(f"the column {column!r} holds no bytes of a picture")
    return data
