"""`editscope figures`: figures of runs for a paper."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from editscope import printing
from editscope.cli.options import names


def figures(
    runs: Annotated[
        list[Path], typer.Argument(metavar="RUN...", help="Run folders or folders of them; several share each figure.")
    ],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="The folder for the figures.")] = Path("figures"),
    formats: Annotated[
        list[str] | None, typer.Option("--format", metavar="pdf,svg,png", help="File formats [default: pdf].")
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--only",
            metavar="A,B",
            help="Only these: curves, over-editing, conditions, palette, distributions, radar, tasks, failures, "
            "composition, correlation, cost, grid.",
        ),
    ] = None,
    cases: Annotated[
        list[str] | None,
        typer.Option("--cases", metavar="ID,ID", help="Cases to show in the grid [default: one for each category]."),
    ] = None,
    width: Annotated[
        str,
        typer.Option("--width", metavar="single|double", help="The width of one column of a paper, or of the page."),
    ] = "double",
    published: Annotated[
        bool, typer.Option("--with-published", help="Add published results to figures that can show them.")
    ] = False,
) -> None:
    """Draw figures of runs for a paper: vector graphics with embedded fonts, the same bytes every time.

    editscope figures runs/a runs/b --out figures

    editscope figures runs/a runs/b --only grid --cases border/012,legend/003 --format png
    """
    from editscope.cli.output import runs as output
    from editscope.report.paper_figures import figures_for
    from editscope.results import open_runs

    opened = open_runs(*runs)
    output.remarks(*opened)
    drawn = figures_for(
        opened,
        out,
        formats=names(formats) or ("pdf",),
        only=names(only),
        published=published,
        width=width,
        cases=names(cases) or (),
    )
    for one in drawn:
        for file in one.files:
            printing.say(file)
    for one in drawn:
        if one.reason:
            printing.say(f"left out: {one.suite} {one.name}, {one.reason}", error=True)
