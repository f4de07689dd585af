"""Places of the repository that tests read."""

from __future__ import annotations

from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
ROOT = TESTS.parent
DATA = TESTS / "data"
DOCS = ROOT / "docs"
SHARED = ROOT.parent / "shared"
"""The papers and their samples, where somebody has put them beside the repository."""
SAMPLES = SHARED / "data" / "samples"
PAINTBENCH_SAMPLES = SAMPLES / "paintbench"
