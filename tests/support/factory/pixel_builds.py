"""Builds of plans over made pictures and videos: a source of given fields, and steps by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from editscope.factory.blobs import BlobStore
from editscope.factory.records import Fields, Record
from editscope.factory.steps.base import Outcome, PlainStep, WholeStep
from editscope.factory.steps.registry import make_source, make_step
from editscope.factory.steps.tools import Tools
from editscope.images import Pixels, encode_png, load


class Bench:
    """A folder with blobs, in which steps are tried on single records."""

    def __init__(self, folder: Path) -> None:
        self.tools = Tools(BlobStore(folder / "blobs"), folder)

    def picture(self, pixels: Pixels) -> dict[str, str]:
        return self.tools.blobs.put(encode_png(pixels))

    def video(self, data: bytes) -> dict[str, str]:
        return self.tools.blobs.put(data, "video/mp4")

    def pixels(self, blob: Mapping[str, Any]) -> Pixels:
        return load(self.tools.blobs.get(blob))

    def applied(self, use: str, fields: Fields, **settings: Any) -> Outcome:
        """What a step makes of one record."""
        step = make_step({"name": "tried", "use": use, **settings}, "test")
        assert isinstance(step, PlainStep)
        return step.apply(Record("000001", fields), self.tools)

    def decided(self, use: str, records: Sequence[Fields], **settings: Any) -> list[str]:
        """Why each record is dropped by a step over all; "" where it stays."""
        step = make_step({"name": "tried", "use": use, **settings}, "test")
        assert isinstance(step, WholeStep)
        made = [Record(f"{place:06d}", fields) for place, fields in enumerate(records)]
        return [decision.dropped for decision in step.decide(made, self.tools)]

    def source(self, use: str, **settings: Any) -> Iterator[Fields]:
        """The records of a source."""
        return make_source({"use": use, **settings}, "test").records(self.tools)
