"""Failed edits of a run in words: whether all of them failed, why most did, and where each is listed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from editscope.runfolder.files import EDITOR_LOG, ERRORS

if TYPE_CHECKING:
    from editscope.results.run import Run

LONGEST_REASON = 200
NO_FAILURE = ("ok", "pending", "not_applicable")


def failed_counts(run: Run) -> dict[str, int]:
    """How many edits have which status, without those that worked, are not made yet or do not apply."""
    return {status: n for status, n in _statuses(run).items() if status not in NO_FAILURE and n}


def every_edit_failed(run: Run) -> str:
    """A sentence for a run in which no edit has worked; "" for every other.

    The most common reason stands in it.
    """
    counts = failed_counts(run)
    if not counts or _statuses(run).get("ok"):
        return ""
    listed = " · ".join(f"{status} {n:,}" for status, n in counts.items())
    reason = most_common_reason(run)
    return f"Every edit failed ({listed})" + (f": {reason[0]}" if reason else "")


def most_common_reason(run: Run) -> tuple[str, int] | None:
    """The reason that most failed edits have, in one line, and how many have it; None where none has any."""
    reasons = Counter(" ".join(reason.split()) for reason in _failure_reasons(run))
    if not reasons:
        return None
    reason, n = min(reasons.items(), key=lambda item: (-item[1], item[0]))
    return (reason if len(reason) <= LONGEST_REASON else f"{reason[:LONGEST_REASON]}…"), n


def _failure_reasons(run: Run) -> Iterator[str]:
    """The reason of every failed edit that has one; from the stored tables where a row is an edit."""
    columns = None if run.judged else run.stored_columns("status", "reason")
    if columns is not None:
        edits: Iterable[tuple[Any, Any]] = zip(columns["status"], columns["reason"], strict=True)
    else:
        made = run.edits().values()
        edits = ((edit["status"], edit["reason"]) for edit in made if edit.get("applicable", True))
    return (str(reason) for status, reason in edits if status != "ok" and reason)


def logs(run: Run) -> tuple[str, ...]:
    """Where the run folder says more: every failed step with its reason, and what the editor printed."""
    if run.archive is not None:
        return ()
    there = {
        "every failure with its reason": run.path / ERRORS,
        "what the editor printed": run.path / EDITOR_LOG,
    }
    return tuple(f"{what}: {path}" for what, path in there.items() if path.is_file())


def _statuses(run: Run) -> dict[str, int]:
    return dict(run.summary["edits"] if run.judged else run.coverage)
