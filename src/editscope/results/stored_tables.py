"""Stored tables of a run, with a stamp of what they were made from; a table without a valid stamp is not used."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from editscope.documents import read_json
from editscope.errors import BadInput
from editscope.files import DOCUMENT, read_file
from editscope.results.pixel_rows import PixelRows
from editscope.results.tables import (
    SCORES,
    SUMMARY,
    as_parquet,
    pixel_coverage,
    pixel_summary,
    score_columns,
    scored,
    summary,
)
from editscope.runfolder.files import DiskError, write_whole
from editscope.runfolder.journal import FILE as JOURNAL
from editscope.runfolder.journal import Line, Progress, Source, busy, read_source
from editscope.runfolder.journal_blocks import JournalBlocks
from editscope.runfolder.lock import Lock
from editscope.runfolder.repeats import repeats_of
from editscope.runfolder.run_json import Info
from editscope.runfolder.stored_edits import content_hash

STAMP = "made_from"
"""The key of summary.json that says what it was made from. It is not part of the result: the order of lines in a
journal, and so its hash, differs between two runs that come to the same."""
RULES = 4
"""Goes up when the same journal makes another summary; tables of earlier rules are made again."""
OLDER_RULES = (None, 2, 3)
"""The first had no number; 2 had intervals of no width where resampling could not vary the cases that differ; 3 had no
reasons of edits that were left unchanged."""


@dataclass(frozen=True, eq=False)
class Tables:
    """scores.parquet and summary.json as they follow from a journal."""

    summary: dict[str, Any]
    scores: bytes
    stamp: Mapping[str, Any]

    @property
    def files(self) -> dict[str, bytes]:
        """The bytes of both, by name; same journal, same bytes."""
        text = json.dumps({**self.summary, STAMP: self.stamp}, indent=1, ensure_ascii=False)
        return {SCORES: self.scores, SUMMARY: (text + "\n").encode()}


def make_tables(info: Info, done: Progress, source: Source, known: dict[str, Any] | None = None) -> Tables:
    """The tables of a journal; ``known`` is its summary, where that was made before."""
    pairs = scored(done)
    summarized = known if known is not None else summary(info, pairs, done)
    return _tables(info, summarized, score_columns(info, pairs), source)


@dataclass(frozen=True, eq=False)
class PixelScan:
    """All that tables need of a journal that pixels score: its columns, made of one block of lines at a time."""

    columns: Mapping[str, Any]
    metrics: Sequence[str]
    edits: Sequence[Line]
    source: Source

    @staticmethod
    def of(folder: Path, info: Info) -> PixelScan:
        """The scores of a run folder; BadInput as ``read_lines`` raises it."""
        blocks, rows = JournalBlocks(folder / JOURNAL, judged=False), PixelRows()
        for lines in blocks:
            rows.add(lines)
        columns, metrics = rows.table(repeats_of(info))
        return PixelScan(columns, metrics, list(rows.edits.values()), blocks.source)

    def coverage(self, info: Info) -> dict[str, int]:
        """How many edits have which status."""
        return pixel_coverage(info, self.columns)

    def summary(self, info: Info) -> dict[str, Any]:
        """What summary.json says."""
        return pixel_summary(info, self.columns, self.metrics, self.edits)

    def tables(self, info: Info) -> Tables:
        """Both tables."""
        return _tables(info, self.summary(info), self.columns, self.source)


def _tables(info: Info, summarized: dict[str, Any], columns: Mapping[str, Any], source: Source) -> Tables:
    made_of = {"journal": source.to_json(), "settings": _settings_hash(info)}
    scores = as_parquet(columns, {"editscope": json.dumps({STAMP: made_of}, sort_keys=True)})
    return Tables(summarized, scores, {**made_of, "scores": content_hash(scores), "summary": _content_hash(summarized)})


def write_tables(folder: Path, tables: Tables) -> None:
    """Write both, each whole or not at all; the summary last, since its stamp speaks for both."""
    for name, data in tables.files.items():
        write_whole(folder / name, data, make_folder=False)


def kept_summary(folder: Path, info: Info, source: Source) -> dict[str, Any] | None:
    """The summary in a run folder, without its stamp; None where either table is not what was made from this journal.

    A summary or a table of scores that was changed, cut short or emptied since then is found out by its hash.
    """
    stored = _read(folder)
    if stored is None:
        return None
    stamp = stored.pop(STAMP, None)
    try:
        scores = content_hash(read_file(folder / SCORES, DOCUMENT))
    except OSError:
        return None
    wanted = {
        "journal": source.to_json(),
        "settings": _settings_hash(info),
        "scores": scores,
        "summary": _content_hash(stored),
    }
    return stored if stamp == wanted else None


def read_columns(folder: Path, names: Sequence[str]) -> dict[str, list[Any]] | None:
    """Columns of a scores.parquet that ``kept_summary`` has found to be right; None where it cannot be read."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(folder / SCORES) as file:  # read_table would import pandas
            table = file.read(columns=list(names), use_threads=False)
    except (OSError, pa.ArrowException):
        return None
    return {name: table.column(name).to_pylist() for name in names}


def summary_of(
    folder: Path, info: Info, source: Source, make: Callable[[], Tables], *, archive: Path | None = None
) -> tuple[dict[str, Any], str]:
    """The summary of a finished run, made again where the tables on disk do not follow from the journal.

    ``make`` makes the tables of that journal. They are then written too, unless this is an archive, the folder may not
    be written, or another process writes it now. The second value is a sentence for the user where figures on disk
    were others; "" where all is well.
    """
    stored = kept_summary(folder, info, source)
    if stored is not None:
        return stored, ""
    tables = make()
    there = _read(folder)
    stamp = None if there is None else there.pop(STAMP, None)
    older = there is not None and _follows_older_rules(info, there, stamp)
    was = not older and (folder / SUMMARY).exists() and there != json.loads(json.dumps(tables.summary))
    name = archive or folder
    if archive is None and _written(folder, tables, source):
        return tables.summary, f"{name}: its tables did not follow from its journal and were made again" if was else ""
    stay = "what is shown follows from the journal, and the files stay as they are"
    return tables.summary, f"{name}: its tables do not follow from its journal; {stay}" if was else ""


def _follows_older_rules(info: Info, stored: Mapping[str, Any], stamp: Any) -> bool:
    """Whether a summary is as an earlier version made it, before the rules of today."""
    made_of = stamp if isinstance(stamp, dict) else {}
    older = {_settings_hash(info, rules) for rules in OLDER_RULES}
    return made_of.get("settings") in older and made_of.get("summary") == _content_hash(stored)


def _written(folder: Path, tables: Tables, source: Source) -> bool:
    """Whether the tables could be written: nobody else holds the run, and its journal is still the same."""
    with contextlib.suppress(BadInput, DiskError), Lock(folder / JOURNAL, busy(folder), create=False):
        if read_source(folder) == source:
            write_tables(folder, tables)
            return True
    return False


def _read(folder: Path) -> dict[str, Any] | None:
    """What summary.json says, whoever wrote it; None where it says nothing."""
    try:
        content = read_json(read_file(folder / SUMMARY, DOCUMENT))
    except (OSError, ValueError):
        return None
    return content if isinstance(content, dict) else None


def _content_hash(content: Mapping[str, Any]) -> str:
    as_read = json.loads(json.dumps(content))
    return content_hash(json.dumps(as_read, sort_keys=True, separators=(",", ":")).encode())


def _settings_hash(info: Info, rules: int | None = RULES) -> str:
    """A hash of what tables depend on besides the journal: how they average, and what counts."""
    judging = {
        name: value for name, value in (info.get("judging") or {}).items() if name not in ("limits", "snapshots")
    }
    settings = {
        "suite": info["suite"]["name"],
        "n": info["selection"]["n"],
        "editor": info["editor"]["spec"] or info["editor"]["name"],
        "judge": info["judge"],
        "repeats": repeats_of(info),
        "aggregation": info["aggregation"],
        "judging": judging,
        **({} if rules is None else {"rules": rules}),
    }
    return _content_hash(settings)
