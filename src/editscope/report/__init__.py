"""Reports of runs: HTML to look at and send, LaTeX for a paper, Markdown to paste, CSV to go on with."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from editscope.errors import BadInput
from editscope.report.options import ReportOptions
from editscope.report.paper_figures import figures_for, figures_of_suite
from editscope.results.run import Run

if TYPE_CHECKING:
    from editscope.report.model import Model

__all__ = ["SUFFIXES", "ReportOptions", "figures_for", "figures_of_suite", "write"]

SUFFIXES = (".html", ".md", ".csv", ".tex")


def write(
    runs: Sequence[Run],
    out: str | Path,
    *,
    title: str | None = None,
    published: bool = False,
    bundle: bool = False,
    labels: str | Path | None = None,
    say: Callable[[str, int, int], None] | None = None,
) -> Path:
    """Write one report of one or several runs; its kind follows from the suffix of ``out``.

    ``published`` puts published results beside the runs. ``bundle`` puts copies of all pictures, full size too,
    into the folder ``NAME_files`` beside an HTML report, so that the two can be sent together. ``labels`` is a file of
    human labels by which judges are calibrated. ``say`` is told what
    takes long: ``say("making inputs and answers", 120, 1920)``; a total of 0 says a remark.
    The file appears whole or not at all, so an earlier report survives whatever goes wrong.
    """
    out = Path(out)
    if out.suffix.lower() not in SUFFIXES:
        raise BadInput(
            f"--out {out} ends in none of {', '.join(SUFFIXES)}; the suffix selects the format of the report"
        )
    if out.is_dir():
        raise BadInput(f"--out {out} is a folder; use the name of a file in it")
    if bundle and out.suffix.lower() != ".html":
        raise BadInput(f"--bundle works only with an HTML report; --out {out} is none")

    from editscope.report.model import gather
    from editscope.results.calibration import read_labels

    options = ReportOptions(published=published, bundle=bundle)
    people = None if labels is None else read_labels(labels)
    pieces = _pieces(gather(runs, title, people), options if say is None else replace(options, say=say), out)
    temporary = out.with_name(f".{out.name}.{os.getpid()}.tmp")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"cannot make the folder of {out}: {error.strerror}; choose another place") from error
    try:
        with temporary.open("wb") as file:
            for piece in pieces:
                file.write(piece.encode())
        temporary.replace(out)
    except OSError as error:
        raise BadInput(f"cannot write {out}: {error.strerror or error}; choose another place") from error
    finally:
        with suppress(OSError):
            temporary.unlink()
    return out


def _pieces(model: Model, options: ReportOptions, out: Path) -> Iterator[str]:
    """The text of the report, in pieces."""
    match out.suffix.lower():
        case ".html":
            from editscope.report.html.page import page

            return page(model, options, out)
        case ".tex":
            from editscope.report.text.latex import as_latex

            return as_latex(model, published=options.published)
        case ".md":
            from editscope.report.text.markdown import as_markdown

            return as_markdown(model, published=options.published)
        case _:
            from editscope.report.text.csv import as_csv

            return as_csv(model, published=options.published)
