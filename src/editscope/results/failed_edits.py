"""Failed edits of a run in words: how many failed and why, where each is listed, and how to make them again."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from editscope.runfolder.files import EDITOR_LOG, ERRORS

if TYPE_CHECKING:
    from editscope.results.run import Run

LONGEST_REASON = 200
LISTED_REASONS = 3
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
    reasons = common_reasons(run)
    return f"Every edit failed ({listed_counts(counts)})" + (f": {reasons[0][0]}" if reasons else "")


def common_reasons(run: Run) -> list[tuple[str, int]]:
    """The reasons of failed edits, each in one line, and how many edits have it; the most common first."""
    reasons = Counter(" ".join(reason.split()) for reason in _failure_reasons(run))
    return [
        (reason if len(reason) <= LONGEST_REASON else f"{reason[:LONGEST_REASON]}…", n)
        for reason, n in sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
    ]


def failure_lines(run: Run) -> list[str]:
    """What a user should know where edits failed, line by line: how many, why, and how to make them again."""
    if lead := every_edit_failed(run):
        return [lead, *retry_lines(run)]
    counted = failed_in_words(run)
    return [counted, *reason_lines(run), *retry_lines(run)] if counted else []


def failed_in_words(run: Run) -> str:
    """How many edits failed and what they count; "" where none did. A run with judges says what they count itself."""
    counts = failed_counts(run)
    total = sum(counts.values())
    if not total:
        return ""
    zero = "" if run.judged else "; it counts as 0" if total == 1 else "; each counts as 0"
    return f"{total:,} edit{'' if total == 1 else 's'} failed ({listed_counts(counts)}){zero}"


def reason_lines(run: Run) -> list[str]:
    """The most common reasons of failed edits."""
    reasons = common_reasons(run)
    lines = [f"{n:,} × {reason}" for reason, n in reasons[:LISTED_REASONS]]
    others = len(reasons) - len(lines)
    return [*lines, f"… and {others:,} other reason{'' if others == 1 else 's'}"] if others else lines


def retry_lines(run: Run) -> list[str]:
    """The command that makes failed edits again; none where no command can, as for an editor that is an object."""
    failed = set(failed_counts(run))
    judges = run.info.get("judging", {}).get("judges", ()) if run.judged else ()
    unknown = run.info["editor"]["spec"] is None or any(judge.startswith("object ") for judge in judges)
    if not failed or unknown or run.archive is not None:
        return []
    command = f"editscope resume {shlex.quote(str(run.path))}"
    if failed == {"error"}:
        return [f"to make failed edits again: {command} --edit-again"]
    which = " (--edit-again: only those with an error)" if "error" in failed else ""
    return [f"to make failed edits again: {command} --edit-again-all{which}"]


def listed_counts(counts: Mapping[str, int]) -> str:
    """Statuses and how many edits have each.

    >>> listed_counts({"error": 5, "no_output": 4})
    'error 5 · no_output 4'
    """
    return " · ".join(f"{status} {n:,}" for status, n in counts.items())


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
    """Where the run folder says more: every failed step with its reason, and what the editor printed.

    Failures that a later edit or verdict has made good are in the log too; where there are no others, it is not named.
    """
    if run.archive is not None:
        return ()
    there = {"every failure with its reason": run.path / ERRORS} if _has_failures(run) else {}
    there["what the editor printed"] = run.path / EDITOR_LOG
    return tuple(f"{what}: {path}" for what, path in there.items() if path.is_file())


def _has_failures(run: Run) -> bool:
    """Whether any edit or verdict that counts has failed."""
    verdicts = run.summary.get("verdicts", {}) if run.judged else {}
    return bool(failed_counts(run)) or any(n for status, n in verdicts.items() if status not in NO_FAILURE)


def _statuses(run: Run) -> dict[str, int]:
    return dict(run.summary["edits"] if run.judged else run.coverage)
