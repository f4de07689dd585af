"""The log of a training as rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from editscope.training.log.metrics_file import read_training


def read_log(folder: Path) -> list[dict[str, Any]]:
    """The numbers of each step, with its number."""
    return [{"step": step, **metrics} for step, metrics in read_training(folder).metrics.items()]
