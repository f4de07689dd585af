"""WiseEdit and WiseEdit-Complex: edits that need knowledge and imagination."""

from __future__ import annotations

from editscope.suites.wiseedit.data import load, load_complex

__all__ = ["load", "load_complex"]
