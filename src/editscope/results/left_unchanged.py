"""Pictures that an editor left unchanged on purpose, and why: the most common reasons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from editscope.cases import LEFT_UNCHANGED
from editscope.runfolder.journal import Line
from editscope.wording import count

KEY = "left_unchanged"
"""The key of summary.json: how many edits have a reason, by the note that gives it."""
KEPT = 5
"""How many different reasons summary.json has."""
LISTED = 3


def left_unchanged(edit: Line) -> list[str]:
    """The notes that say why an editor did not try an edit.

    Other notes do not count: what happened on the way, such as a worker that died, may differ from run to run.
    """
    return [note for note in edit.get("notes", ()) if note.startswith(LEFT_UNCHANGED)]


def common_reasons(edits: Iterable[Line]) -> dict[str, dict[str, int]]:
    """The most common reasons for summary.json; nothing if every edit was tried."""
    counts = Counter(note for edit in edits for note in dict.fromkeys(left_unchanged(edit)))
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return {KEY: dict(ranked[:KEPT])} if ranked else {}


def reasons_in_words(summary: Mapping[str, Any]) -> list[str]:
    """The most common reasons of a run, a line each.

    >>> reasons_in_words({"left_unchanged": {"left unchanged, because it is a photograph": 6}})
    ['6 edits left unchanged, because it is a photograph']
    """
    return [f"{count(n, 'edit')} {note}" for note, n in list(summary.get(KEY, {}).items())[:LISTED]]
