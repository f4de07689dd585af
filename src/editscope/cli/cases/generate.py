"""`editscope generate`: a set of cases made from seeds and written to disk."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from editscope import printing
from editscope.cli import options as opt


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
    from editscope.cli.output.progress import progress_bar
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
    with progress_bar("generating", quiet=quiet) as on_progress:
        written = write_set(out, jobs=jobs or cores(), on_progress=on_progress, **chosen)
    noun = "problem" if written == 1 else "problems"
    printing.say(f"{written:,} {noun} in {out} · run them with: editscope run {suite} --data {out} --editor SPEC")
