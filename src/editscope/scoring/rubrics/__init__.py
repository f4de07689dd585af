"""Rubrics: what a judge is asked about an edit, and how verdicts become the numbers of a benchmark."""

from __future__ import annotations

from editscope.scoring.rubrics.base import Measure, PixelCheck, Prompts, Rubric, ScoreRow, Unit

__all__ = ["Measure", "PixelCheck", "Prompts", "Rubric", "ScoreRow", "Unit"]
