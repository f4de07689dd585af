"""What two runs of the same must agree in: all of the result but how long it took and which journal it is from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def summary_but_speed(run: Path) -> dict[str, Any]:
    """The summary of a run without how fast the editor was, and without the stamp of the journal it was made from."""
    found: dict[str, Any] = json.loads((run / "summary.json").read_text(encoding="utf-8"))
    found.pop("speed", None)
    assert found.pop("made_from")
    return found
