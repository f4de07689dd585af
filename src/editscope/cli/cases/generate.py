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

    There is no --limit; options of the suite make a set smaller. One problem of every mode, in one condition:

      editscope generate paintbench --out small --per-mode 1 --conditions baseline --split test
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
    how = f"run them with: editscope run {plain} --data {out} --editor SPEC"
    printing.say(f"{written:,} {noun} in {out}{_diagnostics(plain, out)} · {how}")


def _diagnostics(suite: str, out: Path) -> str:
    """How many cases of a written set stay out of every average, and which; "" where none do."""
    from editscope.suites import load_suite

    made = load_suite(suite, root=out)
    exclude = made.aggregation.exclude
    apart = sum(exclude.items() <= made.tags(case_id).items() for case_id in made.ids) if exclude else 0
    return f", {apart:,} of them {'/'.join(exclude.values())} (not in the averages)" if apart else ""
