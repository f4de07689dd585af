"""Classic measures beside ours: PSNR, SSIM, LPIPS, CLIP and DINO similarity.

Each compares two pictures: the edit with the answer over the whole picture, or the edit with the input outside
the region that was to be edited.
"""

from __future__ import annotations

# Each registers its measures, in the order in which tables show them.
# isort: off
from editscope.scoring.classic import pixelwise
from editscope.scoring.classic import lpips
from editscope.scoring.classic import embeddings

# isort: on
from editscope.scoring.classic.registry import (
    MEASURES,
    Comparison,
    Loaded,
    Measure,
    Settings,
    available,
    edit_region,
    get,
    measure,
    parse_measures,
)

__all__ = [
    "MEASURES",
    "Comparison",
    "Loaded",
    "Measure",
    "Settings",
    "available",
    "edit_region",
    "embeddings",
    "get",
    "lpips",
    "measure",
    "parse_measures",
    "pixelwise",
]
