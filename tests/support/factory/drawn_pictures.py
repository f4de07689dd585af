"""Pictures that a test draws: each with its own layout of bars and discs, so that no two are near duplicates."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from editscope.images import Pixels, encode_png

CAPTIONS = (
    "an antique wall mirror above a chest of drawers",
    "a rain puddle with a bicycle next to it",
    "a glass of water with a straw in it",
    "a teddy bear on a soft pillow",
    "a stack of books on a wooden chair",
    "a desk lamp that lights a notebook",
)


def drawn_picture(seed: int, width: int = 160, height: int = 128) -> Pixels:
    """A scene of its own for every seed: a ground, bars and discs in many colors."""
    random = np.random.default_rng(seed)
    rows, columns = np.mgrid[:height, :width]
    picture = np.empty((height, width, 3), np.uint8)
    picture[:] = random.integers(40, 215, 3)
    for _ in range(4):
        left, top = random.integers(0, width - 20), random.integers(0, height - 20)
        right, bottom = left + random.integers(15, width // 2), top + random.integers(15, height // 2)
        picture[top:bottom, left:right] = random.integers(0, 255, 3)
    for _ in range(3):
        x, y, radius = random.integers(10, width - 10), random.integers(10, height - 10), random.integers(6, 30)
        picture[(columns - x) ** 2 + (rows - y) ** 2 < radius**2] = random.integers(0, 255, 3)
    shade = random.integers(0, 18, (height, width, 1))
    return np.asarray(np.clip(picture.astype(np.int16) - shade, 0, 255), np.uint8)


def drawn_folder(folder: Path, count: int, captions: tuple[str, ...] = CAPTIONS) -> Path:
    """``count`` pictures with captions beside them."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(count):
        (folder / f"{number:03d}.png").write_bytes(encode_png(drawn_picture(number)))
        (folder / f"{number:03d}.txt").write_text(captions[number % len(captions)], encoding="utf-8")
    return folder
