"""Log of submitted batches in a run folder: which calls each holds, so that resuming pays for none twice."""

from __future__ import annotations

import errno
import json
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from editscope.errors import BadInput, Stopped
from editscope.files import sync_path

FILE = "batches.jsonl"


@dataclass(eq=False)
class LoggedBatch:
    """One batch: our token, the vendor's id where the server has told it, and the ids of its calls in order.

    ``held_usd`` is what the run's budget has reserved for it; ``read`` says that its results were taken, ``lost`` that
    the server does not have it.
    """

    token: str
    judge: str
    at: float
    calls: tuple[str, ...]
    batch: str = ""
    held_usd: float = 0.0
    read: bool = False
    lost: bool = False


@dataclass(eq=False)
class BatchLog:
    """An append-only file of JSON lines; a line counts when the disk has it. Only who holds the run's lock may write.

    Lines are of four kinds: ``submitting`` before a batch is sent, ``submitted`` with the id that the server gave it,
    ``read`` before its results are used, ``lost`` where the server does not have it. ``held`` says what the budget
    has reserved for it from then on.
    """

    folder: Path
    batches: dict[str, LoggedBatch] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.path = self.folder / FILE
        try:
            content = self.path.read_bytes() if self.path.exists() else b""
        except OSError as error:
            raise BadInput(f"{self.path} cannot be read ({error.strerror}); allow reading and writing it") from error
        whole = content[: content.rfind(b"\n") + 1]  # a torn last line was never relied on; the next write cuts it
        self._end = len(whole)
        for number, line in enumerate(whole.splitlines(), 1):
            try:
                self._apply(json.loads(line))
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise BadInput(
                    f"{self.path}, line {number}, is damaged; remove the line to submit its calls again, at their price"
                ) from error

    def of(self, judge: str) -> list[LoggedBatch]:
        """The batches of one judge, in order."""
        return [batch for batch in self.batches.values() if batch.judge == judge]

    @property
    def calls_out(self) -> int:
        """How many calls are in batches whose results have not been read."""
        return sum(len(batch.calls) for batch in self.batches.values() if not batch.read and not batch.lost)

    def write(self, event: str, token: str, **more: Any) -> LoggedBatch:
        """Add a line, and wait until the disk has it."""
        line = {"event": event, "token": token, "at": round(time.time(), 3), **more}
        data = json.dumps(line, separators=(",", ":")).encode() + b"\n"
        try:
            new = not self.path.exists()
            fd = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
            try:
                os.ftruncate(fd, self._end)
                if os.write(fd, data) < len(data):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                os.fsync(fd)
                self._end += len(data)
            finally:
                os.close(fd)
            if new:
                sync_path(self.folder)
        except OSError as error:
            raise Stopped(f"{self.path} cannot be written ({error.strerror or error}); make room for it") from error
        return self._apply(line)

    def _apply(self, line: Mapping[str, Any]) -> LoggedBatch:
        event, token = line["event"], str(line["token"])
        if event == "submitting":
            calls = tuple(str(call) for call in line["calls"])
            batch = LoggedBatch(token, str(line["judge"]), float(line["at"]), calls)
            batch.held_usd = float(line.get("held_usd", 0.0))
            self.batches[token] = batch
            return batch
        batch = self.batches[token]
        if event == "submitted":
            batch.batch = str(line["batch"])
        elif event == "held":
            batch.held_usd = float(line["held_usd"])
        elif event == "read":
            batch.read = True
        elif event == "lost":
            batch.lost = True
        return batch
