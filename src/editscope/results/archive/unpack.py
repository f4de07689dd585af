"""Archives of runs, opened without trust: nothing leaves the folder, nothing grows without end."""

from __future__ import annotations

import os
import re
import shutil
import stat
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Any

from editscope.cachefolder import cache_folder
from editscope.documents import read_json
from editscope.errors import BadInput
from editscope.files import JOURNAL, open_file, read_file
from editscope.results.archive.pack import CHUNK, FORMAT, KIND, MANIFEST
from editscope.runfolder.files import DiskError, safe_path
from editscope.runfolder.run_json import read_info
from editscope.version import __version__

# Pictures are stored as they are, so a real archive unpacks to a few times its size.
MOST_GROWTH = 50
FREE_GROWTH = 64 << 20
LARGEST_MANIFEST = 256 << 20
TEXTS = frozenset({".json", ".jsonl", ".parquet", ".log"})
"""Files whose content decides what a run says; the hash of a picture is in the journal."""
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


@dataclass(frozen=True, eq=False)
class Archive:
    """An open archive whose names and sizes are harmless; what the files hold is not checked yet."""

    path: Path
    manifest: Mapping[str, Any]
    seal: str
    _zip: zipfile.ZipFile

    @property
    def files(self) -> Mapping[str, Mapping[str, Any]]:
        """Size and hash of every file that should be there."""
        files: Mapping[str, Mapping[str, Any]] = self.manifest["files"]
        return files

    def content(self, name: str) -> bytes:
        """All bytes of one file; raises BadInput unless they are those that the manifest promises."""
        return b"".join(self.chunks(name))

    def chunks(self, name: str) -> Iterator[bytes]:
        """The bytes of one file, piece by piece; raises BadInput at the end if they are not the promised ones."""
        digest, size = sha256(), 0
        try:
            with self._zip.open(name) as source:
                while chunk := source.read(CHUNK):
                    digest.update(chunk)
                    size += len(chunk)
                    yield chunk
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, NotImplementedError) as error:
            raise BadInput(f"{self.path}: {name} cannot be read ({error}); get the archive again") from error
        wanted = self.files[name]
        if (size, digest.hexdigest()) != (wanted["size"], wanted["sha256"]):
            raise BadInput(f"{self.path}: {name} is not the file that was packed (its SHA-256 differs)")


@contextmanager
def opened_archive(path: Path) -> Iterator[Archive]:
    """An archive of a run, after every check that needs only its list of files."""
    try:
        file = open_file(path)
    except FileNotFoundError:
        raise BadInput(f"there is no file {path}") from None
    except OSError as error:
        raise BadInput(f"{path} cannot be read ({error.strerror}); check the path") from error
    try:
        with file, zipfile.ZipFile(file) as archive:
            seal, manifest = _manifest(path, archive)
            _check_names(path, archive, manifest["files"])
            _check_sizes(path, archive, manifest["files"])
            yield Archive(path, manifest, seal, archive)
    except zipfile.BadZipFile as error:
        raise BadInput(
            f"{path} is neither a run folder nor a whole archive made by `editscope pack` ({error}); get it again"
        ) from error


def unpacked_run(path: Path) -> Path:
    """The folder with the content of an archive, unpacked into the user's cache the first time, every hash checked.

    The folder is found again by the seal of the archive, so a copy of the file under another name is not
    unpacked twice.
    """
    with opened_archive(path) as archive:
        home = cache_folder() / "archives" / archive.seal[:32]
        folder = home / str(safe_path(str(archive.manifest["run"]).replace("/", "_")))
        if folder.is_dir():
            if _as_packed(archive, folder):
                return folder
            shutil.rmtree(home, ignore_errors=True)  # somebody changed it since; the archive has it as it was
        _check_room(path, home, archive)
        temporary = home.with_name(f".{home.name}.{os.getpid()}.tmp")
        try:
            for name in archive.files:
                _extract(archive, name, temporary / folder.name / name)
            _check_run(path, temporary / folder.name)
            _put(temporary, home, folder)
        except OSError as error:
            raise DiskError(
                f"cannot unpack {path} into {home}: {error.strerror or error}; "
                "make room, or set EDITSCOPE_CACHE to another folder"
            ) from error
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
    return folder


def _as_packed(archive: Archive, folder: Path) -> bool:
    """Whether an unpacked archive is still what was packed: all sizes, and the hashes of all but pictures."""
    try:
        for name, file in archive.manifest["files"].items():
            place = folder / name
            if place.stat().st_size != file["size"]:
                return False
            if PurePosixPath(name).suffix in TEXTS and sha256(read_file(place, JOURNAL)).hexdigest() != file["sha256"]:
                return False
    except OSError:
        return False
    return True


def _manifest(path: Path, archive: zipfile.ZipFile) -> tuple[str, dict[str, Any]]:
    try:
        entry = archive.getinfo(MANIFEST)
    except KeyError:
        raise BadInput(f"{path} is a ZIP file without {MANIFEST}: `editscope pack` did not make it") from None
    if entry.file_size > LARGEST_MANIFEST or entry.compress_type not in METHODS or entry.flag_bits & 1:
        raise BadInput(f"{path}: {MANIFEST} is not one that `editscope pack` writes")
    try:
        data = archive.read(entry)
        manifest = read_json(data)
        known = manifest["kind"] == KIND
        archive_format = int(manifest["format"])
        cases = manifest["cases"]
        counted = all(type(cases[name]) is int and cases[name] >= 0 for name in ("all", "scored"))
        named = isinstance(manifest["run"], str) and isinstance(manifest["images"], bool)
        whole = (
            counted
            and named
            and all(
                re.fullmatch("[0-9a-f]{64}", file["sha256"]) and int(file["size"]) >= 0
                for file in manifest["files"].values()
            )
        )
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadInput(f"{path}: {MANIFEST} cannot be read ({type(error).__name__}: {error}); get it again") from error
    if known and archive_format > FORMAT:
        raise BadInput(
            f"{path} has archive format {archive_format}; this is editscope {__version__} and reads up to {FORMAT}: "
            "upgrade with pip install --upgrade editscope"
        )
    if not (known and whole):
        raise BadInput(f"{path}: {MANIFEST} does not describe a run; `editscope pack` did not make it")
    return sha256(data).hexdigest(), manifest


def _check_names(path: Path, archive: zipfile.ZipFile, files: Mapping[str, Any]) -> None:
    """Every entry is a plain file with a harmless name, and they are just those of the manifest."""
    seen = set()
    for entry in archive.infolist():
        name = entry.filename
        # orig_filename still has what zipfile cut away or turned round.
        if not _harmless(name) or name != entry.orig_filename:
            raise BadInput(f"{path} holds a file {entry.orig_filename!r} that would leave its folder; do not trust it")
        kind = stat.S_IFMT(entry.external_attr >> 16)
        if entry.is_dir() or kind not in (0, stat.S_IFREG):
            what = "link" if kind == stat.S_IFLNK else "folder" if entry.is_dir() else "special file"
            raise BadInput(f"{path} holds {name!r}, which is a {what}; an archive of a run has plain files only")
        if entry.compress_type not in METHODS or entry.flag_bits & 1:
            raise BadInput(f"{path}: {name} is encrypted or compressed in a way that `editscope pack` never uses")
        if name.casefold() in seen:
            raise BadInput(f"{path} holds {name!r} twice; do not trust it")
        seen.add(name.casefold())
    names = set(archive.namelist()) - {MANIFEST}
    for said, odd in (("lacks", files.keys() - names), ("holds", names - files.keys())):
        if odd:
            more = f" and {len(odd) - 1:,} more" if len(odd) > 1 else ""
            why = "which its manifest promises" if said == "lacks" else "which its manifest does not know"
            raise BadInput(f"{path} {said} {min(odd)!r}{more}, {why}; get the archive again")


def _harmless(name: str) -> bool:
    """Whether a name stays below the folder it is put in, on every system.

    >>> [_harmless(name) for name in ("images/a/0.png", "../a", "/a", "a/./b", "a//b", "C:a", "a\\\\b", "", "a\\0b")]
    [True, False, False, False, False, False, False, False, False]
    """
    return not re.search(r"[\\:\x00-\x1f]", name) and all(part.strip(". ") for part in name.split("/"))


def _check_sizes(path: Path, archive: zipfile.ZipFile, files: Mapping[str, Any]) -> None:
    for entry in archive.infolist():
        if entry.filename != MANIFEST and entry.file_size != files[entry.filename]["size"]:
            raise BadInput(f"{path}: {entry.filename} has not the size that was packed; get the archive again")
    whole, there = sum(entry.file_size for entry in archive.infolist()), path.stat().st_size
    if whole > FREE_GROWTH + MOST_GROWTH * there:
        raise BadInput(
            f"{path} would grow from {there:,} to {whole:,} bytes, more than any run does; it was not unpacked"
        )


def _check_room(path: Path, home: Path, archive: Archive) -> None:
    nearest = home
    while not nearest.exists():
        nearest = nearest.parent
    needed, free = sum(int(file["size"]) for file in archive.files.values()), shutil.disk_usage(nearest).free
    if needed > free:
        raise BadInput(
            f"{path} unpacks to {needed:,} bytes and {nearest} has {free:,} free; "
            "make room, or set EDITSCOPE_CACHE to another folder"
        )


def _extract(archive: Archive, name: str, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("xb") as file:
        for chunk in archive.chunks(name):
            file.write(chunk)


def _check_run(path: Path, folder: Path) -> None:
    """Read the run as everybody will, so that a forged journal is refused here and not in the middle of a report."""
    from editscope.results.run import Run

    try:
        run = Run(folder, read_info(folder), archive=path)
        run.rows()
        run.records()
        if run.complete:
            _ = run.summary
    except BadInput as error:
        raise BadInput(
            f"{path} cannot be opened: {str(error).replace(f'{folder}/', '').replace(str(folder), 'it')}"
        ) from error
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise BadInput(
            f"{path} holds a journal that Editscope did not write ({type(error).__name__}: {error})"
        ) from error


def _put(temporary: Path, home: Path, folder: Path) -> None:
    """Move the finished folder to its place; another process may have been faster, which is as good."""
    try:
        temporary.rename(home)
    except OSError:
        if not folder.is_dir():
            raise
