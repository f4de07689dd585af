"""Rules of yes-or-no questions about an edit, decided by their words."""

from __future__ import annotations

from editscope.suites.annotation.questions.repeated import asks_the_same, repeated_question
from editscope.suites.annotation.questions.single import QUESTION_RULES, QuestionCheck

__all__ = ["QUESTION_RULES", "QuestionCheck", "asks_the_same", "repeated_question"]
