"""WorldEdit-Test: instructions that name a cause and leave its visible effect to the model."""

from __future__ import annotations

from editscope.suites.worldedit.data import load

__all__ = ["load"]
