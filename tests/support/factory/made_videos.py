"""Small real MP4 files, made with PyAV."""

from __future__ import annotations

from io import BytesIO

import av
import numpy as np

from editscope.images import Pixels


def video_of(first: Pixels, frames: int = 5, fps: int = 8, codec: str = "libx264") -> bytes:
    """A video that begins with a picture and becomes brighter from left to right."""
    height, width = (side // 2 * 2 for side in first.shape[:2])
    file = BytesIO()
    with av.open(file, "w", format="mp4") as container:
        stream = container.add_stream(codec, rate=fps)
        stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"  # type: ignore[attr-defined]
        for number in range(frames):
            pixels = first[:height, :width].copy()
            lit = width * number // max(1, frames - 1)
            pixels[:, :lit] = np.minimum(255, pixels[:, :lit].astype(np.int16) + 60).astype(np.uint8)
            for packet in stream.encode(av.VideoFrame.from_ndarray(pixels, format="rgb24")):  # type: ignore[attr-defined]
                container.mux(packet)
        for packet in stream.encode():  # type: ignore[attr-defined]
            container.mux(packet)
    return file.getvalue()


def frames_of(data: bytes) -> list[Pixels]:
    """The frames of a video."""
    with av.open(BytesIO(data)) as container:
        return [frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)]
