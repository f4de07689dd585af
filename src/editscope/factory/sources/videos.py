"""Videos from files: a folder of them as a source."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar

from editscope.errors import BadInput
from editscope.factory.records import Fields
from editscope.factory.sources.base import RecordSource
from editscope.factory.steps.tools import Tools
from editscope.factory.video.places import video_reference
from editscope.factory.video.reading import ENDINGS, BadVideo, VideoLimits, open_video


class VideoFolderSource(RecordSource):
    """The videos of a folder and of folders in it, by name. They stay where they are.

    Each record has ``video`` (which file, and a hash that stands for its content), ``file`` (the path in the folder),
    ``license``, ``seconds``, ``fps``, ``width`` and ``height``; one that cannot be read has ``broken`` instead.
    Videos over ``most_seconds`` or ``most_mib`` count as broken.
    """

    settings_of: ClassVar = {"path": "", "license": "", "most_seconds": 3600.0, "most_mib": 16384}

    def identity(self, tools: Tools) -> Any:
        """The settings, and name and size of every file."""
        folder = self._folder(tools)
        files = [[path.relative_to(folder).as_posix(), path.stat().st_size] for path in self._files(folder)]
        return [*super().identity(tools), files]

    def records(self, tools: Tools, start: int = 0) -> Iterator[Fields]:
        """A record for each file."""
        folder = self._folder(tools)
        limits = VideoLimits(seconds=float(self.settings["most_seconds"]), bytes=self.settings["most_mib"] << 20)
        for path in islice(self._files(folder), start, None):
            name = path.relative_to(folder).as_posix()
            shared = {"file": name, "license": self.settings["license"]}
            try:
                with open_video(path, limits) as video:
                    facts = video.facts()
                reference = video_reference(str(self.settings["path"]), name, path)
            except (BadVideo, OSError) as error:
                yield {**shared, "broken": error.strerror if isinstance(error, OSError) else str(error)}
                continue
            size = {"width": facts.width, "height": facts.height}
            yield {**shared, "video": reference, "seconds": facts.seconds, "fps": facts.fps, **size}

    def count(self, tools: Tools) -> int | None:
        """How many files there are."""
        return len(self._files(self._folder(tools)))

    def _folder(self, tools: Tools) -> Path:
        folder = tools.folder / str(self.settings["path"])
        if not self.settings["path"] or not folder.is_dir():
            raise BadInput(f"the source {self.settings['path']!r} is no folder; name one with videos")
        return folder

    def _files(self, folder: Path) -> list[Path]:
        return sorted(path for path in folder.rglob("*") if path.suffix.lower() in ENDINGS and path.is_file())
