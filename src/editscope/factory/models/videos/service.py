"""Base class of a vendor's API for videos: how one is requested, and how it is read from the reply."""

from __future__ import annotations

from abc import ABC, abstractmethod
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from editscope.editors.hosted.service import VendorService
from editscope.editors.sizing import Size
from editscope.images import Pixels, encode_png, resize

if TYPE_CHECKING:
    from editscope.editors.hosted.exchange import Exchange

POLL_S, LONGEST_POLL_S = 4.0, 15.0
"""Pauses between polls: a video takes a minute or several."""


@dataclass(frozen=True, eq=False)
class VideoRequest:
    """A video to be asked for: its first frame, what happens in it, and how long; 0 leaves that to the model."""

    picture: Pixels
    prompt: str
    seed: int = 0
    seconds: float = 0.0
    fps: int = 0

    @property
    def size(self) -> Size:
        """Width and height of the first frame."""
        height, width = self.picture.shape[:2]
        return width, height

    def png(self, size: Size | None = None) -> bytes:
        """The first frame as a PNG file, of a size where the vendor wants one: cut to its shape, then scaled."""
        return encode_png(self.picture if size is None else covering(self.picture, size), palette=False)

    def base64(self) -> str:
        """The first frame as base64 of a PNG file."""
        return b64encode(self.png()).decode("ascii")


@dataclass(frozen=True, slots=True)
class VideoAnswer:
    """What a server answered: a video as it came, or why there is none, and what it reported.

    ``seconds`` is how long the video is, as far as the vendor says; ``tokens`` what it counted.
    """

    video: bytes | None = None
    refused: str = ""
    lacking: str = ""
    model: str = ""
    seconds: float = 0.0
    tokens: int | None = None
    notes: tuple[str, ...] = ()


class VideoService(VendorService, ABC):
    """A vendor's API for videos. ``make`` is all that a new one must have; the rest are names and numbers."""

    usual_s: float = 5.0
    """Seconds of a video where nobody says how long."""

    @abstractmethod
    async def make(self, asked: VideoRequest, exchange: Exchange) -> VideoAnswer:
        """Ask for one video and wait for it; see ``editscope.editors.hosted.Service.make``."""

    def seconds(self, asked: VideoRequest) -> float:
        """How long the video will be."""
        return asked.seconds or self.usual_s

    def grades(self, asked: VideoRequest | None) -> tuple[str, ...]:
        """Under which names the list price of a second may stand, the best first: ("1080p",)."""
        return ()


def covering(pixels: Pixels, size: Size) -> Pixels:
    """The middle of a picture in the shape of a size, scaled to it.

    >>> covering(np.zeros((100, 300, 3), np.uint8), (64, 36)).shape
    (36, 64, 3)
    """
    height, width = pixels.shape[:2]
    across, down = min(width, round(height * size[0] / size[1])), min(height, round(width * size[1] / size[0]))
    left, top = (width - across) // 2, (height - down) // 2
    middle = pixels[top : top + max(1, down), left : left + max(1, across)]
    return resize(np.ascontiguousarray(middle), *size)


def nearest_length(seconds: float, known: Sequence[int]) -> int:
    """The length that a model makes and that is nearest to the one wanted; the longer of two.

    >>> nearest_length(5, (4, 8, 12)), nearest_length(6, (4, 8, 12))
    (4, 8)
    """
    return min(known, key=lambda one: (abs(one - seconds), -one))
