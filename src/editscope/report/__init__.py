"""Reports of runs: HTML to look at and send, Markdown to paste, CSV to go on with."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from editscope.errors import BadInput
from editscope.report.source import ReportCase, ReportRun

__all__ = ["SUFFIXES", "ReportCase", "ReportRun", "write"]

SUFFIXES = (".html", ".md", ".csv")


def write(runs: Sequence[ReportRun], out: str | Path, *, title: str | None = None) -> Path:
    """Write one report of one or several runs; its kind follows from the suffix of ``out``.

    The file appears whole or not at all, so an earlier report survives whatever goes wrong.
    """
    out = Path(out)
    if out.suffix.lower() not in SUFFIXES:
        raise BadInput(
            f"--out {out} ends in none of {', '.join(SUFFIXES)}; the ending says what kind of report to write"
        )
    if out.is_dir():
        raise BadInput(f"--out {out} is a folder; give the name of a file in it")

    from editscope.report.model import gather
    from editscope.report.page import page
    from editscope.report.sheets import as_csv, as_markdown

    pieces = {".html": page, ".md": as_markdown, ".csv": as_csv}[out.suffix.lower()](gather(runs, title))
    temporary = out.with_name(f".{out.name}.{os.getpid()}.tmp")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"cannot make the folder of {out}: {error.strerror}; choose another place") from error
    try:
        with temporary.open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(pieces)
        temporary.replace(out)
    except OSError as error:
        raise BadInput(f"cannot write {out}: {error.strerror or error}; choose another place") from error
    finally:
        temporary.unlink(missing_ok=True)
    return out
