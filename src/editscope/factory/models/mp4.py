"""MP4 files: written from frames, always the same bytes, and checked before they are kept."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from editscope.errors import BadImage, BadInput
from editscope.factory.models.base import MP4, MadeMedia, kept_media
from editscope.files import read_file
from editscope.images import MAX_PIXELS, Pixels, decode
from editscope.outside import received

MOST_VIDEO = 512 << 20
"""Bytes that a video may have."""
MOST_FRAMES = 10_000
CODECS: Sequence[tuple[str, dict[str, str]]] = (
    ("libx264", {"crf": "14", "preset": "medium", "threads": "1"}),
    ("mpeg4", {"qscale": "2", "flags": "+bitexact", "threads": "1"}),
)
"""Encoders, the best first; one thread, so that the bytes do not depend on the machine's cores."""


class BadVideo(BadImage):
    """A video that cannot be decoded."""


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
    av = need_av()
    try:
        with av.open(BytesIO(data), format="mp4") as container:
            streams = container.streams.video
            if not streams:
                raise BadVideo("the video has no picture in it")
            width, height = streams[0].width, streams[0].height
            if not 0 < width * height <= MAX_PIXELS:
                raise BadVideo(f"the video has frames of {width}x{height} pixels; at most {MAX_PIXELS:,} are decoded")
            streams[0].thread_count = 1
            if next(iter(container.decode(streams[0])), None) is None:
                raise BadVideo("the video has no frame")
    except (av.error.FFmpegError, ValueError, EOFError) as error:
        raise BadVideo(f"the video cannot be decoded ({type(error).__name__})") from error


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
    except (BadImage, TypeError, OSError) as error:
        return MadeMedia(kind=MP4, status="no_output", reason=received(error))
    return MadeMedia(data, MP4)


def need_av() -> Any:
    """PyAV; BadInput where it is not installed."""
    try:
        import av
    except ImportError as error:
        raise BadInput("videos need PyAV, which is not installed: pip install 'editscope[factory]'") from error
    return av


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
