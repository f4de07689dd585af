"""Capacity of an editing worker: enough work that its editor never waits, and no more."""

from __future__ import annotations

from editscope.editors import Editor
from editscope.editors.base import EditLimits

MOST_AHEAD = 8
"""For so many threads of an editor requests are made ahead; with more, edits take long enough to make others."""


def slots(editor: Editor, limits: EditLimits) -> int:
    """How many threads ask an editor at the same time."""
    most = max(1, editor.at_once)
    return most if limits.concurrency is None else max(1, min(most, limits.concurrency))


def ahead(at_once: int, batch: int) -> int:
    """How many requests lie ready for the next turn of an editor, and how many edits wait to be kept after it.

    >>> ahead(1, 1), ahead(1, 4), ahead(64, 1)
    (1, 4, 8)
    """
    return min(at_once, MOST_AHEAD) * max(1, batch)


def paid(editor: Editor) -> bool:
    """Whether its edits cost money, or nobody knows."""
    try:
        return not editor.free and editor.estimate(1) != 0
    except Exception:
        return True
