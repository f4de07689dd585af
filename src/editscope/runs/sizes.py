"""In which size the outputs of a run came, and in which they were wanted."""

from __future__ import annotations

from math import isqrt
from pathlib import Path
from typing import TYPE_CHECKING

from editscope.errors import BadImage
from editscope.images import probe, thumbnail_size
from editscope.stats.diagnosis import Sizes

if TYPE_CHECKING:
    from editscope.runs.record import CaseRecord, Run

Size = tuple[int, int]
"""Width and height."""


def output_sizes(run: Run) -> dict[str, Sizes]:
    """For each case with an output, the size that it came in and the one that was wanted.

    The journal has the first, and whether they agree; where they do not, the wanted size is told from the number
    of its pixels and the shape of the input's thumbnail.
    """
    return {record.case_id: _sizes(record) for record in run.records() if record.status == "ok"}


def _sizes(record: CaseRecord) -> Sizes:
    evidence = record.evidence
    size = evidence.get("output_size")
    delivered = None if size is None else (int(size[0]), int(size[1]))
    if delivered is None or not evidence.get("resized"):
        return Sizes(delivered, delivered)
    pixels = int(evidence["edit_pixels"]) + int(evidence["preservation_pixels"])
    return Sizes(delivered, _wanted(pixels, record.thumbs.get("input")))


def _wanted(pixels: int, thumb: Path | None) -> Size | None:
    try:
        return None if thumb is None else size_from(pixels, probe(thumb))
    except (BadImage, OSError):
        return None


def size_from(pixels: int, thumb: Size) -> Size | None:
    """The size of a picture from its number of pixels and the size of its thumbnail; None if none fits.

    >>> size_from(1024 * 576, (192, 108)), size_from(48 * 48, (48, 48)), size_from(768 * 768, (192, 192))
    ((1024, 576), (48, 48), (768, 768))
    """
    near = isqrt(pixels * thumb[0] // thumb[1])
    reach = near // 50 + 2  # a thumbnail's sides are rounded
    fitting = [
        width
        for width in range(max(1, near - reach), near + reach + 1)
        if pixels % width == 0 and thumbnail_size(pixels // width, width, max(thumb)) == (thumb[1], thumb[0])
    ]
    if not fitting:
        return None
    best = min(fitting, key=lambda width: (abs(width - near), width))
    return best, pixels // best
