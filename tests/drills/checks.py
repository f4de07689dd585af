"""What must hold of a run folder whatever happened to it: nothing lost, no table that its journal does not give."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

import editscope as es
from drills.tally import Tally
from editscope.errors import BadImage, EditscopeError
from editscope.images import decode
from editscope.runfolder.journal import FILE as JOURNAL
from editscope.runfolder.journal import Line, progress
from support.run_results import summary_but_speed

INFO, SCORES, SUMMARY = "run.json", "scores.parquet", "summary.json"


def raw_lines(run: Path) -> list[bytes]:
    """The whole lines of a journal, as they are on disk."""
    path = run / JOURNAL
    return path.read_bytes().split(b"\n")[:-1] if path.exists() else []


def lines_of(run: Path) -> list[Line]:
    """The whole lines of a journal."""
    return [json.loads(line) for line in raw_lines(run)]


class Witness:
    """Remembers the lines and pictures of a run, and says what has vanished or changed since."""

    def __init__(self, run: Path) -> None:
        self.run = run
        self._lines: list[bytes] = []
        self._pictures: dict[tuple[str, str], tuple[Line, str]] = {}

    def look(self, tally: Tally, after: str) -> None:
        """Compare the run with what was seen before, and remember it as it is now."""
        lines = raw_lines(self.run)
        if lines[: len(self._lines)] != self._lines:
            gone = Counter(self._lines) - Counter(lines)
            tally.add(
                "lost", f"{gone.total()} lines of {self.run} vanished or moved after {after}", max(1, gone.total())
            )
        self._lines = lines
        for step, line in progress(map(json.loads, lines)).edits.items():
            if isinstance(line["image"], str):
                self._picture(step, line, tally, after)

    def _picture(self, step: tuple[str, str], line: Line, tally: Tally, after: str) -> None:
        path = self.run / line["image"]
        try:
            decode(path)
            digest = sha256(path.read_bytes()).hexdigest()
        except (BadImage, OSError) as error:
            tally.add("lost", f"the edit {step} of {self.run} has a line but no picture after {after} ({error})")
            return
        known = self._pictures.get(step)
        if known is not None and known[0] == line and known[1] != digest:
            tally.add("lost", f"the picture of {step} in {self.run} became another one after {after}")
        self._pictures[step] = line, digest


@contextmanager
def only_journal(run: Path) -> Iterator[es.Run]:
    """The same run without any table: all that it says follows from its journal."""
    with tempfile.TemporaryDirectory() as folder:
        for name in (INFO, JOURNAL):
            if (run / name).exists():
                shutil.copy(run / name, folder)
        yield es.open_run(folder)


def check_tables(run: Path, tally: Tally, after: str) -> None:
    """Both tables of a run that says it is done follow from its journal."""
    with only_journal(run) as right:
        if not right.rows()["case_id"]:
            return
        wanted_rows, wanted = right.table(), _plain(right.summary)
    try:
        rows = pq.read_table(run / SCORES)
        if not rows.equals(wanted_rows):
            tally.add("stale", f"{run / SCORES} does not follow from the journal after {after}")
        summary = json.loads((run / SUMMARY).read_text(encoding="utf-8"))
    except (OSError, ValueError, pa.ArrowException) as error:
        tally.add("stale", f"a table of {run} cannot be read after {after} ({error})")
        return
    if unlike := _unlike(wanted, summary):
        tally.add("stale", f"{run / SUMMARY} does not follow from the journal in {unlike} after {after}")


def check_readers(run: Path, tally: Tally, after: str) -> None:
    """Whoever opens a run, done or not, sees numbers that follow from its journal."""
    with only_journal(run) as right:
        if not right.rows()["case_id"]:
            return
        wanted = _plain(right.summary)
    try:
        unlike = _unlike(wanted, _plain(es.open_run(run).summary))
    except EditscopeError as error:
        tally.add("other", f"{run} cannot be opened after {after}: {error}")
        return
    if unlike:
        tally.add("stale", f"open_run shows numbers of {run} that its journal does not give in {unlike} after {after}")


def _unlike(wanted: dict[str, Any], found: dict[str, Any]) -> list[str]:
    """Where a summary differs from what it must be; it may say more, such as which journal it was made of."""
    return [name for name, value in wanted.items() if name not in found or found[name] != value]


def _plain(summary: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(json.dumps(dict(summary)))
    return found


def differences(one: Path, other: Path) -> list[str]:
    """Where the results of two runs differ: scores, summary and every picture; not how long it took."""
    found = []
    tables = [pq.read_table(run / SCORES) for run in (one, other)]
    if [table.shape for table in tables] != [tables[0].shape] * 2:
        return [f"{SCORES} has {tables[1].shape} rows and columns, not {tables[0].shape}"]
    unlike = [name for name in tables[0].column_names if name != "latency_s" and not _same(tables, name)]
    found += [f"{SCORES} in {unlike}"] if unlike else []
    kept = [summary_but_speed(run) for run in (one, other)]
    found += [f"{SUMMARY} in {name}" for name in {**kept[0], **kept[1]} if kept[0].get(name) != kept[1].get(name)]
    pictures = [_pictures(run) for run in (one, other)]
    names = sorted({*pictures[0], *pictures[1]})
    return found + [name for name in names if pictures[0].get(name) != pictures[1].get(name)]


def _same(tables: list[Any], name: str) -> bool:
    return name in tables[1].column_names and bool(tables[0].column(name).equals(tables[1].column(name)))


def _pictures(run: Path) -> dict[str, str]:
    files = [path for room in ("images", "thumbs") for path in (run / room).rglob("*") if path.is_file()]
    return {path.relative_to(run).as_posix(): sha256(path.read_bytes()).hexdigest() for path in files}
