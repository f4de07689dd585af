"""Error log of a run: a line for every edit and every verdict that failed, with the traceback where there is one."""

from __future__ import annotations

import contextlib
from datetime import UTC, datetime
from pathlib import Path

from editscope.outside import received, shortened
from editscope.runfolder.files import ERRORS
from editscope.runfolder.journal import Line

LONGEST_LINE = 2_000


class ErrorLog:
    """``errors.log`` of a run folder; made with its first line. A disk that refuses it does not stop the run."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / ERRORS

    def add(self, trace: str | None, line: Line | None = None) -> None:
        """Write the traceback of a worker, below the journal line of an edit or a verdict where that failed."""
        headline = "" if line is None else failure_line(line)
        texts = [text for text in (headline, trace) if text]
        if texts:
            with contextlib.suppress(OSError), self.path.open("a", encoding="utf-8") as file:
                file.write(received("\n".join(texts)) + "\n")


def failure_line(line: Line) -> str:
    """A failed step in one line: when, which step of which case, its status and the reason; "" for one that worked.

    >>> failure_line({"step": "edit", "case": "border/1", "variant": "", "status": "ok", "reason": None})
    ''
    """
    verdict = line.get("verdict")
    status, reason = (verdict["status"], verdict["reason"]) if verdict else (line["status"], line["reason"])
    if status == "ok" or not line.get("applicable", True):
        return ""
    which = f"{line['case']} [{line['variant']}]" if line["variant"] else line["case"]
    asked = f" {line['key']} by {verdict['judge']}" if verdict else ""
    at = line.get("at") or datetime.now(UTC).isoformat(timespec="milliseconds")
    return shortened(" ".join(f"{at} {line['step']} {which}{asked} {status}: {reason or ''}".split()), LONGEST_LINE)
