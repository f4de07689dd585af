"""Datasets of the Hugging Face hub: fetched at one pinned revision, and Parquet unpacked into files."""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import xxhash

from editscope.cachefolder import cache_folder
from editscope.errors import BadInput
from editscope.files import open_file

_SPEC = re.compile(r"hf:([\w.-]+/[\w.-]+)(?:@([\w./-]+))?")
_COMMIT = re.compile(r"[0-9a-f]{40}")
_SUFFIXES = {b"\x89PNG": ".png", b"\xff\xd8\xff": ".jpg", b"RIFF": ".webp"}


def fetch(spec: str) -> tuple[Path, str]:
    """The folder of a dataset ``hf:OWNER/NAME[@REVISION]``, and the same spec with its commit, for the run's record.

    A branch or tag is looked up and replaced by the commit that it stands for now. What is in the hub's cache is not
    fetched again, and a commit that is there whole needs no network.
    """
    match = _SPEC.fullmatch(spec)
    if match is None:
        raise BadInput(f"--data {spec!r} is not of the form hf:OWNER/NAME or hf:OWNER/NAME@REVISION")
    name, revision = match.groups()
    try:
        from huggingface_hub import HfApi, snapshot_download
    except ImportError as error:
        raise BadInput(
            f"--data {spec} needs the library of the Hugging Face hub: pip install datasets (which brings it), "
            "or download the dataset yourself and give its folder"
        ) from error
    where: dict[str, Any] = {"repo_type": "dataset", "endpoint": os.environ.get("HF_ENDPOINT") or None}
    try:
        if revision is None or not _COMMIT.fullmatch(revision):
            revision = HfApi(endpoint=where["endpoint"]).dataset_info(name, revision=revision).sha
            return Path(snapshot_download(name, revision=revision, **where)), f"hf:{name}@{revision}"
        try:
            folder = snapshot_download(name, revision=revision, local_files_only=True, **where)
        except Exception:  # not all there: whatever is wrong shows when it is fetched
            folder = snapshot_download(name, revision=revision, **where)
        return Path(folder), f"hf:{name}@{revision}"
    except Exception as error:
        raise BadInput(
            f"{spec} cannot be fetched ({_reason(error)}); check name, revision and network, or download the dataset "
            "elsewhere and give its folder"
        ) from error


def parquet_files(folder: Path) -> list[Path]:
    """The Parquet files of a dataset's folder, in order."""
    return sorted(path for path in folder.rglob("*.parquet") if path.is_file())


def unpack(files: Sequence[Path], listing: str) -> Path:
    """The rows of Parquet files as a folder: pictures as files, byte for byte, and the rest in a JSON file.

    The folder is in the cache, named by the content of the files, so that it is made once. ``index`` is the number of
    the row unless the table has one; of a column ``input_image`` the pictures go to ``input_img`` and their places
    into a field ``input_path``.
    """
    home = cache_folder() / "datasets"
    folder = home / content_digest(files)
    if (folder / listing).is_file():
        return folder
    try:
        home.mkdir(parents=True, exist_ok=True)
        making = Path(tempfile.mkdtemp(prefix="making-", dir=home))
        try:
            _write(files, making, listing)
            making.chmod(0o755)
            making.rename(folder)
        finally:
            shutil.rmtree(making, ignore_errors=True)
    except OSError as error:
        if not (folder / listing).is_file():  # another process may have been faster
            why = error.strerror or error
            raise BadInput(
                f"{folder} cannot be written ({why}); make room, or set EDITSCOPE_CACHE to another folder"
            ) from error
    return folder


def _write(files: Sequence[Path], folder: Path, listing: str) -> None:
    rows = []
    for number, fields in enumerate(_rows(files)):
        row: dict[str, Any] = {"index": number}
        for name, value in fields.items():
            # A column names a folder, so it must be a name and not a path.
            if isinstance(value, dict) and isinstance(value.get("bytes"), bytes) and re.fullmatch(r"\w+", name):
                stem = name.removesuffix("_image")
                place = f"{stem}_img/{number:05d}{_suffix(value['bytes'])}"
                (folder / place).parent.mkdir(exist_ok=True)
                (folder / place).write_bytes(value["bytes"])
                row[f"{stem}_path"] = place
            elif not isinstance(value, bytes):
                row[name] = value
        rows.append(row)
    (folder / listing).write_text(json.dumps(rows, ensure_ascii=False, default=str, indent=1), encoding="utf-8")


def _rows(files: Sequence[Path]) -> Iterator[dict[str, Any]]:
    import pyarrow as pa
    from pyarrow import parquet

    for path in files:
        try:
            with open_file(path) as file, parquet.ParquetFile(file) as table:
                for batch in table.iter_batches(batch_size=16):
                    yield from batch.to_pylist()
        except pa.ArrowException as error:
            reason = " ".join(str(error).split())[:120]
            raise BadInput(f"{path} cannot be read as Parquet ({reason}); download it again") from error


def content_digest(files: Sequence[Path]) -> str:
    """Hash of the bytes of all files, by which what is made of them is found in the cache."""
    digest = xxhash.xxh3_128()
    for path in files:
        try:
            with open_file(path) as file:
                while part := file.read(1 << 24):
                    digest.update(part)
        except OSError as error:
            raise BadInput(f"{path} cannot be read ({error.strerror}); download it again") from error
    return digest.hexdigest()


def _suffix(data: bytes) -> str:
    return next((suffix for start, suffix in _SUFFIXES.items() if data.startswith(start)), ".img")


def _reason(error: Exception) -> str:
    """The kind of an error and its first line, which names no key."""
    kinds = {
        "RepositoryNotFoundError": "there is no such dataset, or it is not public",
        "GatedRepoError": "its owner asks for an agreement; log in with `hf auth login`",
        "RevisionNotFoundError": "it has no such revision",
        "LocalEntryNotFoundError": "the hub cannot be reached",
        "ConnectError": "the hub cannot be reached",
        "ConnectTimeout": "the hub cannot be reached",
        "OfflineModeIsEnabled": "HF_HUB_OFFLINE is set",
    }
    known = next((kinds[base.__name__] for base in type(error).__mro__ if base.__name__ in kinds), None)
    return known or f"{type(error).__name__}: {(str(error).splitlines() or [''])[0][:120]}"
