"""Frames of a video file by their time, turned upright, within limits; a clear reason where it cannot be read."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from editscope.errors import BadInput
from editscope.factory.extra import factory_package
from editscope.files import open_file
from editscope.images import MAX_PIXELS, Pixels

FORMATS = (
    "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,mpeg,mpegts,mpegvideo,ogg,flv,asf,h264,hevc,gif,m4v,ivf,obu,nut,dv,mxf"
)
"""Formats that are opened. Others are left out: a playlist, for one, reads files that it names."""
_ENDINGS = "3gp avi flv gif m4v mkv mov mp4 mpeg mpg mts ogv ts webm wmv"
ENDINGS = tuple(f".{one}" for one in _ENDINGS.split())
"""Endings of names of video files."""
LOST_SHARE, LOST_S = 0.1, 0.25
"""A video that ends earlier than its header says, by more than both, is broken."""
SEEK_S = 5.0
"""Up to this time a video is decoded from its beginning; for later ones it is wound."""
_KEYED = ("h264", "hevc", "vp8", "vp9", "av1", "libdav1d")
"""Decoders whose pictures mean nothing without the key frame before them, and whose key frames files mark."""
_TURNS = {90: 1, 180: 2, 270: 3}


class BadVideo(BadInput):
    """A video that gives no frames to use. The message is short: it becomes the reason why a record is dropped."""


@dataclass(frozen=True, slots=True)
class VideoLimits:
    """What a video may have at most; beyond that it is not read."""

    seconds: float = 3600.0
    frames: int = 500_000
    pixels: int = MAX_PIXELS
    bytes: int = 16 << 30


LIMITS = VideoLimits()


@dataclass(frozen=True, slots=True)
class VideoFrame:
    """One picture of a video. ``time_s`` counts from the first frame, ``index`` numbers the frames that were read."""

    index: int
    time_s: float
    pixels: Pixels


@dataclass(frozen=True, slots=True)
class VideoFacts:
    """What the header says: size as shown (after turning), seconds (0 where unknown), frames per second on average."""

    width: int
    height: int
    seconds: float
    fps: float


class Video:
    """An open video file."""

    def __init__(self, container: Any, limits: VideoLimits) -> None:
        self._container, self._limits = container, limits
        streams = container.streams.video
        if not streams:
            raise BadVideo(
                "empty video: only sound" if container.streams.audio else "empty video: no stream of pictures"
            )
        self._stream = streams[0]
        self._stream.thread_type = "SLICE"  # as deterministic as one thread, and few frames in memory
        self._check_size(self._stream.codec_context.width, self._stream.codec_context.height)
        self.header_s = self._header_seconds()
        if self.header_s > limits.seconds:
            raise BadVideo(f"video too long: {self.header_s:.0f} s, and {limits.seconds:.0f} s are allowed")

    def frames(self, start_s: float = 0.0, end_s: float | None = None) -> Iterator[VideoFrame]:
        """Frames in the order of their times, from the one that is shown at ``start_s`` to the last before ``end_s``.

        BadVideo where decoding fails or reports damage, where the key frame at the beginning is missing, where no frame
        comes at all, and where the file ends long before its header says. A decoder does not notice all damage.
        """
        found, last = False, 0.0
        held: tuple[int, float, Any] | None = None
        for index, time_s, frame in self._decoded(start_s):
            found, last = True, time_s
            if time_s < start_s - 1e-6:
                held = (index, time_s, frame)
                continue
            if held is not None and time_s > start_s + 1e-6:
                yield self._shown(*held)
            held = None
            if end_s is not None and time_s >= end_s:
                return
            yield self._shown(index, time_s, frame)
        if held is not None:
            yield self._shown(*held)
        if not found:
            raise BadVideo("empty video")
        self._check_end(last)

    def first_and_last(self, start_s: float = 0.0, end_s: float | None = None) -> tuple[VideoFrame, VideoFrame]:
        """The first and the last frame between two times; pixels of those two only are converted."""
        first = last = None
        end = 0.0
        for index, time_s, frame in self._decoded(start_s):
            end = time_s
            if end_s is not None and time_s > end_s + 1e-6 and first is not None:
                break
            if time_s < start_s - 1e-6:
                first = (index, time_s, frame)
                continue
            if first is None or (first[1] < start_s - 1e-6 and time_s <= start_s + 1e-6):
                first = (index, time_s, frame)
            last = (index, time_s, frame)
        else:
            self._check_end(end)
        if first is None:
            raise BadVideo("empty video")
        begun = self._shown(*first)
        return begun, begun if last is None or last[0] == first[0] else self._shown(*last)

    def at(self, times: Sequence[float]) -> list[VideoFrame]:
        """The frame that is shown at each of some times in order: the last one that begins by then."""
        wanted = list(times)
        if wanted != sorted(wanted):
            raise ValueError("the times are not in order")
        found: list[VideoFrame] = []
        before: tuple[int, float, Any] | None = None
        for place in self._decoded(wanted[0] if wanted else 0.0):
            while before is not None and len(found) < len(wanted) and place[1] > wanted[len(found)] + 1e-6:
                found.append(self._shown(*before))
            if len(found) == len(wanted):
                return found
            before = place
        if before is None:
            raise BadVideo("empty video")
        self._check_end(before[1])
        while len(found) < len(wanted):
            found.append(self._shown(*before))
        return found

    def facts(self) -> VideoFacts:
        """Size, length and rate; the first frame is decoded, because it says how the video is turned."""
        for frame in self.frames():
            height, width = frame.pixels.shape[:2]
            return VideoFacts(width, height, round(self.header_s, 6), self._fps())
        raise BadVideo("empty video")

    def _decoded(self, start_s: float = 0.0) -> Iterator[tuple[int, float, Any]]:
        """Frames with a number and the time from the first frame: all, or from a key frame before a time on."""
        av_errors = factory_package("av.error", "reading videos")
        count, previous = 0, -1.0
        first = self._wound_to(start_s) if start_s > SEEK_S else None
        if first is None:
            self._wind(0)
        try:
            for frame in self._whole_frames(first is None):
                self._check_size(frame.width, frame.height)
                time_s = self._time(frame, previous, first)
                if first is None:
                    first = time_s
                time_s -= first
                if frame.is_corrupt:
                    raise BadVideo(f"broken video: damaged at {time_s:.2f} s")
                if time_s > self._limits.seconds:
                    raise BadVideo(f"video too long: over {self._limits.seconds:.0f} s")
                if time_s <= previous:  # two frames of one time: the first stays
                    continue
                yield count, time_s, frame
                previous, count = time_s, count + 1
                if count >= self._limits.frames:
                    raise BadVideo(f"video too long: over {self._limits.frames:,} frames")
        except (av_errors.FFmpegError, ValueError, MemoryError) as error:
            raise BadVideo(f"broken video: {_words(error)}") from error

    def _whole_frames(self, from_beginning: bool) -> Iterator[Any]:
        """Decoded frames; BadVideo where the file says that a packet is damaged, or that the first one is missing."""
        begun = not from_beginning or self._stream.codec_context.name not in _KEYED
        for packet in self._container.demux(self._stream):
            if packet.size:
                if not begun and not packet.is_keyframe:
                    raise BadVideo("broken video: it begins without a key frame")
                begun = True
                if packet.is_corrupt:
                    raise BadVideo("broken video: a damaged packet")
            yield from packet.decode()

    def _wound_to(self, start_s: float) -> float | None:
        """The time of the first frame, after winding to a key frame before a time; None where that cannot be done."""
        self._wind(0)
        first = self._next_time()
        if first is None or not self._wind(first + start_s - 0.5):
            return None
        there = self._next_time()
        return first if there is not None and there <= first + start_s and self._wind(first + start_s - 0.5) else None

    def _wind(self, time_s: float) -> bool:
        av_errors = factory_package("av.error", "reading videos")
        try:
            self._container.seek(int(1_000_000 * time_s))
        except (av_errors.FFmpegError, OSError):
            return False
        return True

    def _next_time(self) -> float | None:
        av_errors = factory_package("av.error", "reading videos")
        try:
            frame = next(iter(self._container.decode(self._stream)), None)
        except (av_errors.FFmpegError, ValueError):
            return None
        return None if frame is None or frame.time is None else float(frame.time)

    def _time(self, frame: Any, previous: float, first: float | None) -> float:
        if frame.time is not None:
            return float(frame.time)
        return (first or 0.0) + (0.0 if previous < 0 else previous + 1.0 / (self._fps() or 25.0))

    def _shown(self, index: int, time_s: float, frame: Any) -> VideoFrame:
        pixels: Pixels = frame.to_ndarray(format="rgb24")
        turns = _TURNS.get(round(float(frame.rotation) / 90) * 90 % 360, 0)
        return VideoFrame(index, round(time_s, 6), np.ascontiguousarray(np.rot90(pixels, turns)))

    def _check_size(self, width: int, height: int) -> None:
        if width * height > self._limits.pixels:
            raise BadVideo(f"frames too large: {width} × {height}, and {self._limits.pixels:,} pixels are allowed")

    def _check_end(self, last_s: float) -> None:
        missing = self.header_s - last_s - 1.0 / (self._fps() or 25.0)
        if self.header_s and missing > max(LOST_S, LOST_SHARE * self.header_s):
            raise BadVideo(f"broken video: it ends after {last_s:.2f} of {self.header_s:.2f} s")

    def _header_seconds(self) -> float:
        stream = self._stream
        if stream.duration and stream.time_base:
            return float(stream.duration * stream.time_base)
        return (self._container.duration or 0) / 1_000_000

    def _fps(self) -> float:
        rate = self._stream.average_rate or self._stream.guessed_rate
        return round(float(rate), 3) if rate else 0.0


@contextmanager
def open_video(path: Path | str | bytes, limits: VideoLimits = LIMITS) -> Iterator[Video]:
    """A video file, or its bytes, opened; BadVideo where it is none or beyond a limit, OSError if it is unreadable."""
    av = factory_package("av", "reading videos")
    av_errors = factory_package("av.error", "reading videos")
    factory_package("av.logging", "reading videos").set_level(None)
    with BytesIO(path) if isinstance(path, bytes) else open_file(path) as file:
        size = len(path) if isinstance(path, bytes) else os.fstat(file.fileno()).st_size
        if not size:
            raise BadVideo("empty video: the file has no bytes")
        if size > limits.bytes:
            raise BadVideo(f"file too large: {size:,} bytes, and {limits.bytes:,} are allowed")
        options = {"format_whitelist": FORMATS, "protocol_whitelist": "none"}
        try:
            container = av.open(file, options=options, container_options={}, metadata_errors="replace")
        except (av_errors.FFmpegError, ValueError) as error:
            raise BadVideo(f"broken video: {_words(error)}") from error
        with container:
            yield Video(container, limits)


def _words(error: BaseException) -> str:
    """What went wrong, without numbers and paths."""
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return text[:1].lower() + text[1:]
