"""Page of a training: curves, events, fixed cases at steps, settings, and which checkpoint is the best."""

from editscope.training.page.page import write_training_page

__all__ = ["write_training_page"]
