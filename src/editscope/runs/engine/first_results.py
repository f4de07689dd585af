"""First results of a run: where nothing has worked yet and the same failure comes again and again, the run stops."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from editscope.errors import Stopped
from editscope.runfolder.journal import Line
from editscope.runs.engine.user_code import raised_at

ENOUGH = 5
"""So many equal failures in a row, before anything has worked, stop a run."""

MOST_CASES = 64
"""So many cases are remembered, to know their names in reasons."""

FAILED = ("error", "no_output")
"""Edits that failed. A refusal is an answer of the model and no failure of the setup."""
NO_VERDICT = ("error", "unparsed")
"""Verdicts that failed, likewise."""

_PATH = re.compile(r"[^\s'\"(),;/\\]*[/\\][^\s'\"(),;]+")
_NUMBER = re.compile(r"0x[0-9a-f]+|[-+]?\d+(?:[.,]\d+)*", re.IGNORECASE)


class FailedAlike(Stopped):
    """The first edits, or the first verdicts of a judge, all failed for the same reason."""

    def __init__(self, what: str, status: str, reason: str, count: int = ENOUGH, place: str = "") -> None:
        self.what, self.status, self.reason, self.count = what, status, " ".join(reason.split()), count
        self.place = place  # in the code of the user
        super().__init__(f"the first {count} {what} all failed for the same reason ({status}): {self.reason}")


@dataclass
class FirstResults:
    """Counts results until one has worked; ``add`` is true when enough in a row have failed alike.

    >>> results = FirstResults(enough=2)
    >>> [results.add(failure) for failure in ("a", "b", "b", None, "b", "b")]
    [False, False, True, False, False, False]
    """

    enough: int = ENOUGH
    _kind: str = ""
    _count: int = 0
    _worked: bool = False
    _cases: list[str] = field(default_factory=list)

    def add(self, failure: str | None) -> bool:
        """Count a result: the kind of its failure, or None for one that worked."""
        self._worked = self._worked or failure is None
        if self._worked or failure is None:
            return False
        self._count = self._count + 1 if failure == self._kind else 1
        self._kind = failure
        return self._count == self.enough

    def edit(self, line: Line, trace: str | None = None) -> FailedAlike | None:
        """Count an edit by its journal line; the reason to stop, where there is one.

        ``trace`` is the traceback of an editor that raised. An edit that the editor was never asked for, since it does
        not apply, says nothing.
        """
        status, reason = line["status"], line["reason"] or ""
        if not line.get("applicable", True):
            return None
        failure = f"{status}: {self._alike(reason, line)}" if status in FAILED else None
        return FailedAlike("edits", status, reason, self.enough, raised_at(trace)) if self.add(failure) else None

    def verdict(self, line: Line) -> FailedAlike | None:
        """Count a verdict of one judge by its journal line; what the cache knew says nothing of the judge of today."""
        verdict = line["verdict"]
        if verdict["cached"]:
            return None
        status, reason = verdict["status"], verdict["reason"] or ""
        failure = f"{status}: {self._alike(reason, line)}" if status in NO_VERDICT else None
        return (
            FailedAlike(f"verdicts of {verdict['judge']}", status, reason, self.enough) if self.add(failure) else None
        )

    def _alike(self, reason: str, line: Line) -> str:
        """A reason without names of cases: one that a whole batch shares names another case of it."""
        self._cases = [*self._cases, line["case"]][-MOST_CASES:]
        return alike(reason, *self._cases, line["variant"], line.get("key", ""))


def alike(reason: str, *names: str) -> str:
    """A reason without what differs from case to case: the names of the case, paths and numbers.

    >>> alike("ValueError: border/012 is 512x512, see /tmp/a7/x.png", "border/012")
    'valueerror: … is #x#, see …'
    """
    for name in filter(None, names):
        reason = reason.replace(name, "…")
    return " ".join(_NUMBER.sub("#", _PATH.sub("…", reason)).lower().split())
