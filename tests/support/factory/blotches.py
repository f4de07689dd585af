"""Pictures that tests draw: blotches of color, each unlike the others."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import numpy as np

from editscope.images import Pixels, encode_png


def blotches(about: str, width: int = 144, height: int = 112) -> Pixels:
    """A picture that depends on a text: a coarse grid of random colors, smoothly joined."""
    rng = np.random.default_rng(int.from_bytes(sha256(about.encode()).digest()[:8], "big"))
    coarse = rng.integers(0, 256, (7, 9, 3)).astype(float)
    rows, columns = np.linspace(0, 5.999, height), np.linspace(0, 7.999, width)
    top, left = rows.astype(int), columns.astype(int)
    down, right = (rows - top)[:, None, None], (columns - left)[None, :, None]
    upper = coarse[top][:, left] * (1 - right) + coarse[top][:, left + 1] * right
    lower = coarse[top + 1][:, left] * (1 - right) + coarse[top + 1][:, left + 1] * right
    return np.ascontiguousarray((upper * (1 - down) + lower * down).astype(np.uint8))


def picture_folder(folder: Path, names: list[str], width: int = 144, height: int = 112) -> Path:
    """A folder of such pictures."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        (folder / f"{name}.png").write_bytes(encode_png(blotches(name, width, height)))
    return folder
