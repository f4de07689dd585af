"""Places of the repository that tests read."""

from __future__ import annotations

import os
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
ROOT = TESTS.parent
DATA = TESTS / "data"
DOCS = ROOT / "docs"
SHARED = ROOT.parent / "shared"
"""The papers and their samples, where somebody has put them beside the repository."""
SAMPLES = SHARED / "data" / "samples"
PAINTBENCH_SAMPLES = SAMPLES / "paintbench"


def with_tests() -> dict[str, str]:
    """The environment of a process that imports Editscope as this one does, and modules of ``tests/``."""
    import editscope

    places = (Path(editscope.__file__).parents[1], TESTS)
    return {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, places))}
