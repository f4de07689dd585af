"""The step that takes frames out of a video: the first, the last, and some in between."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from editscope.factory.records import Record
from editscope.factory.steps.base import Outcome, dropped, kept
from editscope.factory.steps.pixels.base import PixelStep
from editscope.factory.steps.tools import Tools
from editscope.factory.video.places import video_path
from editscope.factory.video.reading import BadVideo, Video, VideoFrame, open_video
from editscope.images import encode_png


class FramesStep(PixelStep):
    """The first and the last frame of a video as pictures, and ``between`` frames at equal times between them.

    ``first_s`` and ``last_s`` leave out seconds at the beginning and at the end, ``trim`` a share of the whole at
    each. Where a record has ``start_s`` and ``end_s``, only that part of the video counts. Adds ``before``, ``after``,
    ``frames`` (where ``between`` is given), ``fps``, ``seconds``, ``width`` and ``height``.
    """

    kind = "map"
    fields_of: ClassVar = ("video",)
    settings_of: ClassVar = {"video": "video", "between": 0, "first_s": 0.0, "last_s": 0.0, "trim": 0.0}
    decisive = ("video", "first_s", "last_s", "trim")

    def __init__(self, name: str, settings: Mapping[str, Any], reads: Sequence[str] = ()) -> None:
        super().__init__(name, settings, reads)
        self.at_least("between", 0, 1000)
        self.at_least("first_s", 0)
        self.at_least("last_s", 0)
        self.at_least("trim", 0, 0.49)

    def fields_read(self) -> tuple[str, ...]:
        """The video, and the part of it."""
        return (*super().fields_read(), "start_s", "end_s")

    def look(self, record: Record, tools: Tools) -> Outcome:
        """The record with frames, or why the video has none to use."""
        try:
            with open_video(video_path(record, self.settings["video"], tools)) as video:
                return self._taken(video, record, tools)
        except BadVideo as error:
            return dropped(str(error))

    def _taken(self, video: Video, record: Record, tools: Tools) -> Outcome:
        start, end = float(record.fields.get("start_s") or 0.0), record.fields.get("end_s")
        whole = video.first_and_last(start, end)
        if whole[0].index == whole[1].index:
            return dropped("one frame only")
        span = whole[1].time_s - whole[0].time_s
        fps = (whole[1].index - whole[0].index) / span
        first_s = whole[0].time_s + self.settings["first_s"] + self.settings["trim"] * span
        last_s = whole[1].time_s - self.settings["last_s"] - self.settings["trim"] * span
        if last_s <= first_s:
            return dropped(f"too short: {span + 1 / fps:.2f} s")
        between = self.settings["between"]
        if not between and (first_s, last_s) == (whole[0].time_s, whole[1].time_s):
            taken = list(whole)
        else:
            step = (last_s - first_s) / (between + 1)
            taken = video.at([first_s + step * number for number in range(between + 1)] + [last_s])
        if taken[0].index == taken[-1].index:
            return dropped("one frame only")
        pictures = [self._kept(frame, tools) for frame in taken]
        height, width = taken[0].pixels.shape[:2]
        facts = {"fps": round(fps, 3), "seconds": round(span + 1 / fps, 3), "width": width, "height": height}
        inner = {"frames": pictures[1:-1]} if between else {}
        return kept({"before": pictures[0], "after": pictures[-1], **inner, **facts})

    def _kept(self, frame: VideoFrame, tools: Tools) -> dict[str, str]:
        return tools.blobs.put(encode_png(frame.pixels), "image/png")
