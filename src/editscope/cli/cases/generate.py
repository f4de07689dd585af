"""`editscope generate`: a set of cases made from seeds and written to disk."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from editscope import printing
from editscope.cli import options as opt
from editscope.cli.suite_options import suite_spec


def generate(
    context: typer.Context,
    suite: opt.SuiteName,
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="A new or empty folder for the set.")],
    form: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="SUITE",
            help="Write a folder of this judged suite, with a question about every effect of each case.",
        ),
    ] = None,
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

    A set whose effects are known, with questions for a judge:

      editscope generate optics --out questions --format picabench --per-task 2
    """
    from editscope.cli.output.progress import progress_bar
    from editscope.runs import cores
    from editscope.suites import benchmark, set_writer
    from editscope.suites.registry import split_spec

    plain, texts = split_spec(suite_spec(context, suite)[0])
    write_set = set_writer(plain)
    chosen, _ = benchmark(plain).read_options(texts)
    if form is not None:
        _write_judged(plain, chosen, out, form, quiet)
        return
    with progress_bar("generating", quiet=quiet, lines=True) as on_progress:
        written = write_set(out, jobs=jobs or cores(), on_progress=on_progress, **chosen)
    noun = "case" if written == 1 else "cases"  # the levels of a problem are cases of their own
    how = f"run them with: editscope run {plain} --data {out} --editor SPEC"
    printing.say(f"{written:,} {noun} in {out}{_diagnostics(plain, out)} · {how}")


def _write_judged(suite: str, options: Mapping[str, Any], out: Path, form: str, quiet: bool) -> None:
    """Write the folder of a judged suite, and say how to have the same edits scored and judged."""
    from editscope.cli.output.progress import progress_bar
    from editscope.suites import load_suite
    from editscope.suites.registry import judged_writer

    write = judged_writer(form)
    with progress_bar("generating", quiet=quiet, lines=True) as on_progress:
        written = write(out, load_suite(suite, **options), on_progress)
    how = f"judge the edits of a run with: editscope run {form} --data {out} --editor folder:RUN/images --judge SPEC"
    printing.say(f"{written:,} {'case' if written == 1 else 'cases'} in {out} · {how}")


def _diagnostics(suite: str, out: Path) -> str:
    """How many cases of a written set stay out of every average, and which; "" where none do."""
    from editscope.suites import load_suite

    made = load_suite(suite, root=out)
    exclude = made.aggregation.exclude
    apart = sum(exclude.items() <= made.tags(case_id).items() for case_id in made.ids) if exclude else 0
    return f", {apart:,} of them {'/'.join(exclude.values())} (not in the averages)" if apart else ""
