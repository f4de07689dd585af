"""Writing of annotated files: all of them or none, and earlier ones kept beside."""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from editscope.errors import BadInput
from editscope.suites.datafolder.rows import inside


def write_files(root: Path, contents: Mapping[str, bytes]) -> tuple[Path, ...]:
    """Write files below a folder, each by a rename; a file that changes is copied first, with ``.bak`` and the time.

    All new files are on disk before the first one takes its place, so that a full disk changes nothing.
    """
    waiting: list[tuple[Path, Path]] = []
    try:
        for name, data in contents.items():
            path = inside(root, name)
            if path is None:
                raise BadInput(f"{name!r} leaves the folder that is written to; correct the id or the task")
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.is_file() and path.read_bytes() == data:
                continue
            temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
            waiting.append((temporary, path))
            with temporary.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
        for _, path in waiting:
            if path.exists():
                shutil.copy2(path, backup_name(path))
        for temporary, path in waiting:
            temporary.replace(path)
    finally:
        for temporary, _ in waiting:
            temporary.unlink(missing_ok=True)
    return tuple(path for _, path in waiting)


def backup_name(path: Path) -> Path:
    """A name for the copy of a file that no other file has: ``cases.jsonl.20250131-120000.bak``."""
    stamp = datetime.now().strftime("%Y%m%d-%H%M%S")
    name = path.with_name(f"{path.name}.{stamp}.bak")
    number = 1
    while name.exists():
        number += 1
        name = path.with_name(f"{path.name}.{stamp}-{number}.bak")
    return name


def json_list_bytes(entries: Iterable[Mapping[str, Any]]) -> bytes:
    """A JSON file with a list of objects."""
    return (json.dumps(list(entries), ensure_ascii=False, indent=2) + "\n").encode()


def json_lines_bytes(entries: Iterable[Mapping[str, Any]]) -> bytes:
    """A file with one JSON object a line."""
    return "".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in entries).encode()


def csv_bytes(columns: Sequence[str], entries: Iterable[Mapping[str, Any]]) -> bytes:
    """A CSV file with a byte order mark, as spreadsheets write it."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, columns, restval="", extrasaction="ignore", lineterminator="\r\n")
    writer.writeheader()
    writer.writerows(entries)
    return b"\xef\xbb\xbf" + text.getvalue().encode()
