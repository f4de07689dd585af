"""Log of a run or a watch: what its trackers get and what they have; a failure is told once and stops nothing."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from editscope.errors import EditscopeError
from editscope.images import encode_png
from editscope.outside import one_line
from editscope.results.run import Run
from editscope.runfolder.run_names import shown_spec
from editscope.trackers.case_grid import case_grid
from editscope.trackers.logged_book import LoggedBook, still_there
from editscope.trackers.scalars import scalars_of
from editscope.trackers.sending import PATIENCE_S, TrackerSession
from editscope.trackers.session import LogPoint, SessionInput
from editscope.trackers.targets import LogTarget
from editscope.version import __version__

TOGETHER = 16
"""How many entries a session gets: their pictures are in memory."""


@dataclass(frozen=True, eq=False)
class LogEntry:
    """A run that is to be logged: ``key`` tells it from others of the same log, ``step`` is that of a checkpoint.

    ``opened`` opens the run, and ``also`` are scalars that only the caller knows.
    """

    key: str
    opened: Callable[[], Run]
    step: int | None = None
    also: Mapping[str, float] = field(default_factory=dict)

    def point(self) -> LogPoint:
        """What a tracker gets."""
        run = self.opened()
        grid = case_grid(run)
        scalars = {**scalars_of(run), **self.also}
        if grid is None:
            return LogPoint(self.step, scalars)
        return LogPoint.of(self.step, scalars, encode_png(grid.pixels, palette=False), grid.caption)


@dataclass
class RunLog:
    """The log of what is in a folder, a run or a watch; ``say`` gets sentences."""

    folder: Path
    targets: Sequence[LogTarget]
    say: Callable[[str], None]
    patience_s: float = PATIENCE_S
    _told: set[str] = field(default_factory=set)

    @property
    def _book(self) -> LoggedBook:
        return LoggedBook(self.folder)

    def add(self, entries: Sequence[LogEntry], config: Callable[[], Mapping[str, Any]]) -> list[LogTarget]:
        """Log what targets do not have yet; where one fails, say so once, and try again with the next call.

        Returns the targets that got something.
        """
        reached = []
        for target in self.targets:
            try:
                if self._add(target, entries, config):
                    reached.append(target)
            except Exception as error:  # whatever it is, the run is worth more
                self._tell(target.key, f"could not log to {target}", error)
        return reached

    def _tell(self, about: str, what: str, error: Exception) -> None:
        reason = str(error) if isinstance(error, EditscopeError) else one_line(error)
        if about not in self._told:
            self._told.add(about)
            self.say(f"{what}: {reason}; no result is lost, and the same command tries again")

    def _add(self, target: LogTarget, entries: Sequence[LogEntry], config: Callable[[], Mapping[str, Any]]) -> bool:
        name = self.folder.absolute().name
        known = self._known(target, name)
        new = [entry for entry in entries if entry.key not in known["entries"]]
        if not new:
            return False
        session = SessionInput(target.kind, target.full_place, name, known["id"], str(self.folder.absolute()), config())
        self._remember(target, known)  # a session that is cut off continues under the same id
        for start in range(0, len(new), TOGETHER):
            points = self._points(new[start : start + TOGETHER])
            if points:
                ready = replace(session, logged=len(known["entries"]), points=list(points.values()))
                TrackerSession(ready, self.patience_s).end()
            known["entries"] += points
            self._remember(target, known)
        return True

    def _points(self, entries: Sequence[LogEntry]) -> dict[str, LogPoint]:
        """The points of entries by key; a run that cannot be read is told and left out."""
        points = {}
        for entry in entries:
            try:
                points[entry.key] = entry.point()
            except Exception as error:  # a run that somebody damaged must not keep the others from being logged
                self._tell(entry.key, f"could not log {entry.key}", error)
        return points

    def _known(self, target: LogTarget, name: str) -> dict[str, Any]:
        """The id of the run at a target and which entries it has; none where its files were deleted."""
        fields = self._book.get(target)
        entries = fields.get("entries")
        if not isinstance(entries, list) or not still_there(target, name):
            entries = []
        return {"id": str(fields.get("id") or secrets.token_hex(4)), "entries": list(entries)}

    def _remember(self, target: LogTarget, known: Mapping[str, Any]) -> None:
        self._book.put(target, known)


def log_run(run: Run, targets: Sequence[LogTarget], say: Callable[[str], None]) -> list[LogTarget]:
    """Log a finished run, unless its targets have it as it is now; the targets that got it."""
    if not targets:
        return []
    key = sha256(json.dumps(run.summary, sort_keys=True).encode()).hexdigest()[:16]
    return RunLog(run.path, targets, say).add([LogEntry(key, lambda: run)], lambda: config_of(run))


def config_of(run: Run) -> dict[str, Any]:
    """What was run, for the page of a tracker; without the paths of this machine."""
    info = run.info
    return {
        "suite": info["suite"]["name"],
        "suite_fingerprint": info["suite"]["fingerprint"],
        "editor": shown_spec(info["editor"]),
        "judge": info.get("judge"),
        "cases": info["selection"]["n"],
        "seed": info.get("seed"),
        "repeats": run.repeats,
        "editscope": __version__,
    }
