"""Lessons: problems with all that their answers were made of, for training. None of it is shown to an editor."""

from editscope.suites.paintbench.lessons.lesson import (
    ColorMap,
    ColorRamp,
    CopiedArea,
    Figure,
    Lesson,
    LessonStream,
    inverse,
    lesson_at,
    lesson_of,
)
from editscope.suites.paintbench.lessons.problems import default_slots, hierarchical_means, problem_at

__all__ = [
    "ColorMap",
    "ColorRamp",
    "CopiedArea",
    "Figure",
    "Lesson",
    "LessonStream",
    "default_slots",
    "hierarchical_means",
    "inverse",
    "lesson_at",
    "lesson_of",
    "problem_at",
]
