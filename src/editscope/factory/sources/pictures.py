"""Pictures from files: a folder of them as a source, and a file as a blob."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar

from editscope.errors import BadImage, BadInput
from editscope.factory.records import Fields
from editscope.factory.sources.base import RecordSource
from editscope.factory.steps.tools import Tools
from editscope.files import PICTURE, read_file

TYPES = {".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".webp": "image/webp"}


class FileFolderSource(RecordSource):
    """The files of a folder and of folders in it that have certain endings, by name."""

    endings: ClassVar[Collection[str]] = ()
    what: ClassVar[str] = "files"
    named_by = ("file",)

    def identity(self, tools: Tools) -> Any:
        """The settings, and name and size of every file."""
        folder = self.folder(tools)
        files = [[path.relative_to(folder).as_posix(), path.stat().st_size] for path in self.files(folder)]
        return [*super().identity(tools), files]

    def count(self, tools: Tools) -> int | None:
        """How many files there are."""
        return len(self.files(self.folder(tools)))

    def folder(self, tools: Tools) -> Path:
        """The folder; BadInput where there is none."""
        folder = tools.folder / str(self.settings["path"])
        if not self.settings["path"] or not folder.is_dir():
            raise BadInput(f"the source {self.settings['path']!r} is not a folder; name one with {self.what}")
        return folder

    def files(self, folder: Path) -> list[Path]:
        """The files, in order."""
        return sorted(path for path in folder.rglob("*") if path.suffix.lower() in self.endings and path.is_file())


class FolderSource(FileFolderSource):
    """The pictures of a folder and of folders in it, by name. What cannot be read as a picture is left out.

    Each record has ``picture``, ``file`` (the path in the folder), ``width``, ``height`` and ``license``.
    """

    settings_of: ClassVar = {"path": "", "license": ""}
    endings: ClassVar = TYPES
    what: ClassVar = "pictures"

    def records(self, tools: Tools, start: int = 0) -> Iterator[Fields]:
        """A record for each picture; one that does not decode has ``broken`` with the reason."""
        from editscope.images import load

        folder = self.folder(tools)
        for path in islice(self.files(folder), start, None):
            name = path.relative_to(folder).as_posix()
            shared = {"file": name, "license": self.settings["license"]}
            try:
                height, width = load(path).shape[:2]
                blob = picture_blob(path, tools)
            except (BadImage, BadInput, OSError) as error:
                yield {**shared, "broken": str(error).replace(f"{folder}/", "")}
                continue
            yield {**shared, "picture": blob, "width": width, "height": height}


def picture_blob(path: Path, tools: Tools) -> dict[str, str]:
    """The file of a picture as a blob; BadInput where it cannot be read."""
    kind = TYPES.get(path.suffix.lower())
    if kind is None:
        raise BadInput(f"{path} is not a picture: its name ends with none of {', '.join(TYPES)}")
    try:
        return tools.blobs.put(read_file(path, PICTURE), kind)
    except OSError as error:
        raise BadInput(f"{path} cannot be read ({error.strerror}); check the path") from error
