"""Steps over real videos: a record for each shot, and a record for each pair of frames that a shot gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from editscope.errors import BadInput
from editscope.factory.records import Record
from editscope.factory.steps.base import Outcome, StepFailed, dropped, kept
from editscope.factory.steps.pixels.base import PixelStep
from editscope.factory.steps.tools import Tools
from editscope.factory.video.pairing import PairLimits, choose_pairs, looked_at
from editscope.factory.video.places import video_path
from editscope.factory.video.reading import BadVideo, open_video
from editscope.factory.video.shots import DETECTORS, find_shots
from editscope.images import encode_png

THRESHOLDS = {"content": 27.0, "adaptive": 3.0}
"""What PySceneDetect takes by default."""


class ShotsStep(PixelStep):
    """A record for each shot of a video that lasts at least ``least_s`` seconds: ``start_s``, ``end_s``.

    ``detector`` is ``content`` or ``adaptive``; a ``threshold`` of 0 stands for PySceneDetect's own: 27 and 3.
    """

    kind = "expand"
    fields_of: ClassVar = ("video",)
    settings_of: ClassVar = {"video": "video", "detector": "content", "threshold": 0.0, "least_s": 1.0, "most": 0}
    decisive = ("least_s", "threshold", "detector")

    def __init__(self, name: str, settings: Mapping[str, Any], reads: Sequence[str] = ()) -> None:
        super().__init__(name, settings, reads)
        if self.settings["detector"] not in DETECTORS:
            known = " or ".join(DETECTORS)
            raise BadInput(f"step {name!r}: detector is {self.settings['detector']!r}; choose {known}")
        for setting in ("threshold", "least_s", "most"):
            self.at_least(setting, 0)

    def look(self, record: Record, tools: Tools) -> Outcome:
        """A record for each shot."""
        detector = self.settings["detector"]
        threshold = self.settings["threshold"] or THRESHOLDS[detector]
        try:
            with open_video(video_path(record, self.settings["video"], tools)) as video:
                shots = find_shots(video.frames(), detector, threshold)
        except BadVideo as error:
            return dropped(str(error))
        long = [shot for shot in shots if shot.seconds >= self.settings["least_s"]]
        if not long:
            return dropped(f"no shot of {self.settings['least_s']:g} s")
        return kept(*({"start_s": shot.start_s, "end_s": shot.end_s} for shot in long[: self.settings["most"] or None]))


class PairsStep(PixelStep):
    """A record for each pair of frames of a shot: what they show changed, and the camera stood.

    At most ``most`` pairs a shot, which do not overlap. Two frames are a pair with ``least_gap_s`` to ``most_gap_s``
    between them, where ``least_change`` to ``most_change`` of the pixels changed and the camera moved at most
    ``most_shift`` percent of the longer side. Adds ``before``, ``after``, ``gap_s``, ``change``, ``camera_shift``,
    ``before_s``, ``after_s``, ``width`` and ``height``. Without ``start_s`` and ``end_s`` the whole video is one shot.
    """

    kind = "expand"
    fields_of: ClassVar = ("video",)
    settings_of: ClassVar = {
        "video": "video", "most": 2, "least_gap_s": 0.5, "most_gap_s": 6.0, "least_change": 0.02, "most_change": 0.5,
        "most_shift": 0.6,
    }  # fmt: skip
    decisive = ("least_gap_s", "most_gap_s", "least_change", "most_change", "most_shift")

    def __init__(self, name: str, settings: Mapping[str, Any], reads: Sequence[str] = ()) -> None:
        super().__init__(name, settings, reads)
        self.at_least("most", 1, 100)
        for least, most in (("least_gap_s", "most_gap_s"), ("least_change", "most_change")):
            self.at_least(least, 0)
            self.at_least(most, self.settings[least])

    def fields_read(self) -> tuple[str, ...]:
        """The video, and the part of it."""
        return (*super().fields_read(), "start_s", "end_s")

    def look(self, record: Record, tools: Tools) -> Outcome:
        """A record for each pair."""
        try:
            with open_video(video_path(record, self.settings["video"], tools)) as video:
                start, end = float(record.fields.get("start_s") or 0.0), record.fields.get("end_s")
                if end is None:
                    end = video.first_and_last()[1].time_s
                    if not end:
                        return dropped("one frame only")
                if not isinstance(end, int | float) or end <= start:
                    raise StepFailed(f"end_s is {end!r}: no time after start_s")
                frames = [frame for frame in video.at(looked_at(start, end)) if frame.time_s >= start - 1e-6]
        except BadVideo as error:
            return dropped(str(error))
        limits = PairLimits(**{name: float(self.settings[name]) for name in PairLimits.__dataclass_fields__})
        pairs, reason = choose_pairs(frames, limits, self.settings["most"])
        by_time = {frame.time_s: frame for frame in frames}
        parts = []
        for pair in pairs:
            before, after = (by_time[one].pixels for one in (pair.before_s, pair.after_s))
            blobs = [tools.blobs.put(encode_png(pixels), "image/png") for pixels in (before, after)]
            height, width = before.shape[:2]
            parts.append({
                "before": blobs[0], "after": blobs[1], "gap_s": pair.gap_s, "change": pair.change,
                "camera_shift": pair.camera_shift, "before_s": pair.before_s, "after_s": pair.after_s,
                "width": width, "height": height,
            })  # fmt: skip
        return kept(*parts) if parts else dropped(reason)
