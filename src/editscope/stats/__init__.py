"""Statistics: means of a hierarchy and the intervals around them, as pure functions on frames."""

from __future__ import annotations

from editscope.stats.summary import summarize

__all__ = ["summarize"]
