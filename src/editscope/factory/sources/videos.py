"""Videos from files: a folder of them as a source."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import ClassVar

from editscope.factory.records import Fields
from editscope.factory.sources.pictures import FileFolderSource
from editscope.factory.steps.tools import Tools
from editscope.factory.video.places import video_reference
from editscope.factory.video.reading import ENDINGS, BadVideo, VideoLimits, open_video


class VideoFolderSource(FileFolderSource):
    """The videos of a folder and of folders in it, by name. They stay where they are.

    Each record has ``video`` (which file, and a hash that stands for its content), ``file`` (the path in the folder),
    ``license``, ``seconds``, ``fps``, ``width`` and ``height``; one that cannot be read has ``broken`` instead.
    Videos over ``most_seconds`` or ``most_mib`` count as broken.
    """

    settings_of: ClassVar = {"path": "", "license": "", "most_seconds": 3600.0, "most_mib": 16384}
    endings: ClassVar = ENDINGS
    what: ClassVar = "videos"

    def records(self, tools: Tools, start: int = 0) -> Iterator[Fields]:
        """A record for each file."""
        folder = self.folder(tools)
        limits = VideoLimits(seconds=float(self.settings["most_seconds"]), bytes=self.settings["most_mib"] << 20)
        for path in islice(self.files(folder), start, None):
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
