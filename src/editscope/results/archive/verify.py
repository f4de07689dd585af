"""Verification of an archive: every hash, and whether tables and pictures agree with the journal."""

from __future__ import annotations

import io
import json
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import xxhash

from editscope.errors import BadInput, EditscopeError
from editscope.results.archive.pack import OnProgress
from editscope.results.archive.unpack import Archive, opened_archive
from editscope.results.stored_tables import STAMP
from editscope.results.tables import SCORES, SUMMARY, finished, score_columns, scored, summary
from editscope.runfolder.journal import FILE as JOURNAL
from editscope.runfolder.journal import Line, Progress, progress, read_lines
from editscope.runfolder.repeats import repeats_of
from editscope.runfolder.run_json import FILE as INFO
from editscope.runfolder.run_json import Info, is_judged, read_info
from editscope.runfolder.stored_edits import HASH
from editscope.stats.small_groups import FEW, HIDDEN

TOLERANCE = 1e-6
LATER = ("accounting", "unsupported", "low", "high", "resized", "left_unchanged")
"""Parts of the tables that earlier versions did not write."""


@dataclass(frozen=True, slots=True)
class ArchiveCheck:
    """What the verification of an archive found; ``problems`` is empty where everything holds."""

    path: Path
    seal: str
    files: int
    size: int
    cases: int
    scored: int
    images: bool
    problems: tuple[str, ...]


def check_archive(path: str | Path, told: OnProgress | None = None) -> ArchiveCheck:
    """Read every byte of an archive and recompute its tables from its journal.

    Raises BadInput where the archive cannot be opened at all; whatever is wrong inside is in ``problems``,
    a sentence each.
    """
    path = Path(path)
    if path.is_dir():
        raise BadInput(f"{path} is a folder; --check verifies an archive that `editscope pack {path}` makes")
    with opened_archive(path) as archive:
        problems = list(_hashes(archive, told))
        damaged = {name for name, _ in problems}
        sentences = [sentence for _, sentence in problems]
        if not damaged & {INFO, JOURNAL}:
            sentences += _contents(archive, damaged)
        manifest = archive.manifest
        return ArchiveCheck(
            path=path,
            seal=archive.seal,
            files=len(archive.files) + 1,
            size=path.stat().st_size,
            cases=int(manifest["cases"]["all"]),
            scored=int(manifest["cases"]["scored"]),
            images=bool(manifest["images"]),
            problems=tuple(sentences),
        )


def _hashes(archive: Archive, told: OnProgress | None) -> Iterator[tuple[str, str]]:
    for number, name in enumerate(archive.files):
        try:
            for _ in archive.chunks(name):
                pass
        except BadInput as error:
            yield name, str(error)
        if told is not None:
            told(number + 1, len(archive.files))


def _contents(archive: Archive, damaged: set[str]) -> Iterator[str]:
    """What the journal contradicts: the tables, and the pictures that should be there."""
    for name in (INFO, JOURNAL):
        if name not in archive.files:
            yield f"{archive.path} holds no {name}, without which there is no run"
            return
    with tempfile.TemporaryDirectory(prefix="editscope-check-") as scratch:
        folder = Path(scratch)
        for name in (INFO, JOURNAL):
            (folder / name).write_bytes(archive.content(name))
        try:
            info = read_info(folder)
            lines, _ = read_lines(folder, judged=is_judged(info))
            yield from _tables(archive, damaged, info, progress(lines))
            yield from _pictures(archive, damaged, lines)
        except (EditscopeError, KeyError, TypeError, ValueError) as error:
            reason = str(error) if isinstance(error, EditscopeError) else f"{type(error).__name__}: {error}"
            yield f"{archive.path}: the journal cannot be followed ({reason.replace(f'{folder}/', '')})"


def _tables(archive: Archive, damaged: set[str], info: Info, journal: Progress) -> Iterator[str]:
    pairs = scored(journal)
    done = finished(pairs, repeats_of(info))
    complete = done >= int(info["selection"]["n"])
    for name in (SUMMARY, SCORES):
        if complete and name not in archive.files:
            yield f"{archive.path} holds a finished run without {name}"
    counted = archive.manifest["cases"]["scored"]
    if counted != done:
        yield f"{archive.path}: the manifest says {counted:,} scored cases, the journal has {done:,}"
    if SUMMARY in archive.files and SUMMARY not in damaged:
        wanted = json.loads(json.dumps(summary(info, pairs, journal)))
        stored = json.loads(archive.content(SUMMARY))
        if isinstance(stored, dict):
            stored.pop(STAMP, None)  # about files, which the manifest has hashes of; the content is compared here
        where = difference(stored, _with_old_intervals(stored, _as_written(stored, wanted)))
        if where:
            yield f"{archive.path}: {SUMMARY} does not follow from the journal: {where}"
    if SCORES in archive.files and SCORES not in damaged:
        columns = _parquet(archive.content(SCORES))
        where = difference(columns, _as_written(columns, score_columns(info, pairs)))
        if where:
            yield f"{archive.path}: {SCORES} does not follow from the journal: {where}"


def _as_written(found: Any, wanted: dict[str, Any]) -> dict[str, Any]:
    """The tables without what the version that wrote the archive did not know yet."""
    return {key: value for key, value in wanted.items() if key not in LATER or key in found}


def _with_old_intervals(found: Any, wanted: Any) -> Any:
    """The same with the intervals that earlier versions wrote where cases carry none, and this one no longer does."""
    if isinstance(found, Mapping) and isinstance(wanted, Mapping):
        same = {key: _with_old_intervals(found.get(key), value) for key, value in wanted.items()}
        if "lo" in wanted and wanted["lo"] is None and found.get("lo") is not None and not {FEW, HIDDEN} & {*found}:
            same |= {end: found[end] for end in ("lo", "hi") if end in found}
            same = {key: value for key, value in same.items() if key not in (FEW, HIDDEN)}
        return same
    if isinstance(found, list) and isinstance(wanted, list) and len(found) == len(wanted):
        return [_with_old_intervals(*pair) for pair in zip(found, wanted, strict=True)]
    return wanted


def _parquet(data: bytes) -> dict[str, list[Any]]:
    import pyarrow.parquet as pq

    try:
        columns: dict[str, list[Any]] = pq.read_table(io.BytesIO(data)).to_pydict()
    except Exception as error:  # whatever PyArrow finds wrong, the file is not one of ours
        raise BadInput(f"{SCORES} cannot be read: {error}") from error
    return columns


def _pictures(archive: Archive, damaged: set[str], lines: list[Line]) -> Iterator[str]:
    """Edits that the journal says are inside, and are not, or are others than it speaks of."""
    if not archive.manifest["images"]:
        return
    lost = set(archive.manifest["lost"])
    gone, other = [], []
    for (case_id, _), line in progress(lines).edits.items():
        place = line["image"]
        inside = place.get("packed") if isinstance(place, dict) else place
        if place is not None and inside not in archive.files and case_id not in lost:
            gone.append(case_id)
        elif _is_another(archive, damaged, inside, line.get(HASH)):
            other.append(case_id)
    for cases, wrong in ((gone, "is in the journal and not in the archive"), (other, "is not the one of the journal")):
        if cases:
            more = f" and {len(cases) - 1:,} more" if len(cases) > 1 else ""
            yield f"{archive.path}: the edit of {cases[0]}{more} {wrong}"


def _is_another(archive: Archive, damaged: set[str], name: object, wanted: str | None) -> bool:
    """Whether a picture in an archive is whole, and has another hash than the one that the journal keeps of it."""
    if not isinstance(name, str) or name not in archive.files or name in damaged or not wanted:
        return False
    digest = xxhash.xxh3_128()
    for piece in archive.chunks(name):
        digest.update(piece)
    return bool(digest.hexdigest() != wanted)


def difference(found: Any, wanted: Any, at: str = "") -> str:
    """Where two nested values differ first, in words; nothing where they agree (numbers: to 1e-6).

    >>> difference({"overall": {"miou": {"mean": 12.5, "n": 4}}}, {"overall": {"miou": {"mean": 12.4, "n": 4}}})
    'overall.miou.mean is 12.5 there and 12.4 here'
    >>> difference([1.0, None], [1.0 + 1e-9, None])
    ''
    """
    if isinstance(found, Mapping) and isinstance(wanted, Mapping):
        for key in dict.fromkeys([*wanted, *found]):
            inside = f"{at}.{key}" if at else str(key)
            if key not in found or key not in wanted:
                return f"{inside} is only {'here' if key in wanted else 'there'}"
            where = difference(found[key], wanted[key], inside)
            if where:
                return where
        return ""
    if isinstance(found, list | tuple) and isinstance(wanted, list | tuple):
        if len(found) != len(wanted):
            return f"{at} has {len(found):,} entries there and {len(wanted):,} here"
        pairs = enumerate(zip(found, wanted, strict=True))
        return next((where for i, (a, b) in pairs if a != b and (where := difference(a, b, f"{at}[{i}]"))), "")
    if _equal(found, wanted):
        return ""
    return f"{at} is {found!r} there and {wanted!r} here"


def _equal(found: Any, wanted: Any) -> bool:
    if isinstance(found, int | float) and isinstance(wanted, int | float):
        return abs(found - wanted) <= TOLERANCE * max(1.0, abs(wanted))
    return bool(found == wanted)
