"""Notes on the edits of a run, such as why an editor left pictures unchanged: the most common ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from editscope.runfolder.journal import Line
from editscope.wording import count

NOTES = "notes"
"""The key of summary.json: how many edits have a note, by note."""
KEPT = 5
"""How many different notes summary.json has."""
LISTED = 3


def common_notes(edits: Iterable[Line]) -> dict[str, dict[str, int]]:
    """The most common notes of edits for summary.json; nothing if no edit has one."""
    counts = Counter(note for edit in edits for note in dict.fromkeys(edit.get("notes", ())))
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return {NOTES: dict(ranked[:KEPT])} if ranked else {}


def notes_in_words(summary: Mapping[str, Any]) -> list[str]:
    """The most common notes of a run, a line each.

    >>> notes_in_words({"notes": {"left unchanged, because it is a photograph": 6}})
    ['6 edits: left unchanged, because it is a photograph']
    """
    return [f"{count(n, 'edit')}: {note}" for note, n in list(summary.get(NOTES, {}).items())[:LISTED]]
