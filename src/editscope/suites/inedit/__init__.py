"""InEdit-Bench: the way from a start to an end picture, drawn as one picture of numbered steps."""

from __future__ import annotations

from editscope.suites.inedit.data import load

__all__ = ["load"]
