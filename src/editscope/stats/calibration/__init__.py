"""Judges calibrated by people: prediction-powered means and differences, and whether the labels can carry them."""

from editscope.stats.calibration.difference import CalibratedDifference, calibrated_difference
from editscope.stats.calibration.mean import Calibrated, calibrated_mean, prediction_powered_mean
from editscope.stats.calibration.rows import HUMAN, SETTLED

__all__ = [
    "HUMAN",
    "SETTLED",
    "Calibrated",
    "CalibratedDifference",
    "calibrated_difference",
    "calibrated_mean",
    "prediction_powered_mean",
]
