"""Logging of a training: metrics by step, events, edits of fixed cases."""

from editscope.training.log.settings import TrackingSettings
from editscope.training.log.training_log import TrainingLog

__all__ = ["TrackingSettings", "TrainingLog"]
