"""`editscope suites`: the suites, their size, how they are scored and where their data comes from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from editscope import printing


def suites(
    data: Annotated[
        Path | None,
        typer.Option("--data", metavar="DIR", help="A folder with the data of suites, or with your own benchmarks."),
    ] = None,
) -> None:
    """List the suites: size, how they are scored, whether their data is here, and how to get it."""
    from rich.table import Table

    from editscope.suites.listing import listed

    table = Table(box=None, pad_edge=False)
    for heading in ("suite", "cases", "scored by", "here", "data"):
        # An address is folded, never cut: it is there to be copied.
        table.add_column(
            heading, justify="right" if heading == "cases" else "left", no_wrap=heading != "data", overflow="fold"
        )
    for one in listed(data):
        cases = "–" if one.cases is None else f"{one.cases:,}"
        table.add_row(one.name, cases, one.scoring, "yes" if one.here else "no", one.said)
    printing.console().print(table)
