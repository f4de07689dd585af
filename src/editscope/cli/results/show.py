"""`editscope show`: the tables of a run, or all about one case."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from editscope import printing


def show(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A run folder, or an archive of `editscope pack`.")],
    case: Annotated[str | None, typer.Argument(metavar="[CASE]", help="The id of one case.")] = None,
) -> None:
    """Show the tables of a run, or everything about one case.

    editscope show runs/mine

    editscope show runs/mine border/012

    A run with --repeats shows all repeats of a case; border/012@~2 is the second.
    """
    from editscope.cli.output import runs as output
    from editscope.results import open_run
    from editscope.runfolder.repeats import plain
    from editscope.wording import part_of_cases

    console = printing.console(soft_wrap=True)
    opened = open_run(run)
    if case is not None:
        case_record = opened.case(case)
        named = plain(case_record.variant)[1] > 0  # one of its repeats was asked for by its name
        for record in [case_record] if named else opened.repeats_of(case_record):
            output.case(record, console)
        return
    info = opened.info
    often = f" × {opened.repeats}" if opened.repeats > 1 else ""
    cases = part_of_cases(info["selection"])
    header = [info["suite"]["name"], f"{cases}{often}", f"editor {info['editor']['name']}"]
    console.print(" · ".join(header), markup=False)
    output.remarks(opened)
    output.summary_table(opened, console)
    console.print(f" {output.intervals(opened)}", markup=False)
    output.result(opened, console)
