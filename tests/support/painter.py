"""An editor that paints as much of a square as its seed says, and what tests ask of it."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from editscope.cases import Edit
from editscope.editors import EditLimits, Editor, Request
from editscope.images import Pixels

SIZE = 32
BEFORE = np.full((SIZE, SIZE, 3), 200, np.uint8)


def _answer() -> Pixels:
    after = BEFORE.copy()
    after[8:24, 8:24] = (10, 120, 30)
    return after


ANSWER = _answer()


def request(instruction: str = "Paint the square.", seed: int = 7, pictures: int = 1, **more: Any) -> Request:
    arrays = tuple(np.full((SIZE, SIZE + 8 * i, 3), 200 - 40 * i, np.uint8) for i in range(pictures))
    return Request("case/0", arrays, instruction, seed, **more)


class Painter(Editor):
    """Paints as much of the square as its seed says, and remembers what it was asked."""

    name = "painter"

    def __init__(self, make: Callable[[Request], Any] | None = None, *, batch: int = 1, at_once: int = 1) -> None:
        self.make = make or self.square
        self.batch, self.at_once = batch, at_once
        self.seen: list[Request] = []
        self.batches: list[int] = []
        self.told: list[str] = []
        self._lock = threading.Lock()

    @staticmethod
    def square(case: Request) -> Pixels:
        rows = 9 + case.seed % 15
        made = case.arrays[0].copy()
        made[8:rows, 8:24] = (10, 120, 30)
        return made

    def limit(self, limits: EditLimits) -> None:
        self.told.append("limit")
        self.at_once = limits.concurrency or self.at_once

    def check(self) -> None:
        self.told.append("check")

    def load(self) -> None:
        self.told.append("load")

    def close(self) -> None:
        self.told.append("close")

    def edit(self, case: Request) -> Any:
        (made,) = self.edit_batch([case])
        return made

    def edit_batch(self, cases: Sequence[Request]) -> list[Any]:
        with self._lock:
            self.seen += cases
            self.batches.append(len(cases))
        return [self.make(case) for case in cases]

    def estimate(self, edits: int, images: int = 1) -> float | None:
        return 0.25 * edits


def made(editor: Editor, case: Request) -> Edit:
    found = editor.edit(case)
    assert isinstance(found, Edit)
    return found


def trace(edit: Edit) -> dict[str, Any]:
    assert edit.trace is not None
    found: dict[str, Any] = json.loads(edit.trace)
    return found
