"""Models that make pictures and videos: the base classes, and what comes of a call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from editscope.cases import Edit, Status
from editscope.editors.base import EditLimits
from editscope.errors import BadImage
from editscope.images import ImageLike, decode, encode_png
from editscope.outside import MOST_DOLLARS, count, measure, name_received, received

if TYPE_CHECKING:
    import PIL.Image

    from editscope.transport.account import Account

PNG, MP4 = "image/png", "video/mp4"


@dataclass(frozen=True, slots=True)
class MadeMedia:
    """What a model made: the bytes of a PNG or MP4 file, or the status and reason why there are none.

    ``cost_usd`` and ``attempts`` are what it took, ``model`` is the snapshot that answered.
    """

    data: bytes = b""
    kind: str = PNG
    status: Status = "ok"
    reason: str = ""
    cost_usd: float = 0.0
    attempts: int = 1
    model: str = ""
    notes: tuple[str, ...] = ()


class MediaModel:
    """What models of pictures and of videos share.

    ``at_once`` is how many calls it bears at the same time, from as many threads.
    """

    spec: str = ""
    at_once: int = 1
    budget_account: Account | None = None

    def limit(self, limits: EditLimits) -> None:
        """Take limits of speed, before ``check`` and ``load``; for models that wait for others or cost money."""

    def use_account(self, account: Account | None) -> None:
        """Spend no more than the budget of the build allows."""
        self.budget_account = account

    def check(self) -> None:
        """Raise BadInput for what would make every call fail: a missing key or package. Loads no model."""

    def load(self) -> None:
        """Get ready; called once before the first call."""

    def close(self) -> None:
        """Release what ``load`` took."""


class ImageModel(MediaModel):
    """Base class of models that draw: override ``draw``, and ``load`` where there is a model to load."""

    def draw(self, prompt: str, width: int, height: int, seed: int) -> ImageLike | MadeMedia | None:
        """A picture of the prompt, of about this size; 0 leaves a side to the model.

        A picture is a PIL image, an array or a tensor (uint8, or floats of 0 to 1), or a path.
        """
        raise NotImplementedError(f"{type(self).__name__} has no draw method")


VideoLike: TypeAlias = "bytes | Path | str | Sequence[ImageLike]"
"""An MP4 file as bytes or by its path, or the frames of a video."""


class VideoModel(MediaModel):
    """Base class of models that animate: override ``animate``, and ``load`` where there is a model to load.

    ``fps`` is the rate at which frames are written that it returns as pictures.
    """

    fps: int = 16

    def animate(
        self, picture: PIL.Image.Image, prompt: str, seed: int, seconds: float = 0.0, fps: int = 0
    ) -> VideoLike | MadeMedia | None:
        """A video that begins with the picture; 0 leaves length or rate to the model."""
        raise NotImplementedError(f"{type(self).__name__} has no animate method")


def as_picture(result: Any, what: str = "the picture that the model made") -> MadeMedia:
    """What a model returned for a prompt, as a PNG file."""
    if isinstance(result, MadeMedia):
        return kept_media(result)
    if isinstance(result, Edit):
        return _of_edit(result, what)
    if result is None:
        return MadeMedia(status="no_output", reason="the model made no picture")
    try:
        return MadeMedia(encode_png(decode(result, name=what).pixels, palette=False))
    except (BadImage, TypeError) as error:
        return MadeMedia(status="no_output", reason=received(error))


@cache
def ready_for_pictures() -> None:
    """Import all that decodes the picture of an answer, which takes a second: a build killed then would lose it."""
    from io import BytesIO

    from PIL import Image

    pixels = np.arange(48, dtype=np.uint8).reshape(4, 4, 3)
    file = BytesIO()
    Image.fromarray(pixels).save(file, "JPEG")
    for data in (encode_png(pixels, palette=False), file.getvalue()):
        as_picture(data)


def kept_media(made: MadeMedia) -> MadeMedia:
    """What a model made, with texts and numbers that a build can keep, whoever wrote it."""
    return MadeMedia(
        made.data,
        made.kind,
        made.status,
        received(made.reason),
        measure(made.cost_usd, MOST_DOLLARS) or 0.0,
        count(made.attempts) or 1,
        name_received(made.model or ""),
        tuple(received(note) for note in made.notes),
    )


def _of_edit(edit: Edit, what: str) -> MadeMedia:
    """A picture that an editor made."""
    picture = as_picture(edit.image, what) if edit.status == "ok" else MadeMedia(status=edit.status)
    return kept_media(
        MadeMedia(
            picture.data,
            PNG,
            picture.status,
            edit.reason or picture.reason,
            max(edit.cost_usd or 0.0, edit.charged_usd or 0.0),
            edit.attempts or 1,
            edit.model or "",
            edit.notes,
        )
    )
