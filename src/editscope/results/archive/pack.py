"""Archives of runs, packed: one file with journal, pictures, tables, hashes and versions that anybody can verify."""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Any

import xxhash

from editscope.errors import BadInput
from editscope.files import open_file
from editscope.results.stored_tables import kept_summary, make_tables
from editscope.results.tables import SCORES, SUMMARY, finished, scored
from editscope.runfolder.files import safe_path, writing
from editscope.runfolder.journal import FILE as JOURNAL
from editscope.runfolder.journal import Line, Source, Step, busy, parse_journal, progress, read_lines
from editscope.runfolder.journal_lines import encoded_line
from editscope.runfolder.lock import reading_lock
from editscope.runfolder.repeats import repeats_of
from editscope.runfolder.run_json import FILE as INFO
from editscope.runfolder.run_json import Info, is_judged, read_info
from editscope.runfolder.stored_edits import HASH, damaged
from editscope.version import __version__

FORMAT = 1
MANIFEST = "MANIFEST.json"
KIND = "editscope run"
SUFFIX = ".zip"
FILES = (INFO, "measures.parquet", "errors.log", "editor.log")
FOLDERS = ("images", "thumbs")
# Pictures and Parquet are compressed already; text shrinks to a fifth.
TEXT = frozenset({".json", ".jsonl", ".log"})
BEGINNING = (1980, 1, 1, 0, 0, 0)
CHUNK = 1 << 20

OnProgress = Callable[[int, int], None]
"""Called with the number of files done and of all."""


@dataclass(frozen=True, slots=True)
class Packed:
    """An archive that was written; ``seal`` is the SHA-256 of its manifest and stands for everything inside."""

    path: Path
    files: int
    size: int
    seal: str
    complete: bool
    lost: tuple[str, ...]

    def warnings(self) -> list[str]:
        """What whoever opens the archive will miss, in sentences."""
        sentences = []
        if not self.complete:
            sentences.append("the run is not finished; the archive holds the cases that are")
        if self.lost:
            cases = ", ".join(self.lost[:3]) + (" …" if len(self.lost) > 3 else "")
            sentences.append(f"{len(self.lost):,} edits are no longer where they were and not in the archive ({cases})")
        return sentences


@dataclass(frozen=True, slots=True)
class _Entry:
    """One file to be: its name inside, and its bytes or where they are."""

    name: str
    source: Path | None
    data: bytes = b""
    stored: str = ""
    """The hash that the journal has of an edit; "" where it has none."""

    def chunks(self) -> Iterator[bytes]:
        if self.source is None:
            yield self.data
            return
        with open_file(self.source) as file:
            while chunk := file.read(CHUNK):
                yield chunk

    @property
    def size(self) -> int:
        return len(self.data) if self.source is None else self.source.stat().st_size


def pack(
    run: str | Path, out: str | Path | None = None, *, images: bool = True, told: OnProgress | None = None
) -> Packed:
    """Write a run folder into one ZIP archive; without ``out``, beside the folder under its name.

    Edits that were made elsewhere are copied in, and the journal inside says where they are. Without
    ``images`` the full-size edits stay out and the thumbnails remain. The same run makes the same bytes:
    names are sorted and times are fixed. The file appears whole or not at all.
    """
    folder = Path(run)
    if folder.is_file():
        raise BadInput(
            f"{folder} is a file; pack takes a run folder (to verify an archive: editscope pack --check FILE)"
        )
    info = read_info(folder)
    named = folder if folder.name not in ("", "..") else folder.resolve()
    target = Path(out) if out is not None else named.with_name(named.name + SUFFIX)
    _check_target(target, folder)
    if not (folder / JOURNAL).exists():
        raise BadInput(f"{folder} has no {JOURNAL} yet, so there is nothing to pack; `editscope resume {folder}`")
    with reading_lock(folder / JOURNAL, busy(folder)):
        lines, source = read_lines(folder, judged=is_judged(info))
        edits, lost = _edits(folder, lines, images)
        done = finished(scored(progress(lines)), repeats_of(info))
        packed = _journal(folder, lines, edits)
        tables = _tables(folder, info, lines, source, packed, done)
        entries = sorted(_entries(folder, packed, tables, edits), key=lambda entry: entry.name)
        about = {
            "kind": KIND,
            "format": FORMAT,
            "run": named.name,
            "suite": {key: info["suite"].get(key) for key in ("name", "fingerprint")},
            "editor": info["editor"]["name"],
            "cases": {"all": info["selection"]["n"], "scored": done},
            "images": images,
            "lost": list(lost),
            "versions": {"editscope": __version__, "run": {"editscope": info.get("editscope"), **info["versions"]}},
        }
        seal = _write(target, folder, about, entries, told)
    complete = done >= int(info["selection"]["n"])
    return Packed(target, len(entries) + 1, target.stat().st_size, seal, complete, lost)


def _check_target(target: Path, folder: Path) -> None:
    if target.is_dir():
        raise BadInput(f"--out {target} is a folder; use the name of a file in it")
    if folder.resolve() in target.resolve().parents and target.resolve().parent.name in FOLDERS:
        raise BadInput(f"--out {target} is among the files to pack; choose another place")
    if not target.absolute().parent.is_dir():
        raise BadInput(f"--out {target}: there is no folder {target.parent}; make it first")


def _edits(folder: Path, lines: list[Line], images: bool) -> tuple[dict[Step, _Entry], tuple[str, ...]]:
    """The edit of every case that has one, under its name in the archive; and the cases whose edit is gone."""
    edits: dict[Step, _Entry] = {}
    lost = []
    for step, line in progress(lines).edits.items():
        place = line["image"]
        if place is None or not images:
            continue
        if isinstance(place, dict):
            source = Path(place["source"])
            variant = f".{safe_path(step[1])}" if step[1] else ""
            name = f"images/{safe_path(step[0])}{variant}_output{_safe_suffix(source)}"
        elif place.startswith("/") or ".." in place.split("/"):
            raise BadInput(f"{folder / JOURNAL} names the image {place!r}, which is outside the run")
        else:
            source, name = folder / place, place
        if source.is_file():
            edits[step] = _Entry(name, source, stored=line.get(HASH) or "")
        else:
            lost.append(step[0])
    return edits, tuple(sorted(lost))


def _safe_suffix(path: Path) -> str:
    suffix = path.suffix.lower()
    return suffix if suffix[1:].isascii() and suffix[1:].isalnum() else ""


def _tables(
    folder: Path, info: Info, lines: list[Line], source: Source, packed: bytes, done: int
) -> Mapping[str, bytes]:
    """The tables as they follow from the journal inside, whatever those in the folder say; none of a run without them.

    The journal inside may have other bytes than the one in the folder, and the stamp of the tables says so.
    """
    complete = done >= int(info["selection"]["n"])
    if not lines or not (complete or any((folder / name).exists() for name in (SCORES, SUMMARY))):
        return {}
    inside = parse_journal(folder / JOURNAL, packed)[1]
    known = kept_summary(folder, info, source)
    if known is not None and inside == source:
        return {name: (folder / name).read_bytes() for name in (SCORES, SUMMARY)}
    return make_tables(info, progress(lines), inside, known).files


def _entries(
    folder: Path, journal: bytes, tables: Mapping[str, bytes], edits: Mapping[Step, _Entry]
) -> Iterator[_Entry]:
    for name, data in {JOURNAL: journal, **tables}.items():
        yield _Entry(name, None, data)
    for name in FILES:
        if (folder / name).is_file():
            yield _Entry(name, folder / name)
    yield from edits.values()
    for path in _below(folder / "thumbs"):
        yield _Entry(path.relative_to(folder).as_posix(), path)


def _below(folder: Path) -> Iterator[Path]:
    """Every file below a folder; links are not followed, so nothing from elsewhere slips in."""
    for here, _, names in os.walk(folder):
        for name in names:
            path = Path(here, name)
            if not name.startswith(".") and path.is_file() and not path.is_symlink():
                yield path


def _journal(folder: Path, lines: list[Line], edits: Mapping[Step, _Entry]) -> bytes:
    """The journal as it is, but edits that lay elsewhere say where they are inside."""
    raw_lines = (folder / JOURNAL).read_bytes().split(b"\n")[: len(lines)]
    for number, line in enumerate(lines):
        place, entry = line.get("image"), edits.get((line["case"], line.get("variant", "")))
        if line["step"] == "edit" and isinstance(place, dict) and entry is not None:
            raw_lines[number] = encoded_line({**line, "image": {**place, "packed": entry.name}})
    return b"".join(line + b"\n" for line in raw_lines)


def _write(target: Path, run: Path, about: Mapping[str, Any], entries: list[_Entry], told: OnProgress | None) -> str:
    """Write the archive beside its place and move it there; the seal of what was written."""
    temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    files: dict[str, dict[str, Any]] = {}
    with writing(target):
        try:
            with temporary.open("wb") as file:
                with zipfile.ZipFile(file, "w") as archive:
                    for number, entry in enumerate(entries):
                        files[entry.name] = _add(archive, entry, run)
                        if told is not None:
                            told(number + 1, len(entries))
                    text = json.dumps({**about, "files": files}, indent=1, ensure_ascii=False) + "\n"
                    _add(archive, _Entry(MANIFEST, None, text.encode()), run)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)
    return sha256(text.encode()).hexdigest()


def _add(archive: zipfile.ZipFile, entry: _Entry, run: Path) -> dict[str, Any]:
    """Stream one file into the archive; its hash and size."""
    info = zipfile.ZipInfo(entry.name, BEGINNING)
    info.compress_type = zipfile.ZIP_DEFLATED if PurePosixPath(entry.name).suffix in TEXT else zipfile.ZIP_STORED
    info.create_system = 3  # Unix, wherever it was packed
    info.external_attr = 0o100644 << 16
    info.file_size = entry.size  # whether the header must leave room for 64 bits
    digest, size, stored = sha256(), 0, xxhash.xxh3_128()
    with archive.open(info, "w") as sink:
        for chunk in entry.chunks():
            digest.update(chunk)
            stored.update(chunk)
            size += len(chunk)
            sink.write(chunk)
    if entry.stored and entry.source is not None and stored.hexdigest() != entry.stored:
        raise BadInput(damaged(entry.source, run))
    return {"sha256": digest.hexdigest(), "size": size}
