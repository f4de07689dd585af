"""Results that papers printed, as data: they stand beside a run with their label, never in a paired test."""

from __future__ import annotations

from editscope.published.asking import (
    HEADLINES,
    REMARKS,
    best,
    card,
    contradictions,
    corrections,
    decimals,
    headline,
    known_model,
    label,
    leaderboard,
    main_leaderboard,
    main_scores,
    main_setting,
    models,
    results,
    suites,
)
from editscope.published.reading import FIELDS, PAPERS
from editscope.published.records import Contradiction, Correction, ModelCard, Result
from editscope.published.tables import Matrix, MatrixColumn, MatrixRow, matrix

__all__ = [
    "FIELDS",
    "HEADLINES",
    "PAPERS",
    "REMARKS",
    "Contradiction",
    "Correction",
    "Matrix",
    "MatrixColumn",
    "MatrixRow",
    "ModelCard",
    "Result",
    "best",
    "card",
    "contradictions",
    "corrections",
    "decimals",
    "headline",
    "known_model",
    "label",
    "leaderboard",
    "main_leaderboard",
    "main_scores",
    "main_setting",
    "matrix",
    "models",
    "results",
    "suites",
]
