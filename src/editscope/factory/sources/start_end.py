"""Start and end pictures from a folder: ``kettle_start.png`` and ``kettle_end.png``."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar

from editscope.errors import BadImage, BadInput
from editscope.factory.records import Fields
from editscope.factory.sources.base import RecordSource
from editscope.factory.sources.pictures import TYPES, picture_blob
from editscope.factory.steps.tools import Tools

START, END = "_start", "_end"


class StartEndSource(RecordSource):
    """Pairs of pictures in a folder and folders in it, whose names differ by ``_start`` and ``_end`` alone.

    Each record has ``start_picture``, ``end_picture``, ``file`` (the name of the pair) and ``license``. A start without
    an end is an error; a picture that does not decode gives a record with ``broken`` and the reason.
    """

    settings_of: ClassVar = {"path": "", "license": ""}
    named_by = ("file",)

    def identity(self, tools: Tools) -> Any:
        """The settings, and name and size of every file."""
        files = [[path.name, path.stat().st_size] for pair in self._pairs(tools).values() for path in pair]
        return [*super().identity(tools), files]

    def records(self, tools: Tools, start: int = 0) -> Iterator[Fields]:
        """A record for each pair."""
        from editscope.images import load

        for name, (first, last) in islice(self._pairs(tools).items(), start, None):
            shared = {"file": name, "license": self.settings["license"]}
            try:
                for path in (first, last):
                    load(path)
                yield {**shared, "start_picture": picture_blob(first, tools), "end_picture": picture_blob(last, tools)}
            except (BadImage, OSError) as error:
                yield {**shared, "broken": str(error).replace(f"{first.parent}/", "")}

    def count(self, tools: Tools) -> int | None:
        """How many pairs there are."""
        return len(self._pairs(tools))

    def _pairs(self, tools: Tools) -> dict[str, tuple[Path, Path]]:
        folder = tools.folder / str(self.settings["path"])
        if not self.settings["path"] or not folder.is_dir():
            raise BadInput(f"the source {self.settings['path']!r} is not a folder; it needs start and end pictures")
        named: dict[tuple[str, str], Path] = {}
        for path in sorted(folder.rglob("*")):
            ending = next((one for one in (START, END) if path.stem.endswith(one)), "")
            if path.suffix.lower() in TYPES and ending and path.is_file():
                stem = path.relative_to(folder).with_name(path.stem.removesuffix(ending)).as_posix()
                if (stem, ending) in named:
                    raise BadInput(
                        f"{path} and {named[stem, ending].name} are both the {ending[1:]} of {stem}; keep one"
                    )
                named[stem, ending] = path
        for (stem, ending), path in named.items():
            if (stem, END if ending == START else START) not in named:
                missing = END if ending == START else START
                raise BadInput(f"{path} has no other end; put {Path(stem).name}{missing}{path.suffix} beside it")
        return {stem: (path, named[stem, END]) for (stem, ending), path in named.items() if ending == START}
