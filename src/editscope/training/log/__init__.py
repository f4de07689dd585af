"""What a training leaves to be watched by: numbers by step, events, and the same few cases edited again and again."""

from editscope.training.log.settings import TrackingSettings
from editscope.training.log.training_log import TrainingLog

__all__ = ["TrackingSettings", "TrainingLog"]
