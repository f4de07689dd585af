"""`editscope show` and `editscope report`: looking at runs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from editscope import printing


def show(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A run folder, or an archive of `editscope pack`.")],
    case: Annotated[str | None, typer.Argument(metavar="[CASE]", help="The id of one case.")] = None,
) -> None:
    """Show the tables of a run, or all about one case.

    editscope show runs/mine

    editscope show runs/mine border/012

    A run with --repeats shows all repeats of a case; border/012@~2 is the second.
    """
    from editscope.cli import saying
    from editscope.results import open_run
    from editscope.runfolder.repeats import plain

    console = printing.console(soft_wrap=True)
    opened = open_run(run)
    if case is not None:
        found = opened.case(case)
        named = plain(found.variant)[1] > 0  # one of its repeats was asked for by its name
        for record in [found] if named else opened.repeats_of(found):
            saying.case(record, console)
        return
    info = opened.info
    often = f" × {opened.repeats}" if opened.repeats > 1 else ""
    said = [info["suite"]["name"], f"{info['selection']['n']:,} cases{often}", f"editor {info['editor']['name']}"]
    console.print(" · ".join(said), markup=False)
    saying.remarks(opened)
    saying.summary_table(opened, console)
    console.print(f" {saying.intervals(opened)}", markup=False)
    saying.result(opened, console)


def report(
    runs: Annotated[
        list[Path], typer.Argument(metavar="RUN...", help="Run folders or packed archives; several are compared.")
    ],
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="FILE.html, .tex, .md or .csv [default: RUN/report.html]."),
    ] = None,
    title: Annotated[str | None, typer.Option("--title", help="The heading of the report.")] = None,
    with_published: Annotated[
        bool, typer.Option("--with-published", help="Put the published results of the suite beside the runs.")
    ] = False,
    bundle: Annotated[
        bool,
        typer.Option(
            "--bundle", help="Also write FILE_files: every picture in full size, to be sent together with FILE.html."
        ),
    ] = False,
) -> None:
    """Write a report of one or several runs. The ending of --out says what kind.

    One HTML file of at most 25 MB holds the small pictures; full-size edits are shown from the run folders while they
    are where they were. To send everything, write a bundle and send file and folder.

    editscope report runs/mine --out mine.html

    editscope report runs/a runs/b --out a-and-b.html --with-published

    editscope report runs/a runs/b --out to-send.html --bundle

    editscope report runs/a runs/b --out tables.tex
    """
    from editscope.cli import saying
    from editscope.report import write
    from editscope.results import open_run

    target = out or (runs[0].with_suffix(".html") if runs[0].is_file() else runs[0] / "report.html")
    say = _Progress()
    opened = [open_run(run) for run in runs]
    saying.remarks(*opened)
    path = write(opened, target, title=title, published=with_published, bundle=bundle, say=say)
    say.end()
    printing.say(path)


class _Progress:
    """One line on a terminal that says how far a long part is, and remarks that stay."""

    def __init__(self) -> None:
        self._shown = False

    def __call__(self, doing: str, done: int, total: int) -> None:
        if total == 0:
            self.end()
            printing.say(doing, error=True)
        elif sys.stderr.isatty():
            printing.redraw(f"{doing} {done:,}/{total:,}")
            self._shown = True

    def end(self) -> None:
        """Clear the line."""
        if self._shown:
            printing.redraw()
            self._shown = False
