"""Pairs of frames within a shot: what they show changed, and the camera stood."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from editscope.factory.checks.camera import camera_motion
from editscope.factory.checks.change import changed_share, measured
from editscope.factory.video.reading import VideoFrame

SIDE = 256
"""Change of candidates is measured with this longer side."""
CAMERA_SIDE = 512
FRAMES = 24
"""Frames of a shot that are looked at, at most, at equal times."""


@dataclass(frozen=True, slots=True)
class PairLimits:
    """What makes two frames a pair: seconds between them, share of pixels that changed, camera motion in percent."""

    least_gap_s: float = 0.5
    most_gap_s: float = 6.0
    least_change: float = 0.02
    most_change: float = 0.5
    most_shift: float = 0.6


@dataclass(frozen=True, slots=True)
class FramePair:
    """Two frames of a shot, by their times from the beginning of the video."""

    before_s: float
    after_s: float
    change: float
    camera_shift: float

    @property
    def gap_s(self) -> float:
        """The seconds between them."""
        return round(self.after_s - self.before_s, 6)


def looked_at(start_s: float, end_s: float, most: int = FRAMES) -> list[float]:
    """The times of a shot at which frames are looked at; its outermost fiftieths, where cuts fade, are left out.

    >>> looked_at(1.0, 2.0, 3)
    [1.02, 1.5, 1.98]
    """
    margin = 0.02 * (end_s - start_s)
    step = (end_s - start_s - 2 * margin) / (most - 1)
    return [round(start_s + margin + step * number, 6) for number in range(most)]


def choose_pairs(frames: Sequence[VideoFrame], limits: PairLimits, most: int) -> tuple[list[FramePair], str]:
    """At most ``most`` pairs of frames of one shot, and the reason where there is none.

    Candidates have a gap and a change within the limits. Those with the most change come first, the shorter gap where
    two have the same. A pair is taken where the camera stands, and where no pair that is taken overlaps it in time.
    """
    frames = _distinct(frames)
    small = [measured(frame.pixels, SIDE) for frame in frames]
    candidates: list[tuple[float, float, int, int]] = []
    in_reach = False
    largest = 0.0
    for i, first in enumerate(frames):
        for j in range(i + 1, len(frames)):
            gap = frames[j].time_s - first.time_s
            if not limits.least_gap_s <= gap <= limits.most_gap_s:
                continue
            in_reach = True
            change = changed_share(small[i], small[j])
            largest = max(largest, change)
            if limits.least_change <= change <= limits.most_change:
                candidates.append((-round(change, 5), round(gap, 6), i, j))
    if not in_reach:
        return [], "shot too short"
    if not candidates:
        return [], "nothing changed" if largest < limits.least_change else "too much changed"
    return _standing(frames, sorted(candidates), limits, most)


def _standing(
    frames: Sequence[VideoFrame], candidates: Sequence[tuple[float, float, int, int]], limits: PairLimits, most: int
) -> tuple[list[FramePair], str]:
    taken: list[FramePair] = []
    for tried, (change, _, i, j) in enumerate(candidates):
        if len(taken) == most or tried == 8 * most:  # a camera that moves all the time is not worth every candidate
            break
        first, second = frames[i], frames[j]
        if any(first.time_s < pair.after_s and pair.before_s < second.time_s for pair in taken):
            continue
        motion = camera_motion(measured(first.pixels, CAMERA_SIDE), measured(second.pixels, CAMERA_SIDE))
        if motion.matched and motion.share <= limits.most_shift:
            taken.append(FramePair(first.time_s, second.time_s, -change, motion.share))
    taken.sort(key=lambda pair: pair.before_s)
    return taken, "" if taken else "the camera moves"


def _distinct(frames: Sequence[VideoFrame]) -> list[VideoFrame]:
    """Frames without those that were asked for twice."""
    return [frame for place, frame in enumerate(frames) if not place or frame.index != frames[place - 1].index]
