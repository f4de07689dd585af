"""Models that draw through diffusers, ``diffusers:REPO_OR_DIR``: FLUX.1-Krea-dev and its like."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from editscope.editors.diffusion import memory
from editscope.editors.diffusion.outputs import BLACK, read_output
from editscope.editors.sizing import Size, fit_to
from editscope.factory.models.base import ImageModel, MadeMedia
from editscope.factory.models.local.families import IMAGES
from editscope.factory.models.local.pipeline import LocalPipeline
from editscope.images import encode_png

ROLE = "image model"


class LocalImages(ImageModel):
    """A diffusers pipeline in this process; one picture at a time."""

    def __init__(self, target: str, options: Mapping[str, Any], spec: str) -> None:
        self.spec = spec
        self.pipeline = LocalPipeline(ROLE, target, options, IMAGES, ("prompt",))

    def check(self) -> None:
        """Packages and the pipeline's index; loads no weights."""
        self.pipeline.check()

    def load(self) -> None:
        """Load the weights."""
        self.pipeline.load()

    def draw(self, prompt: str, width: int, height: int, seed: int) -> MadeMedia:
        """A picture of the prompt; sides become multiples of what the model needs."""
        pipeline = self.pipeline
        loaded, size = pipeline.loaded, self.size(width, height)
        sides = {"width": size[0], "height": size[1]} if size and {"width", "height"} <= pipeline.accepts else {}
        try:
            given = read_output(pipeline.call(seed, {"prompt": prompt, **sides}), 1)[0]
        except Exception as error:
            if not memory.out_of_memory(error):
                raise
            error.__traceback__ = None  # it holds on to the tensors of the call that failed
            memory.let_go(loaded.torch)
            return MadeMedia(status="error", reason=memory.TRY, model=pipeline.snapshot)
        notes = pipeline.notes
        if given.pixels is None:
            return MadeMedia(status=given.status, reason=given.reason or "", model=pipeline.snapshot, notes=notes)
        if not given.pixels.any():
            return MadeMedia(status="error", reason=BLACK, model=pipeline.snapshot, notes=notes)
        return MadeMedia(encode_png(given.pixels, palette=False), model=pipeline.snapshot, notes=notes)

    def size(self, width: int, height: int) -> Size | None:
        """Width and height that the pipeline is asked for; None leaves them to it."""
        wanted = self.pipeline.options.size or ((width, height) if width and height else self.pipeline.family.size)
        return fit_to(wanted, multiple=self.pipeline.multiple()).sent if wanted else None

    def close(self) -> None:
        """Release the weights."""
        self.pipeline.close()


def load_local_images(target: str, options: Mapping[str, Any], spec: str) -> ImageModel:
    """The model for ``diffusers:REPO_OR_DIR?option=value``. Nothing is loaded yet."""
    return LocalImages(target, options, spec)
