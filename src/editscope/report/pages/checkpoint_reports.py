"""Reports of the checkpoints of a watch: one in each run folder, which the page of the watch links to."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

from editscope.errors import EditscopeError
from editscope.outside import one_line
from editscope.report import write
from editscope.results.run import open_run
from editscope.runfolder.run_json import FILE
from editscope.watch.history import CheckpointResult, History

REPORT = "report.html"


def write_checkpoint_reports(folder: Path, history: History, say: Callable[[str], None]) -> None:
    """Write the report of each evaluated checkpoint that has none; where that fails, say so and go on."""
    for result in history:
        if result.status != "done" or not (folder / result.run / FILE).is_file() or report_link(folder, result):
            continue
        try:
            write([open_run(folder / result.run)], folder / result.run / REPORT, title=result.name)
        except Exception as error:  # a watch is worth more than a page about it
            reason = str(error) if isinstance(error, EditscopeError) else one_line(error)
            say(f"the report of {result.name} could not be written: {reason}")


def report_link(folder: Path, result: CheckpointResult) -> str | None:
    """The address of a checkpoint's report, from the page of the watch; None where there is none."""
    return f"{quote(result.run)}/{REPORT}" if (folder / result.run / REPORT).is_file() else None
