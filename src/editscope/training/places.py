"""Folders and files that settings name: recognized however they are written, and from anywhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

FOLDERS = ("model.pipeline", "planner.model")
START = "lora.start"


def full_place(named: str) -> str:
    """The full path of an existing folder or file; any other name, such as that of a repository, unchanged."""
    place = Path(named).expanduser()
    return str(place.resolve()) if place.exists() else named


def same_place(name: str, saved: Any, wanted: Any) -> bool:
    """Whether two values of a setting name the same place. Checkpoints of earlier versions have them as written."""
    if not isinstance(saved, str) or not isinstance(wanted, str):
        return False
    if name in FOLDERS:
        return full_place(saved) == full_place(wanted)
    if name != START or Path(saved).is_absolute():
        return False
    # It was named from the folder of the experiment, which nobody knows here, and may be a folder around the file.
    parts, whole = [part for part in Path(saved).parts if part != ".."], list(Path(wanted).parts)
    return any(whole[first : first + len(parts)] == parts for first in range(len(whole)))
