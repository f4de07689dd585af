"""How far off an edit is: IoU that allows a distance, and errors of an object in pixels, degrees and percent.

These explain a score and never change it.
"""

from __future__ import annotations

from editscope.scoring.offsets.change import AskedChange
from editscope.scoring.offsets.errors import ChangeErrors, change_errors
from editscope.scoring.offsets.tolerant import RADII, iou_within, miou_within

__all__ = ["RADII", "AskedChange", "ChangeErrors", "change_errors", "iou_within", "miou_within"]
