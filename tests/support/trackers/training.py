"""A training run that saves checkpoints, and an editor that is as good as its checkpoint says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import editscope as es
from editscope.watch.watch import CheckpointWatcher, Watch
from support.small_sets import make_small_set

PARTLY = """
from pathlib import Path
import editscope as es

class Partly(es.Editor):
    '''Right in as many rows as its file of weights says.'''
    workers = None
    wants_answer = True

    def __init__(self, weights):
        self.weights = weights

    def edit(self, case):
        picture = case.arrays[0].copy()
        rows = int(float(Path(self.weights).read_text()) * len(picture))
        picture[:rows] = case.answer[:rows]
        return picture
"""
EDITOR = "python:partly_editor:Partly?weights={checkpoint}"


class Training:
    """A folder of checkpoints, and a watch over it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.suite = es.load_suite("paintbench", root=make_small_set(folder / "set"))
        (folder / "checkpoints").mkdir()
        (folder / "partly_editor.py").write_text(PARTLY)

    def save(self, step: int, skill: float) -> None:
        (self.folder / "checkpoints" / f"step-{step}.txt").write_text(str(skill))

    def watched(self, **more: Any) -> list[str]:
        """Evaluate the checkpoints that are there; what the watch has said."""
        watch = Watch(
            self.folder / "checkpoints",
            self.folder / "watched",
            EDITOR,
            self.suite,
            patterns=("step-*.txt",),
            settle_s=0.0,
            jobs=1,
            **more,
        )
        sentences: list[str] = []
        list(CheckpointWatcher(watch, sentences.append).run(0.05, once=True))
        return [sentence for sentence in sentences if "too few to show any fall" not in sentence]
