"""Models on loopback that draw and animate: every prompt has a picture of its own, every picture a clip of its own."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from typing import Any

import numpy as np

from editscope.images import Pixels, encode_png, load
from support.factory.drawn_pictures import drawn_picture
from support.factory.made_videos import encoded
from support.servers.editor_server import OpenAIServer, Outcome, Reply, Seen
from support.servers.video_server import Clip, SeedanceServer

FRAMES, FPS = 6, 6


def painter(**options: Any) -> OpenAIServer:
    """Draws a picture for each prompt; one of twelve is blank, and one of twelve is refused."""
    return OpenAIServer(_drawn, draws=True, **options)


def animator(**options: Any) -> SeedanceServer:
    """Makes a clip of each picture in which a disc comes in; of ten, one stands still, one pans, one ends black."""
    return SeedanceServer(_animated, **options)


def disc_clip(first: Pixels, seed: int, frames: int = FRAMES) -> list[Pixels]:
    """A disc comes in from the left and stops; nothing else changes."""
    height, width = first.shape[:2]
    rows, columns = np.mgrid[:height, :width]
    random = np.random.default_rng(seed)
    y, end, radius = random.integers(30, height - 30), random.integers(40, width - 30), 18
    color = 255 - first[y, end]
    shown = []
    for number in range(frames):
        x = -radius + (end + radius) * number / (frames - 1)
        picture = first.copy()
        picture[(columns - x) ** 2 + (rows - y) ** 2 < radius**2] = color
        shown.append(picture)
    return shown


def _drawn(seen: Seen) -> Outcome:
    number = _number(seen.instruction.encode())
    if number % 12 == 0:
        return Reply(picture=encode_png(np.full((128, 160, 3), 90, np.uint8)))
    if number % 12 == 1:
        return Reply(refused="Your request was rejected by the safety system.")
    return Reply(picture=encode_png(drawn_picture(number)))


def _animated(seen: Seen) -> Outcome:
    return Clip(video=_clip(seen.pictures[0]), pending=0)


@cache  # the encoder does not give the same bytes each time, and a build that goes on must get the same clip
def _clip(picture: bytes) -> bytes:
    first, number = load(picture), _number(picture)
    kind = number % 10
    if kind == 0:
        shown = [first] * FRAMES
    elif kind == 1:
        shown = [np.roll(first, 8 * step, axis=1) for step in range(FRAMES)]
    elif kind == 2:
        shown = [np.zeros_like(first) if step == FRAMES - 1 else first for step in range(FRAMES)]
    else:
        shown = disc_clip(first, number)
    return encoded(shown, fps=FPS)


def _number(data: bytes) -> int:
    return int.from_bytes(sha256(data).digest()[:4], "big")
