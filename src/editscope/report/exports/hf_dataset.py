"""Data set of results that ``datasets.load_dataset`` reads: one row per edit with its pictures, and a card."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from editscope.errors import BadInput
from editscope.report.exports.dataset_card import dataset_card
from editscope.report.exports.dataset_pictures import DatasetPictures
from editscope.report.exports.public_text import public_spec, without_folders
from editscope.report.exports.run_sets import RunSet, run_sets
from editscope.report.model import RunView
from editscope.results.case_record import CaseRecord
from editscope.results.run import Run
from editscope.results.verdicts import VerdictRecord
from editscope.runfolder.files import writing
from editscope.runfolder.repeats import plain
from editscope.runfolder.run_names import shown_spec
from editscope.stats.summary import percent_scale

CARD = "README.md"
FIXED = {
    "run": "string",
    "editor": "string",
    "case": "string",
    "variant": "string",
    "repeat": "int32",
    "status": "string",
    "reason": "string",
    "failure": "string",
    "instruction": "string",
    "asked": "string",
    "latency_s": "float64",
    "cost_usd": "float64",
}
VERDICT = ("judge", "key", "question", "label", "status", "answer", "reason", "reply")
ROWS = 64
"""Rows of one row group, small enough for a viewer to fetch one."""
FILE_BYTES = 450_000_000
"""How large a Parquet file may become before the next one begins."""

OnProgress = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class DatasetColumns:
    """The columns of one set of runs: tags and scores by the name that they have in the data set."""

    tags: Mapping[str, str]
    scores: Mapping[str, str]
    pictures: tuple[str, ...]
    judged: bool

    @staticmethod
    def of(one: RunSet) -> DatasetColumns:
        """Tags, metrics and kinds of pictures of all runs of a set."""
        records = [record for view in one.views for record in view.records]
        kinds = {kind for record in records for kind in record.thumbs if kind.startswith("input")}
        inputs = sorted(kinds, key=lambda kind: int(kind.removeprefix("input") or 1))
        answers = ["answer"] if any("answer" in record.thumbs for record in records) else []
        pictures = (*(inputs or ["input"]), *answers, "edit")
        taken = {*FIXED, *pictures, "verdicts"}
        tags = {tag: _free(tag, taken, "tag") for tag in dict.fromkeys(tag for r in records for tag in r.tags)}
        scores = {str(metric): _free(str(metric), taken, "score") for metric in one.sheet.metrics}
        return DatasetColumns(tags, scores, pictures, one.sheet.judged)

    def schema(self) -> Any:
        """The Arrow schema, with the note by which ``datasets`` knows which columns are pictures."""
        import pyarrow as pa

        picture = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
        fields = [(name, pa.type_for_alias(kind)) for name, kind in FIXED.items()]
        fields += [(name, pa.string()) for name in self.tags.values()]
        fields += [(name, pa.float64()) for name in self.scores.values()]
        fields += [(name, picture) for name in self.pictures]
        if self.judged:
            fields.append(("verdicts", pa.list_(pa.struct([(name, pa.string()) for name in VERDICT]))))
        note = {"info": {"features": {name: {"_type": "Image"} for name in self.pictures}}}
        return pa.schema(fields, metadata={"huggingface": json.dumps(note)})


def write_dataset(runs: Sequence[Run], target: Path, *, images: bool = True, told: OnProgress | None = None) -> Path:
    """Write the folder of a data set, whole or not at all; a set of cases is a configuration of it."""
    _check_target(target)
    sets = run_sets(runs)
    total = sum(len(view.records) for one in sets for view in one.views)
    making = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    with writing(target):
        try:
            making.mkdir(parents=True)
            done = 0
            columns = {}
            for one in sets:
                columns[one.key] = DatasetColumns.of(one)
                for rows in _write_set(one, columns[one.key], making / "data" / one.key, images):
                    done += rows
                    if told is not None:
                        told(done, total)
            (making / CARD).write_text(dataset_card(sets, columns, images=images), encoding="utf-8")
            if target.is_dir():
                target.rmdir()
            making.replace(target)
        finally:
            shutil.rmtree(making, ignore_errors=True)
    return target


def _check_target(target: Path) -> None:
    if target.is_dir() and any(target.iterdir()):
        raise BadInput(f"{target} is not empty; name a new folder, so that nothing in it is lost")
    if target.exists() and not target.is_dir():
        raise BadInput(f"{target} is a file; a data set is a folder, so name a new one")
    if target.name in ("", ".."):
        raise BadInput(f"{target} cannot be replaced by a data set; name a new folder")


def _write_set(one: RunSet, columns: DatasetColumns, folder: Path, images: bool) -> Iterator[int]:
    """Write the rows of a set; how many, group by group."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder.mkdir(parents=True)
    schema, writer, number = columns.schema(), None, 0
    try:
        for rows in _groups(one, columns, images):
            if writer is None:
                file = folder / f"part-{number:05d}.parquet"
                writer, number = pq.ParquetWriter(file, schema, compression="zstd"), number + 1
            writer.write_table(pa.Table.from_pylist(rows, schema=schema))
            yield len(rows)
            if file.stat().st_size > FILE_BYTES:
                writer.close()
                writer = None
    finally:
        if writer is not None:
            writer.close()


def _groups(one: RunSet, columns: DatasetColumns, images: bool) -> Iterator[list[dict[str, Any]]]:
    for view in one.views:
        pictures = DatasetPictures(view, full=images)
        for start in range(0, len(view.records), ROWS):
            yield [_row(view, record, columns, pictures) for record in view.records[start : start + ROWS]]


def _row(view: RunView, record: CaseRecord, columns: DatasetColumns, pictures: DatasetPictures) -> dict[str, Any]:
    variant, repeat = plain(record.variant)
    row: dict[str, Any] = {
        "run": view.name,
        "editor": public_spec(shown_spec(view.run.info["editor"])),
        "case": record.case_id,
        "variant": variant,
        "repeat": repeat + 1,
        "status": record.status,
        "reason": None if record.reason is None else without_folders(record.reason),
        "failure": record.failure or None,
        "instruction": record.instruction,
        "asked": record.asked,
        "latency_s": record.latency_s,
        "cost_usd": record.cost_usd,
    }
    row |= {name: record.tags.get(tag) for tag, name in columns.tags.items()}
    for metric, name in columns.scores.items():
        fraction = record.metrics.get(metric)
        row[name] = None if fraction is None else float(fraction) * percent_scale(metric)
    for kind in columns.pictures:
        data = pictures.of(record, kind)
        row[kind] = None if data is None else {"bytes": data, "path": None}
    if columns.judged:
        row["verdicts"] = [_verdict(verdict) for verdict in record.verdicts]
    return row


def _verdict(verdict: VerdictRecord) -> dict[str, str]:
    fields = {name: str(getattr(verdict, name)) for name in VERDICT}
    return {**fields, "judge": public_spec(fields["judge"]), "reason": without_folders(fields["reason"])}


def _free(name: str, taken: set[str], prefix: str) -> str:
    """A name for a column that no other has."""
    while name in taken:
        name = f"{prefix}_{name}"
    taken.add(name)
    return name
