"""Scores of an edit: pure functions on pictures."""

from __future__ import annotations

from editscope.scoring.batch import score_batch
from editscope.scoring.case_grader import CaseScore, grader_for
from editscope.scoring.effects import EffectRecovery, EffectScore, score_effects
from editscope.scoring.errormap import color_codes, error_map, level_map, level_map_within, score_and_levels
from editscope.scoring.failure import FAILURE_MODES, THRESHOLDS, FailureThresholds, failure_mode
from editscope.scoring.gain import linear_light, srgb_bytes
from editscope.scoring.pixels import TOLERANCES, PixelScore, floor_miou, grade_case, missing_score, score_pixels

__all__ = [
    "FAILURE_MODES",
    "THRESHOLDS",
    "TOLERANCES",
    "CaseScore",
    "EffectRecovery",
    "EffectScore",
    "FailureThresholds",
    "PixelScore",
    "color_codes",
    "error_map",
    "failure_mode",
    "floor_miou",
    "grade_case",
    "grader_for",
    "level_map",
    "level_map_within",
    "linear_light",
    "missing_score",
    "score_and_levels",
    "score_batch",
    "score_effects",
    "score_pixels",
    "srgb_bytes",
]
