"""`editscope generate`: a set of cases made from seeds and written to disk."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from editscope import printing
from editscope.cli import options as opt
from editscope.cli.suite_options import suite_spec


def generate(
    context: typer.Context,
    suite: opt.SuiteName,
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="A new or empty folder for the set.")],
    jobs: opt.Jobs = None,
    quiet: opt.Quiet = False,
) -> None:
    """Write a set to disk in the released layout.

    The whole set:

      editscope generate paintbench --out paintbench-set

    A small, fresh set that no model has seen:

      editscope generate paintbench --out fresh --tasks border,removal --conditions baseline --namespace mine
    """
    from editscope.cli.output.progress import progress_bar
    from editscope.runs import cores
    from editscope.suites import benchmark, set_writer
    from editscope.suites.registry import split_spec

    plain, texts = split_spec(suite_spec(context, suite)[0])
    write_set = set_writer(plain)
    chosen, _ = benchmark(plain).read_options(texts)
    with progress_bar("generating", quiet=quiet) as on_progress:
        written = write_set(out, jobs=jobs or cores(), on_progress=on_progress, **chosen)
    noun = "problem" if written == 1 else "problems"
    printing.say(f"{written:,} {noun} in {out} · run them with: editscope run {plain} --data {out} --editor SPEC")
