"""Judges of edits: what they are asked, and how their replies become verdicts or statuses."""

from __future__ import annotations

from editscope.judges.records import Call, Field, Judge, Picture, Schema, Usage, Verdict

__all__ = ["Call", "Field", "Judge", "Picture", "Schema", "Usage", "Verdict"]
