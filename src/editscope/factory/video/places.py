"""Where the video of a record lies: a blob of the build, or a file in a folder that the plan names."""

from __future__ import annotations

import os
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from editscope.errors import BadInput
from editscope.factory.blobs import BlobGone
from editscope.factory.records import BLOB, Record
from editscope.factory.steps.base import StepFailed
from editscope.factory.steps.tools import Tools
from editscope.files import lies_in, open_file

SAMPLED = 1 << 20
"""Bytes at the beginning and at the end of a file that stand for its content."""


def content_of(path: Path) -> str:
    """A hash of the size of a file and of its first and last MiB; a copy or a new date does not change it."""
    with open_file(path) as file:
        size = os.fstat(file.fileno()).st_size
        hashed = sha256(str(size).encode())
        hashed.update(os.pread(file.fileno(), SAMPLED, 0))
        hashed.update(os.pread(file.fileno(), SAMPLED, max(0, size - SAMPLED)))
    return hashed.hexdigest()


def video_reference(folder: str, file: str, path: Path) -> dict[str, Any]:
    """The value that stands for a video file in a record; large videos are not copied into the build."""
    return {"folder": folder, "file": file, "bytes": path.stat().st_size, "content": content_of(path)}


def video_path(record: Record, field: str, tools: Tools) -> Path:
    """The file of a record's video; BadInput where it is gone or another one now."""
    video = record.fields.get(field)
    if not isinstance(video, Mapping) or (BLOB not in video and "file" not in video):
        raise StepFailed(f"the field {field!r} is not a video")
    if BLOB in video:
        path = tools.blobs.path(video)
        if not path.is_file():
            raise BlobGone(path)
        return path
    folder = tools.folder / str(video.get("folder", ""))
    path = folder / str(video["file"])
    if Path(str(video["file"])).is_absolute() or not lies_in(path, folder):
        raise BadInput(f"the video {video['file']!r} leaves its folder; use a path inside it")
    try:
        same = content_of(path) == video.get("content")
    except OSError as error:
        raise BadInput(f"{path} cannot be read ({error.strerror}); check its permissions, or restore it") from error
    if not same:
        raise BadInput(f"{path} changed since the build began; restore it, or start a new build")
    return path
