"""Models that animate through diffusers, ``diffusers:REPO_OR_DIR``: Wan 2.2 I2V and its like."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from editscope.editors.diffusion import memory
from editscope.editors.diffusion.outputs import BLACK, NAN
from editscope.editors.sizing import Size, fit_to
from editscope.factory.models.base import MP4, MadeMedia, VideoModel
from editscope.factory.models.local.families import FPS, VIDEOS
from editscope.factory.models.local.pipeline import LocalPipeline
from editscope.factory.models.mp4 import MOST_FRAMES, need_av, write_mp4
from editscope.images import load, quantized, resize

if TYPE_CHECKING:
    import PIL.Image

ROLE = "video model"


class LocalVideos(VideoModel):
    """A diffusers pipeline in this process; one video at a time."""

    def __init__(self, target: str, options: Mapping[str, Any], spec: str) -> None:
        self.spec = spec
        self.pipeline = LocalPipeline(ROLE, target, options, VIDEOS, ("prompt", "image"))

    def check(self) -> None:
        """Packages and the pipeline's index; loads no weights."""
        need_av()
        self.pipeline.check()

    def load(self) -> None:
        """Load the weights."""
        self.pipeline.load()

    def animate(
        self, picture: PIL.Image.Image, prompt: str, seed: int, seconds: float = 0.0, fps: int = 0
    ) -> MadeMedia:
        """A video that begins with the picture, in about its shape."""
        from PIL import Image

        pipeline = self.pipeline
        loaded, rate = pipeline.loaded, fps or pipeline.family.fps or FPS
        pixels = load(picture)
        size = self.size((pixels.shape[1], pixels.shape[0]))
        arguments: dict[str, Any] = {"prompt": prompt, "image": Image.fromarray(resize(pixels, *size))}
        if {"width", "height"} <= pipeline.accepts:
            arguments |= {"width": size[0], "height": size[1]}
        if (frames := self.frames(seconds, rate)) and "num_frames" in pipeline.accepts:
            arguments["num_frames"] = frames
        try:
            output = pipeline.call(seed, arguments)
        except Exception as error:
            if not memory.out_of_memory(error):
                raise
            error.__traceback__ = None  # it holds on to the tensors of the call that failed
            memory.let_go(loaded.torch)
            return self._made(status="error", reason=memory.TRY)
        return self._read(output, rate)

    def _read(self, output: Any, rate: int) -> MadeMedia:
        video = getattr(output, "frames", None)
        if video is None:
            raise ValueError(f"the pipeline gave a {type(output).__name__} without frames")
        frames = video[0]
        if isinstance(frames, np.ndarray) and frames.dtype != np.uint8:
            if not np.isfinite(frames).all():
                return self._made(status="error", reason=NAN)
            frames = quantized(frames)
        data = write_mp4(frames, rate)
        if isinstance(frames, np.ndarray) and not frames.any():
            return self._made(status="error", reason=BLACK)
        return self._made(data=data)

    def _made(self, **more: Any) -> MadeMedia:
        return MadeMedia(kind=MP4, model=self.pipeline.snapshot, notes=self.pipeline.notes, **more)

    def size(self, size: Size) -> Size:
        """Width and height of the frames for a picture of this size."""
        options, family, multiple = self.pipeline.options, self.pipeline.family, self.pipeline.multiple()
        if options.size or family.size:
            return fit_to(options.size or family.size or size, multiple=multiple).sent
        return fit_to(size, multiple=multiple, area=options.max_area or family.area, how="stretch").sent

    def frames(self, seconds: float, rate: int) -> int | None:
        """How many frames are asked for: the published number, or those of so many seconds as the model makes them.

        Models that make several frames of one latent make 1 + a multiple of those.
        """
        if not seconds:
            return self.pipeline.family.frames
        step = int(getattr(self.pipeline.loaded.pipe, "vae_scale_factor_temporal", 1) or 1)
        return min(MOST_FRAMES, 1 + step * max(1, round((seconds * rate - 1) / step)))

    def close(self) -> None:
        """Release the weights."""
        self.pipeline.close()


def load_local_videos(target: str, options: Mapping[str, Any], spec: str) -> VideoModel:
    """The model for ``diffusers:REPO_OR_DIR?option=value``. Nothing is loaded yet."""
    return LocalVideos(target, options, spec)
