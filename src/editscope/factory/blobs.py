"""Blobs: pictures and videos of a build, each a file that is named by the hash of its bytes."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from editscope.errors import BadInput
from editscope.factory.records import BLOB
from editscope.files import DOCUMENT, read_file, sync_path
from editscope.runfolder.files import write_whole

ENDINGS = {"image/png": ".png", "image/jpeg": ".jpg", "image/webp": ".webp", "video/mp4": ".mp4"}
_NAME = re.compile(r"[0-9a-f]{64}")


class BlobGone(BadInput):
    """A blob whose file is gone; ``name`` is the hash of its bytes."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"the blob {path} is gone; restore it, or build again to make it again")
        self.name = path.stem


class BlobStore:
    """A folder of blobs. Putting the same bytes twice keeps them once; with ``read_only`` it only names them."""

    def __init__(self, folder: Path, *, read_only: bool = False) -> None:
        self.folder, self.read_only = folder, read_only

    def put(self, data: bytes, kind: str = "image/png") -> dict[str, str]:
        """Keep bytes; the value that stands for them in a record."""
        if kind not in ENDINGS:
            raise BadInput(f"a blob cannot be of the type {kind!r}; choose from {', '.join(ENDINGS)}")
        made = {BLOB: sha256(data).hexdigest(), "type": kind}
        path = self.path(made)
        # A power cut may leave an empty file.
        if not self.read_only and (not path.is_file() or path.stat().st_size != len(data)):
            write_whole(path, data, sync=False)
        return made

    def path(self, blob: Mapping[str, Any]) -> Path:
        """The file of a blob."""
        name, kind = blob.get(BLOB), blob.get("type")
        if not isinstance(name, str) or not _NAME.fullmatch(name) or kind not in ENDINGS:
            raise BadInput(f"{blob!r} is not a blob: it needs the hash of its bytes and a type")
        return self.folder / name[:2] / f"{name}{ENDINGS[str(kind)]}"

    def get(self, blob: Mapping[str, Any]) -> bytes:
        """The bytes of a blob; BadInput if the file is gone or was changed."""
        path = self.path(blob)
        try:
            data = read_file(path, DOCUMENT)
        except FileNotFoundError as error:
            raise BlobGone(path) from error
        except OSError as error:
            raise BadInput(
                f"the blob {path} cannot be read ({error.strerror}); check its permissions, or restore it"
            ) from error
        if sha256(data).hexdigest() != blob[BLOB]:
            raise BadInput(f"the blob {path} was changed; delete it and build again to restore it")
        return data

    def is_gone(self, blob: Mapping[str, Any]) -> bool:
        """Whether the file of a blob does not exist."""
        name, ending = blob.get(BLOB), ENDINGS.get(str(blob.get("type")))
        if not isinstance(name, str) or not _NAME.fullmatch(name) or ending is None:  # a field that is only called so
            return False
        return not os.path.isfile(  # noqa: PTH113 - a path for each of a million records takes seconds
            f"{self.folder}/{name[:2]}/{name}{ending}"
        )

    def names(self) -> set[str]:
        """The hashes of all blobs, from one listing of the folder."""
        folders = [place.path for place in _entries(self.folder) if place.is_dir()]
        return {name for folder in folders for place in _entries(folder) if (name := place.name.partition(".")[0])}

    def sync(self) -> None:
        """Wait until the disk has the folder's entries."""
        if self.folder.is_dir():
            sync_path(self.folder)


def _entries(folder: Path | str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []
