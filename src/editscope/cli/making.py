"""`editscope suites` and `editscope generate`: what cases there are, and making more."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from editscope import printing
from editscope.cli import options as opt


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


def generate(
    suite: opt.SuiteName,
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Where the set goes; a new or empty folder.")],
    tasks: opt.Tasks = None,
    modes: opt.Modes = None,
    conditions: opt.Conditions = None,
    per_cell: opt.PerCell = None,
    per_mode: opt.PerMode = None,
    canvas: opt.Canvas = None,
    n: opt.Shapes = None,
    charts: opt.Charts = None,
    per_task: opt.PerTask = None,
    points: opt.Points = None,
    namespace: opt.Namespace = None,
    split: opt.Split = None,
    jobs: opt.Jobs = None,
    quiet: opt.Quiet = False,
) -> None:
    """Write a set to disk in the released layout.

    The whole set:

      editscope generate paintbench --out paintbench-set

    A small fresh one that no model has seen:

      editscope generate paintbench --out fresh --tasks border,removal --conditions baseline --namespace mine
    """
    from editscope.runs import cores
    from editscope.suites import set_writer

    write_set = set_writer(suite)
    chosen = opt.given(
        tasks=opt.names(tasks),
        modes=opt.names(modes),
        conditions=opt.names(conditions),
        per_cell=per_cell,
        per_mode=per_mode,
        canvas=opt.canvas_size(canvas),
        n=n,
        charts=opt.names(charts),
        per_task=per_task,
        points=points,
        namespace=namespace,
        split=split,
    )
    with _counting(quiet) as on_progress:
        written = write_set(out, jobs=jobs or cores(), on_progress=on_progress, **chosen)
    noun = "problem" if written == 1 else "problems"
    printing.say(f"{written:,} {noun} in {out} · run them with: editscope run {suite} --data {out} --editor SPEC")


@contextmanager
def _counting(quiet: bool) -> Iterator[Callable[[int, int], None] | None]:
    """A bar on a terminal, nothing elsewhere; gives what is to be called with (done, total)."""
    from rich.progress import Progress

    console = printing.console(stderr=True)
    if quiet or not console.is_terminal:
        yield None
        return
    with Progress(console=console) as bar:
        task = bar.add_task(" generating", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
