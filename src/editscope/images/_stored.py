"""Files whose bytes can be passed on, because every reader sees the same picture in them as we do."""

from __future__ import annotations

import warnings
from pathlib import Path

from editscope.images._decode import probe

PLAIN_MODES = ("RGB", "L")
ORIENTATION = 0x0112
UPRIGHT = (0, 1)


def stored_jpeg(path: Path | str) -> bytes | None:
    """The bytes of a JPEG file in RGB or gray that no EXIF tag rotates; None for every other picture.

    Raises BadImage where the file is not a picture.
    """
    from PIL import Image, UnidentifiedImageError

    probe(path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            with Image.open(path, formats=("JPEG",)) as image:
                if image.mode not in PLAIN_MODES or image.getexif().get(ORIENTATION, 1) not in UPRIGHT:
                    return None
        except UnidentifiedImageError:
            return None
    return Path(path).read_bytes()
