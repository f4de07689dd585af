"""Classic measures stored in a run: measures.parquet, and the lines that it is made of."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeAlias

from editscope.cases import NOTHING
from editscope.errors import BadInput
from editscope.results.arrow_columns import arrow_column
from editscope.results.run import CaseRecord, Run
from editscope.runfolder.files import write_whole, writing
from editscope.runfolder.lock import Lock
from editscope.runfolder.run_json import aggregation_from
from editscope.scoring.classic import MetricLabel, built_in_label
from editscope.scoring.classic.registry import OUTSIDE as OUTSIDE
from editscope.stats.diagnosis import Interval

FILE = "measures.parquet"
UNFINISHED = "measures.jsonl"
"""Values on their way into the table, one line per case and measure; gone when the table is written."""
SEEN = "seen"
"""A column with a hash of the case and its edit, so that another edit of the same case is measured again."""

LABELS = b"editscope.metrics"
"""Where the table's metadata says how metrics that do not ship with Editscope are shown."""

Columns: TypeAlias = dict[str, list[Any]]
Key: TypeAlias = tuple[str, str, str]
"""Case id, variant, and the hash of case and edit."""
Values: TypeAlias = tuple[float | None, float | None]
"""Against the answer over the whole picture; against the input outside the edit region."""


@dataclass(frozen=True, eq=False)
class StoredMeasure:
    """What is known of one measure: with what it was measured, and its values so far."""

    made_with: Mapping[str, str]
    values: dict[Key, Values] = field(default_factory=dict)


def read_measures(folder: str | Path) -> Columns | None:
    """The columns of measures.parquet: case_id, variant, and two for each measure; None where there is none.

    ``psnr`` compares the edit with the answer over the whole picture, ``psnr_outside`` with the input outside the
    edit region; None where a case has no value.
    """
    table = _read(Path(folder))
    return (
        None if table is None else {name: table.column(name).to_pylist() for name in table.column_names if name != SEEN}
    )


def measures(folder: str | Path) -> Columns:
    """The columns of measures.parquet, or BadInput with the command that makes it."""
    columns = read_measures(folder)
    if columns is None:
        raise BadInput(f"{folder} has no {FILE}; make it with: editscope measure {folder}")
    return columns


def made_with(folder: str | Path) -> dict[str, dict[str, str]]:
    """For each measure in measures.parquet, the libraries, model and weights that it was measured with."""
    table = _read(Path(folder))
    if table is None:
        return {}
    origins: dict[str, dict[str, str]] = json.loads(table.schema.metadata[b"editscope"])
    return origins


def metric_labels(folder: str | Path) -> dict[str, MetricLabel]:
    """How tables show each measure in measures.parquet: a metric of your own is shown without its code too."""
    table = _read(Path(folder))
    if table is None:
        return {}
    stored = _stored_labels(table)
    return {
        name: built_in_label(name) or stored.get(name, MetricLabel(name, higher_is_better=None))
        for name in made_with(folder)
    }


def measures_of(run: Run) -> Columns:
    """The columns of measures.parquet in the order of the run's records; BadInput where it lacks one of them."""
    columns, records = measures(run.path), run.records()
    place = {key: i for i, key in enumerate(_measured(run.path))}
    order = [place[key] for key in map(key_of, records) if key in place]
    if len(order) < len(records):
        raise BadInput(
            f"{run.path / FILE} does not have all edits of the run as they are now; "
            f"`editscope measure {run.path}` adds them"
        )
    return {name: [values[i] for i in order] for name, values in columns.items()}


def averages(run: Run, by: tuple[str, ...] = ()) -> dict[tuple[str, ...], dict[str, Interval | None]]:
    """For every value of the tags ``by`` (none: overall), each column of measures.parquet averaged as the suite
    averages, with its interval and in its own unit; None where no case has a value.
    """
    import numpy as np

    from editscope.stats.diagnosis.averages import average, group_for

    columns, rows = measures_of(run), run.rows()
    names = [name for name in columns if name not in ("case_id", "variant")]
    n = len(columns["case_id"])
    values = np.array([columns[name] for name in names], dtype=np.float64).reshape(len(names), n).T
    aggregation = aggregation_from(run.info)
    table = average(rows, aggregation, group_for(aggregation, by), values)
    intervals: dict[tuple[str, ...], dict[str, Interval | None]] = {}
    for row, key in enumerate(table.keys):
        cells = {name: table.interval(row, column, scale=1.0) for column, name in enumerate(names)}
        intervals[key] = {name: None if np.isnan(cell.mean) else cell for name, cell in cells.items()}
    return intervals


def _measured(folder: Path) -> list[Key]:
    """What the rows of measures.parquet belong to."""
    table = _read(folder)
    return list(zip(*(table.column(name).to_pylist() for name in ("case_id", "variant", SEEN)), strict=True))


def key_of(record: CaseRecord) -> Key:
    """What a value belongs to: the case, and the edit as far as its score tells it from others."""
    seen = json.dumps([record.fingerprint, record.status, record.evidence], sort_keys=True)
    return record.case_id, record.variant, sha256(seen.encode()).hexdigest()[:16]


class MeasureWriter:
    """The measures of one run while they are made: what is known, what comes in, and the table at the end.

    One process at a time may hold it. What was put down is on disk; a line that was torn by a kill is cut.
    """

    def __init__(
        self, folder: Path, wanted: Mapping[str, Mapping[str, str]], labels: Mapping[str, MetricLabel] = NOTHING
    ) -> None:
        self.folder = folder
        self._path = folder / UNFINISHED
        busy = f"{folder} is being measured by another process; wait for it or stop it first"
        self._lock = Lock(self._path, busy)
        try:
            self.kept = _kept_table(folder)
            self.labels = {**metric_labels(folder), **labels}
            for name, said in wanted.items():
                # Asked for with another model or library, a measure starts again.
                if name not in self.kept or self.kept[name].made_with != dict(said):
                    self.kept[name] = StoredMeasure(dict(said))
            self._read_lines()
        except BaseException:
            self._lock.release()
            raise

    def __enter__(self) -> MeasureWriter:
        return self

    def __exit__(self, *exception: object) -> None:
        self._lock.release()

    def has(self, name: str, key: Key) -> bool:
        """Whether this value is known."""
        return key in self.kept[name].values

    def put(self, found: Mapping[str, Sequence[Values]], keys: Sequence[Key]) -> None:
        """Keep the values of some cases, on disk and here."""
        lines = []
        for name, values in found.items():
            origin = dict(self.kept[name].made_with)
            for key, pair in zip(keys, values, strict=True):
                self.kept[name].values[key] = pair
                lines.append(json.dumps({"measure": name, "made_with": origin, "key": key, "values": pair}))
        data = "".join(line + "\n" for line in lines).encode()
        self._lock.check()
        with writing(self._path):
            while data:
                data = data[os.write(self._lock.fd, data) :]

    def finish(self, records: Sequence[CaseRecord], order: Sequence[str]) -> None:
        """Write the table of all measures that are complete, those of ``order`` first; then drop the lines."""
        keys = [key_of(record) for record in records]
        names = [*(name for name in order if name in self.kept), *(name for name in self.kept if name not in order)]
        whole = [name for name in names if all(self.has(name, key) for key in keys)]
        self._lock.check()
        table = _parquet({name: self.kept[name] for name in whole}, keys, self.labels)
        write_whole(self.folder / FILE, table, make_folder=False)
        self._lock.remove()

    def _read_lines(self) -> None:
        data = self._path.read_bytes()
        end = data.rfind(b"\n") + 1
        os.ftruncate(self._lock.fd, end)
        for number, text in enumerate(data[:end].splitlines(), start=1):
            try:
                line = json.loads(text)
                case_id, variant, seen = line["key"]
                whole, outside = line["values"]
                known = self.kept.get(line["measure"])
                if known is not None and line["made_with"] == known.made_with:
                    known.values[case_id, variant, seen] = whole, outside
            except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
                raise BadInput(f"{self._path}: line {number} is damaged; delete the file to measure again") from error


def _kept_table(folder: Path) -> dict[str, StoredMeasure]:
    table = _read(folder)
    if table is None:
        return {}
    columns = {name: table.column(name).to_pylist() for name in table.column_names}
    keys = list(zip(columns["case_id"], columns["variant"], columns[SEEN], strict=True))
    stored = {}
    for name, origin in made_with(folder).items():
        pairs = zip(columns[name], columns[name + OUTSIDE], strict=True)
        stored[name] = StoredMeasure(origin, dict(zip(keys, pairs, strict=True)))
    return stored


def _read(folder: Path) -> Any:
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = folder / FILE
    if not path.is_file():
        return None
    try:
        table = pq.read_table(path)
        origins = json.loads(table.schema.metadata[b"editscope"])
        for name in ("case_id", "variant", SEEN, *origins, *(name + OUTSIDE for name in origins)):
            _ = table.column(name)
    except (pa.ArrowException, OSError, KeyError, TypeError, ValueError) as error:
        raise BadInput(f"{path} cannot be read ({type(error).__name__}); delete it to measure again") from error
    return table


def _stored_labels(table: Any) -> dict[str, MetricLabel]:
    """The labels in the table's metadata, of metrics that do not ship with Editscope; {} where they cannot be read."""
    try:
        stored = json.loads(table.schema.metadata.get(LABELS, b"{}"))
        return {
            name: MetricLabel(str(label["label"]), str(label["unit"]), bool(label["higher_is_better"]))
            for name, label in stored.items()
        }
    except (ValueError, KeyError, TypeError, AttributeError):
        return {}


def _parquet(kept: Mapping[str, StoredMeasure], keys: Sequence[Key], labels: Mapping[str, MetricLabel]) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns: dict[str, Any] = {
        name: arrow_column([key[place] for key in keys], pa.string())
        for place, name in enumerate(("case_id", "variant", SEEN))
    }
    for name, measure in kept.items():
        for place, column in enumerate((name, name + OUTSIDE)):
            columns[column] = arrow_column([measure.values[key][place] for key in keys], pa.float64())
    origins = json.dumps({name: dict(measure.made_with) for name, measure in kept.items()}, sort_keys=True)
    metadata: dict[str | bytes, str] = {"editscope": origins}
    own = {name: asdict(labels[name]) for name in kept if name in labels and built_in_label(name) is None}
    if own:
        metadata[LABELS] = json.dumps(own, sort_keys=True)
    buffer = io.BytesIO()
    pq.write_table(pa.table(columns).replace_schema_metadata(metadata), buffer, compression="zstd")
    return buffer.getvalue()
