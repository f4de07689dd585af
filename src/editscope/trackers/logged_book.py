"""The file that says what trackers have of what is in a folder."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from editscope.documents import read_json
from editscope.errors import EditscopeError
from editscope.files import DOCUMENT, read_file
from editscope.runfolder.files import write_whole
from editscope.trackers.session import tensorboard_folder
from editscope.trackers.targets import TENSORBOARD, LogTarget

FILE = "logged.json"
FORMAT = 1

_WRITING = threading.Lock()


class LoggedBook:
    """What each target has, by its key; without the file, everything is logged again."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE

    def get(self, target: LogTarget) -> dict[str, Any]:
        """What a target has; nothing where that is not known."""
        fields = self._targets().get(target.key)
        return dict(fields) if isinstance(fields, dict) else {}

    def put(self, target: LogTarget, fields: Mapping[str, Any]) -> None:
        """Keep what a target has, beside what others have."""
        with _WRITING:
            document = {"format": FORMAT, "targets": {**self._targets(), target.key: dict(fields)}}
            text = json.dumps(document, indent=1, ensure_ascii=False) + "\n"
            write_whole(self.path, text.encode(), make_folder=False)

    def _targets(self) -> dict[str, Any]:
        try:
            return dict(read_json(read_file(self.path, DOCUMENT))["targets"])
        except (OSError, EditscopeError, ValueError, KeyError, TypeError):
            return {}


def still_there(target: LogTarget, name: str) -> bool:
    """Whether a target may have what it was given: the files of TensorBoard can be looked at."""
    if target.kind != TENSORBOARD:
        return True
    return any(tensorboard_folder(target.full_place, name).glob("events.out.tfevents.*"))
