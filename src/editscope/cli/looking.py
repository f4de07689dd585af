"""`editscope show` and `editscope report`: looking at runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def show(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A run folder.")],
    case: Annotated[str | None, typer.Argument(metavar="[CASE]", help="The id of one case.")] = None,
) -> None:
    """Show the tables of a run, or all about one case.

    editscope show runs/mine

    editscope show runs/mine border/012
    """
    from rich.console import Console

    from editscope.cli import saying
    from editscope.runs import open_run

    console = Console(highlight=False, soft_wrap=True)
    opened = open_run(run)
    if case is not None:
        saying.case(opened.case(case), console)
        return
    info = opened.info
    said = [info["suite"]["name"], f"{info['selection']['n']:,} cases", f"editor {info['editor']['name']}"]
    console.print(" · ".join(said), markup=False)
    saying.summary_table(opened, console)
    saying.result(opened, console)


def report(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Run folders; several are compared.")],
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="FILE.html, .md or .csv [default: RUN/report.html]."),
    ] = None,
    title: Annotated[str | None, typer.Option("--title", help="The heading of the report.")] = None,
) -> None:
    """Write a report of one or several runs.

    editscope report runs/mine --out mine.html

    editscope report runs/a runs/b --out a-and-b.html
    """
    from editscope.report import write
    from editscope.runs import open_run

    path = write([open_run(run) for run in runs], out or runs[0] / "report.html", title=title)
    typer.echo(path)
