"""Rules for texts that models and people write: what code can decide by the words, and what needs a model."""

from __future__ import annotations

from editscope.factory.rules.records import (
    Breach,
    CaseQuestions,
    LeveledInstruction,
    MotionCaption,
    PlainText,
    QuestionText,
    TextRule,
    Translation,
)
from editscope.factory.rules.registry import RULES, RULES_VERSION, breaches, rule, rules_for

__all__ = [
    "RULES",
    "RULES_VERSION",
    "Breach",
    "CaseQuestions",
    "LeveledInstruction",
    "MotionCaption",
    "PlainText",
    "QuestionText",
    "TextRule",
    "Translation",
    "breaches",
    "rule",
    "rules_for",
]
