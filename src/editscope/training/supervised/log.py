"""Log of a training run: a line of JSON for each step."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import Any

from editscope.runfolder.files import write_whole, writing

NAME = "training.jsonl"


class TrainingLog:
    """Lines of ``training.jsonl``: loss, norm of the gradient, rate, examples and seconds of every step.

    Without a folder nothing is written: only one of several processes does.
    """

    def __init__(self, folder: Path | None) -> None:
        self._path = None if folder is None else folder / NAME

    def add(self, result: Any) -> None:
        """Add the line of a step."""
        if self._path is None:
            return
        values = asdict(result) if is_dataclass(result) and not isinstance(result, type) else dict(result)
        with writing(self._path):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("a") as file:
                file.write(json.dumps(values) + "\n")

    def cut(self, step: int) -> None:
        """Remove the lines of steps after one that a run goes on from."""
        if self._path is None or not self._path.is_file():
            return
        lines = [line for line in read_log(self._path.parent) if line["step"] <= step]
        write_whole(self._path, "".join(json.dumps(line) + "\n" for line in lines).encode())


def read_log(folder: Path) -> list[Mapping[str, Any]]:
    """The lines of a log; one that was torn by a kill is left out."""
    lines = []
    path = folder / NAME
    for line in path.read_text().splitlines() if path.is_file() else ():
        try:
            lines.append(json.loads(line))
        except ValueError:
            continue
    return lines
