"""Candidate pictures: collections of pictures with captions, and those of them that fit words."""

from __future__ import annotations

from editscope.factory.sources.candidates.source import CandidatesSource

__all__ = ["CandidatesSource"]
