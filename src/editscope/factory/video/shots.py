"""Shots of a video: the parts between cuts, found by PySceneDetect from the frames that we decode."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from editscope.factory.checks.change import measured
from editscope.factory.extra import factory_package
from editscope.factory.video.reading import VideoFrame

SIDE = 320
"""Frames are compared with this longer side."""
DETECTORS = ("content", "adaptive")


@dataclass(frozen=True, slots=True)
class Shot:
    """A part of a video without a cut: from its first frame to the end of its last one, in seconds."""

    start_s: float
    end_s: float

    @property
    def seconds(self) -> float:
        """Its length."""
        return self.end_s - self.start_s


def find_shots(
    frames: Iterable[VideoFrame], detector: str = "content", threshold: float = 27.0, least_s: float = 0.6
) -> list[Shot]:
    """The shots of a video, in order, by the times of its frames.

    ``content`` cuts where hue, saturation and brightness of two frames differ by ``threshold`` on average, of 255.
    ``adaptive`` cuts where they differ by ``threshold`` times as much as frames around them, so that fast camera
    motion is no cut. Cuts within ``least_s`` of each other are one.
    """
    found = _detector(detector, threshold, least_s)
    times: list[float] = []
    cuts: set[int] = set()
    timecode = factory_package("scenedetect.common", "finding shots").FrameTimecode
    for number, frame in enumerate(frames):
        times.append(frame.time_s)
        # Frames are counted in milliseconds here, so that a variable frame rate gives lengths in real time.
        stamp = timecode(round(1000 * frame.time_s), Fraction(1000))
        for cut in found.process_frame(stamp, measured(frame.pixels, SIDE)[..., ::-1].copy()):
            cuts.add(cut.frame_num)
        if number == 0:
            first = stamp
    if not times:
        return []
    for cut in found.post_process(timecode(round(1000 * times[-1]), Fraction(1000))):
        cuts.add(cut.frame_num)
    last = times[-1] + ((times[-1] - times[0]) / (len(times) - 1) if len(times) > 1 else 0.0)
    begins = [times[0]] + [time_s for time_s in times[1:] if round(1000 * time_s) in cuts and time_s > first.seconds]
    return [Shot(begin, end) for begin, end in zip(begins, [*begins[1:], round(last, 6)], strict=True)]


def _detector(name: str, threshold: float, least_s: float) -> Any:
    detectors = factory_package("scenedetect.detectors", "finding shots")
    if name == "adaptive":
        return detectors.AdaptiveDetector(adaptive_threshold=threshold, min_scene_len=float(least_s))
    return detectors.ContentDetector(threshold=threshold, min_scene_len=float(least_s))
