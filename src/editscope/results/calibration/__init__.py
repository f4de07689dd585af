"""Runs calibrated by people: their labels from a file, the means and differences that follow, and these in words."""

from editscope.results.calibration.calibrated_runs import calibrate
from editscope.results.calibration.labels_file import HumanLabel, HumanLabels, read_labels

__all__ = ["HumanLabel", "HumanLabels", "calibrate", "read_labels"]
