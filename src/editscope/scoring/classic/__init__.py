"""Classic measures beside ours: PSNR, SSIM, LPIPS, CLIP and DINO similarity, and metrics of your own.

Each compares two pictures: the edit with the answer over the whole picture, or the edit with the input outside
the region that was to be edited.
"""

from __future__ import annotations

from editscope.scoring.classic.metric import ImagePair, Metric, MetricLabel, MetricSettings
from editscope.scoring.classic.registry import (
    CLASSIC,
    METRICS,
    OFFSETS,
    available,
    built_in_label,
    edit_region,
    load_metric,
    parse_measures,
    provenance,
)

__all__ = [
    "CLASSIC",
    "METRICS",
    "OFFSETS",
    "ImagePair",
    "Metric",
    "MetricLabel",
    "MetricSettings",
    "available",
    "built_in_label",
    "edit_region",
    "load_metric",
    "parse_measures",
    "provenance",
]
