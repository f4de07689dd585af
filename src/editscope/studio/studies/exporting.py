"""Export of votes: a line for each, with everything that a result can be made from."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from io import StringIO
from typing import Any, TextIO

from sqlalchemy import Connection, select

from editscope.errors import BadInput
from editscope.studio.studies.reading import Exclusion, vote_rows
from editscope.studio.studies.records import Study, raters_of
from editscope.studio.studies.tables import ITEMS

FORMATS = ("csv", "jsonl", "parquet")
COLUMNS = (
    *("study", "vote", "item", "kind", "case", "level", "model_a", "model_b", "rater", "winner", "left", "seconds"),
    *("answered_at", "saved_at", "browser", "excluded"),
)
CHUNK = 2_000


def export_rows(connection: Connection, study: Study, exclusions: Sequence[Exclusion] = ()) -> Iterator[dict[str, Any]]:
    """All votes of a study as flat rows, in the order in which they were saved; scores have a column each."""
    items = {row.id: row for row in connection.execute(select(ITEMS).where(ITEMS.c.study_id == study.id))}
    numbers = {rater.id: rater.number for rater in raters_of(connection, study.id)}
    whole: dict[int, str] = {e.rater: e.reason for e in exclusions if e.vote_id is None}
    single = {e.vote_id: e.reason for e in exclusions if e.vote_id is not None}
    scales = [scale.name for scale in study.design.scales]
    names: Mapping[int, tuple[str, str]] = {i: (row.first_model, row.second_model) for i, row in items.items()}
    for row in vote_rows(connection, study):
        item, rater = items[row.item_id], numbers[row.rater_id]
        first, second = names[row.item_id]
        choice = row.choice
        yield {
            "study": study.name,
            "vote": row.id,
            "item": item.key,
            "kind": item.kind,
            "case": item.case_id,
            "level": item.level,
            "model_a": first,
            "model_b": second,
            "rater": rater,
            "winner": first if choice == "first" else second if choice == "second" else choice,
            "left": second if row.swapped and second else first,
            "seconds": round(row.seconds, 3),
            "answered_at": _moment(row.answered_at),
            "saved_at": _moment(row.saved_at),
            "browser": row.browser,
            "excluded": single.get(row.id) or whole.get(rater, ""),
        } | (_scores(row.scores, scales) if scales else {})


def _scores(stored: Any, scales: Sequence[str]) -> dict[str, int | None]:
    known = json.loads(stored) if isinstance(stored, str) else stored
    return {f"score_{scale}": known.get(scale) for scale in scales}


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")


def export_columns(study: Study) -> list[str]:
    """The columns of an export of a study."""
    return [*COLUMNS, *(f"score_{scale.name}" for scale in study.design.scales)]


def csv_lines(study: Study, rows: Iterator[dict[str, Any]]) -> Iterator[str]:
    """The export as CSV, some lines at a time. A text that a spreadsheet would run as a formula gets a quote."""
    columns = export_columns(study)
    yield ",".join(columns) + "\r\n"
    target = StringIO()
    writer = csv.writer(target)
    for number, row in enumerate(rows, start=1):
        writer.writerow([_safe(row[column]) for column in columns])
        if number % CHUNK == 0:
            yield target.getvalue()
            target.seek(0)
            target.truncate()
    yield target.getvalue()


def _safe(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r") else value


def json_lines(rows: Iterator[dict[str, Any]]) -> Iterator[str]:
    """The export as JSON Lines, some lines at a time."""
    lines: list[str] = []
    encode: Callable[[Any], str] = json.JSONEncoder(ensure_ascii=False, check_circular=False).encode
    for row in rows:
        lines.append(encode(row) + "\n")
        if len(lines) == CHUNK:
            yield "".join(lines)
            lines.clear()
    yield "".join(lines)


def write_export(study: Study, rows: Iterator[dict[str, Any]], kind: str, target: TextIO) -> None:
    """Write the export to a text file."""
    if kind not in ("csv", "jsonl"):
        raise BadInput(f"votes are exported as {', '.join(FORMATS)}, not {kind!r}")
    for part in csv_lines(study, rows) if kind == "csv" else json_lines(rows):
        target.write(part)


def write_parquet(study: Study, rows: Iterator[dict[str, Any]], path: str) -> None:
    """Write the export as Parquet."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    listed = list(rows)
    columns = {name: [row[name] for row in listed] for name in export_columns(study)}
    pq.write_table(pa.table(columns), path)
