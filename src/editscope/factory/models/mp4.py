"""MP4 files of models: written from frames, always the same bytes, and checked before they are kept."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from editscope.errors import BadImage, BadInput
from editscope.factory.extra import factory_package
from editscope.factory.models.base import MP4, MadeMedia, kept_media
from editscope.factory.video.reading import BadVideo, VideoLimits, open_video
from editscope.files import read_file
from editscope.images import Pixels, decode
from editscope.outside import received

MOST_VIDEO = 512 << 20
"""Bytes that a video may have."""
MOST_FRAMES = 10_000
CODECS: Sequence[tuple[str, dict[str, str]]] = (
    ("libx264", {"crf": "14", "preset": "medium", "threads": "1", "x264-params": "mbtree=0"}),
    ("mpeg4", {"qscale": "2", "flags": "+bitexact", "threads": "1"}),
)
"""Encoders, the best first. One thread, so that the bytes do not depend on the cores of the machine. No mbtree:
with it, one in a thousand videos had other bytes where several threads of a process encoded at a time."""


def write_mp4(frames: Iterable[Any], fps: int) -> bytes:
    """The MP4 file of some frames: arrays, PIL images or tensors of one size. An odd row or column is cut off."""
    av = need_av()
    pixels = [decode(frame, name=f"frame {number}").pixels for number, frame in enumerate(frames, start=1)]
    if not pixels or len(pixels) > MOST_FRAMES:
        raise BadVideo(f"a video of {len(pixels)} frames cannot be written; make 1 to {MOST_FRAMES:,}")
    if any(one.shape != pixels[0].shape for one in pixels):
        raise BadVideo("the frames of a video differ in size; make them equal")
    if min(pixels[0].shape[:2]) < 2:
        raise BadVideo("the frames of a video are 1 pixel wide or high; make them larger")
    for codec, options in CODECS:
        try:
            return _encoded(av, pixels, max(1, fps), codec, options)
        except (av.error.FFmpegError, ValueError):  # this encoder is not in the library
            continue
    raise BadInput(f"the installed PyAV has none of the encoders {', '.join(name for name, _ in CODECS)}")


def check_mp4(data: bytes) -> None:
    """Raise BadVideo for bytes that are no video, or one whose first frame cannot be decoded."""
    with open_video(data, VideoLimits(bytes=MOST_VIDEO)) as video:
        video.facts()


def as_video(result: Any, fps: int) -> MadeMedia:
    """What a model returned for a picture, as an MP4 file."""
    if isinstance(result, MadeMedia):
        return kept_media(result)
    if result is None:
        return MadeMedia(kind=MP4, status="no_output", reason="the model made no video")
    try:
        if isinstance(result, str | Path):
            result = read_file(result, MOST_VIDEO)
        data = result if isinstance(result, bytes) else write_mp4(result, fps)
        if isinstance(result, bytes):
            check_mp4(data)
    except (BadImage, BadVideo, TypeError, OSError) as error:
        return MadeMedia(kind=MP4, status="no_output", reason=received(error))
    return MadeMedia(data, MP4)


@cache
def ready_for_videos() -> None:
    """Import all that reads and writes the video of an answer, where it is installed, before one is there."""
    with suppress(BadInput):
        check_mp4(write_mp4([np.zeros((16, 16, 3), np.uint8)] * 2, 8))


def need_av() -> Any:
    """PyAV; BadInput where it is not installed."""
    return factory_package("av", "making videos")


def _encoded(av: Any, frames: Sequence[Pixels], fps: int, codec: str, options: dict[str, str]) -> bytes:
    height, width = (side // 2 * 2 for side in frames[0].shape[:2])
    file = BytesIO()
    with av.open(file, "w", format="mp4", options={"fflags": "+bitexact"}) as container:
        stream = container.add_stream(codec, rate=fps, options=options)
        stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
        for pixels in frames:
            picture = av.VideoFrame.from_ndarray(np.ascontiguousarray(pixels[:height, :width]), format="rgb24")
            for packet in stream.encode(picture):
                container.mux(packet)
        for packet in stream.encode():
            container.mux(packet)
    return file.getvalue()
