"""Reading of an export as a training set: lazily, by index, with the pictures as they are stored."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from editscope.errors import BadInput, unknown
from editscope.factory.output.columns import PROVENANCE
from editscope.factory.output.export import DATA, read_mark
from editscope.factory.output.roles import TrainingRoles
from editscope.images import Pixels, decode

if TYPE_CHECKING:
    import pyarrow.parquet as pq

GROUPS_KEPT = 4
"""Row groups that stay in memory: neighbors are read at once, and a shuffled order reads a group for each record."""


@dataclass(frozen=True, slots=True, eq=False)
class StoredPicture:
    """A picture as its file has it; ``pixels`` decodes it, within the limits of pictures from outside."""

    data: bytes
    name: str = ""

    def pixels(self) -> Pixels:
        """The pixels: uint8, height × width × 3."""
        return decode(self.data, name=self.name or None).pixels


@dataclass(frozen=True, slots=True, eq=False)
class TrainingRecord:
    """One record: pictures that go in, instructions by level, and the picture that should come out, if there is one.

    ``fields`` has the other columns, ``history`` how the record was made, as JSON.
    """

    id: str
    source_id: str
    pictures: tuple[StoredPicture, ...]
    instructions: Mapping[str, str]
    answer: StoredPicture | None
    fields: Mapping[str, Any]
    history: str


class TrainingSet(Sequence[TrainingRecord]):
    """The records of one split. A record is read when it is asked for; the set can be sent to other processes."""

    def __init__(self, folder: Path, split: str, roles: TrainingRoles, splits: Sequence[str] = ()) -> None:
        self.folder, self.split, self.roles, self.splits = folder, split, roles, tuple(splits) or (split,)
        self._paths = sorted((folder / DATA).glob(f"{split}-*-of-*.parquet"))
        if not self._paths:
            raise BadInput(f"{folder / DATA} holds no Parquet file of the split {split!r}; export the build again")
        self._starts: list[int] = []
        self._groups: list[tuple[int, int]] = []
        self._length = 0
        self._facts: dict[int, Any] = {}
        for place in range(len(self._paths)):
            facts = self._shard_facts(place)
            for group in range(facts.num_row_groups):
                self._starts.append(self._length)
                self._groups.append((place, group))
                self._length += facts.row_group(group).num_rows
        self._kept: OrderedDict[int, Any] = OrderedDict()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_kept": OrderedDict(), "_facts": {}}

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> TrainingRecord: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[TrainingRecord]: ...

    def __getitem__(self, index: int | slice) -> TrainingRecord | Sequence[TrainingRecord]:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(self._length))]
        place = index + self._length if index < 0 else index
        if not 0 <= place < self._length:
            raise IndexError(f"record {index} of {self._length}")
        group = bisect_right(self._starts, place) - 1
        return self._record(self._table(group).slice(place - self._starts[group], 1).to_pylist()[0])

    def __iter__(self) -> Iterator[TrainingRecord]:
        return (self[place] for place in range(self._length))

    def first_gap(self, levels: Collection[str] = (), *, answers: bool = False) -> tuple[int, str] | None:
        """The number of the first record that lacks something, and what; None where all are whole.

        A record needs input pictures, an instruction of one of these levels (of any, where none is named) and, with
        ``answers``, the picture that should come out. Texts are read; of pictures only what Parquet's metadata says of
        missing ones, unless it says that there are some.
        """
        texts = [name for name in self.roles.instructions if not levels or name in levels]
        wanted = [(self.roles.inputs, "no input picture")]
        wanted += [((self.roles.answer,), "no answer")] if answers and self.roles.answer else []
        for group, (place, number) in enumerate(self._groups):
            with _opened(self._paths[place], self._shard_facts(place)) as file:
                rows = file.read_row_group(number, columns=texts).to_pylist()
                gaps = [
                    (row, "no instruction that is wanted")
                    for row, texts_ in enumerate(rows)
                    if not any(texts_.values())
                ]
                for names, what in wanted:
                    if not any(_all_there(self._shard_facts(place).row_group(number), name) for name in names):
                        cells = file.read_row_group(number, columns=list(names)).to_pylist()
                        gaps += [
                            (row, what) for row, cell in enumerate(cells) if not any(map(_pictures, cell.values()))
                        ]
            if gaps:
                row, what = min(gaps)
                return self._starts[group] + row, what
        return None

    def content_hash(self) -> str:
        """A hash of the records: of their ids and instructions, and of the sizes of all columns.

        Pictures are not read. What metadata says of sizes changes with almost every change of a picture.
        """
        hashed = blake2b(digest_size=16)
        texts = ["id", *self.roles.instructions]
        for place, number in self._groups:
            group = self._shard_facts(place).row_group(number)
            chunks = [group.column(at) for at in range(group.num_columns)]
            sizes = [[chunk.path_in_schema, chunk.total_uncompressed_size] for chunk in chunks]
            with _opened(self._paths[place], self._shard_facts(place)) as file:
                rows = file.read_row_group(number, columns=texts).to_pylist()
            hashed.update(json.dumps([sizes, rows], sort_keys=True).encode() + b"\n")
        return hashed.hexdigest()

    def _table(self, group: int) -> Any:
        if group not in self._kept:
            place, number = self._groups[group]
            with _opened(self._paths[place], self._shard_facts(place)) as file:
                self._kept[group] = file.read_row_group(number)
            if len(self._kept) > GROUPS_KEPT:
                self._kept.popitem(last=False)
        self._kept.move_to_end(group)
        return self._kept[group]

    def _shard_facts(self, place: int) -> Any:
        """What the end of a shard says about its row groups, which takes longer to read than a row group."""
        if place not in self._facts:
            with _opened(self._paths[place]) as file:
                self._facts[place] = file.metadata
        return self._facts[place]

    def _record(self, row: dict[str, Any]) -> TrainingRecord:
        roles = self.roles
        special = {*PROVENANCE, *roles.inputs, *roles.instructions, roles.answer}
        answer = _pictures(row.get(roles.answer)) if roles.answer else []
        return TrainingRecord(
            row["id"],
            row["source_id"],
            tuple(picture for name in roles.inputs for picture in _pictures(row[name])),
            {name: row[name] for name in roles.instructions if row[name]},
            answer[0] if answer else None,
            {name: value for name, value in row.items() if name not in special},
            row["history"],
        )


def load_training_set(folder: str | Path, split: str = "train") -> TrainingSet:
    """A split of an exported build, as records for training.

    ``records[17].pictures[0].pixels()`` decodes one picture and reads one row group, whatever the size of the set.
    """
    place = Path(folder)
    mark = read_mark(place)
    if split not in mark["splits"]:
        raise unknown("split", split, mark["splits"], of=str(place))
    return TrainingSet(place, split, TrainingRoles.from_json(mark["roles"]), tuple(mark["splits"]))


def _pictures(cell: Any) -> list[StoredPicture]:
    listed = cell if isinstance(cell, list) else [] if cell is None else [cell]
    return [StoredPicture(one["bytes"], one["path"] or "") for one in listed]


def _all_there(group: Any, column: str) -> bool:
    """Whether no row of a row group lacks the picture of a column, by the metadata; False where it does not say."""
    chunks = [group.column(place) for place in range(group.num_columns)]
    found = [chunk.statistics for chunk in chunks if chunk.path_in_schema == f"{column}.bytes"]
    return bool(found) and all(one is not None and one.has_null_count and not one.null_count for one in found)


def _opened(path: Path, facts: Any = None) -> pq.ParquetFile:
    import pyarrow.parquet as pq

    try:
        return pq.ParquetFile(path, metadata=facts, memory_map=True)
    except (OSError, ValueError) as error:
        raise BadInput(f"{path} cannot be read ({error}); export the build again") from error
