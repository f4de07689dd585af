"""Small video files, encoded for real: any frames, rates, rotation, sound only, broken ones."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from threading import Lock
from typing import Any

import av
import numpy as np

from editscope.images import Pixels

ONE_AT_A_TIME = Lock()
"""x264 gives other bytes for the same frames where several threads of a process encode at a time."""


def encoded(
    frames: Sequence[Pixels],
    *,
    fps: int = 8,
    times_s: Sequence[float] | None = None,
    rotation: int = 0,
    crf: int = 18,
    faststart: bool = False,
    key_every: int = 250,
) -> bytes:
    """An MP4 file with H.264; ``times_s`` gives each frame its own time, ``rotation`` goes into the display matrix."""
    with tempfile.TemporaryDirectory() as folder:  # moving the header to the front reads the file again
        path = Path(folder) / "made.mp4"
        coder = {"crf": str(crf), "preset": "veryfast", "threads": "1", "g": str(key_every)}
        with ONE_AT_A_TIME:
            _encode(path, frames, fps, times_s, rotation, coder, {"movflags": "faststart"} if faststart else {})
        return path.read_bytes()


def _encode(
    path: Path,
    frames: Sequence[Pixels],
    fps: int,
    times_s: Sequence[float] | None,
    rotation: int,
    coder: dict[str, str],
    options: dict[str, str],
) -> None:
    with av.open(str(path), "w", format="mp4", options=options) as container:
        stream: Any = container.add_stream("libx264", rate=fps)
        stream.height, stream.width = frames[0].shape[:2] if len(frames) else (64, 64)
        stream.pix_fmt = "yuv420p"
        stream.options = coder
        if times_s is not None:
            stream.time_base = stream.codec_context.time_base = Fraction(1, 1000)
        if rotation:
            stream.set_display_rotation(rotation)
        container.start_encoding()  # a header even where no frame follows
        for number, pixels in enumerate(frames):
            frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(pixels), format="rgb24")
            if times_s is not None:
                frame.pts, frame.time_base = round(1000 * times_s[number]), Fraction(1, 1000)
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))


def sound_only() -> bytes:
    """An MP4 file with a second of silence and no pictures."""
    file = io.BytesIO()
    with av.open(file, "w", format="mp4") as container:
        stream: Any = container.add_stream("aac", rate=16_000)
        frame = av.AudioFrame.from_ndarray(np.zeros((1, 16_000), np.float32), format="fltp", layout="mono")
        frame.sample_rate = 16_000
        container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return file.getvalue()


def sliding(count: int = 16, height: int = 96, width: int = 128, step: int = 4, seed: int = 0) -> list[Pixels]:
    """Frames of a bright square that slides to the right over a still texture."""
    rng = np.random.default_rng(seed)
    base = rng.integers(40, 120, (height // 8 + 1, width // 8 + 1, 3)).astype(np.uint8)
    ground = np.repeat(np.repeat(base, 8, 0), 8, 1)[:height, :width]
    frames = []
    for number in range(count):
        picture = ground.copy()
        left = 4 + step * number
        picture[height // 3 : height // 3 + 24, left : left + 24] = (250, 220, 40)
        frames.append(picture)
    return frames


def write(path: Path, data: bytes) -> Path:
    """Bytes in a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def without_key_frame(data: bytes) -> bytes:
    """The same MP4 file without its first packet."""
    file = io.BytesIO()
    source: Any = av.open(io.BytesIO(data))
    with source as read, av.open(file, "w", format="mp4") as written:
        stream: Any = written.add_stream_from_template(read.streams.video[0])
        for packet in [one for one in read.demux(video=0) if one.size][1:]:
            packet.stream = stream
            written.mux(packet)
    return file.getvalue()


def overwritten(data: bytes, packet: int, begin: float = 0.1, end: float = 0.3, seed: int = 1) -> bytes:
    """The same file with noise from one share to another of a packet, in the order of the file."""
    source: Any = av.open(io.BytesIO(data))
    with source as read:
        position, size = [(one.pos or 0, one.size) for one in read.demux(video=0) if one.size][packet]
    first, last = int(position + begin * size), int(position + end * size)
    return data[:first] + np.random.default_rng(seed).bytes(last - first) + data[last:]


def grainy(count: int = 30, height: int = 192, width: int = 256) -> list[Pixels]:
    """Frames of a sliding square with grain, so that no packet is tiny."""
    rng = np.random.default_rng(4)
    return [one + rng.integers(0, 20, one.shape, dtype=np.uint8) for one in sliding(count, height, width)]


def video_of(first: Pixels, frames: int = 5, fps: int = 8) -> bytes:
    """A video that begins with a picture and becomes brighter from left to right."""
    height, width = (side // 2 * 2 for side in first.shape[:2])
    made = []
    for number in range(frames):
        pixels = first[:height, :width].copy()
        lit = width * number // max(1, frames - 1)
        pixels[:, :lit] = np.minimum(255, pixels[:, :lit].astype(np.int16) + 60).astype(np.uint8)
        made.append(pixels)
    return encoded(made, fps=fps)


def frames_of(data: bytes) -> list[Pixels]:
    """The frames of a video."""
    container: Any = av.open(io.BytesIO(data))
    with container:
        return [frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)]
