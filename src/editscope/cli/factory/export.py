"""`editscope factory export`: a finished build as a data set."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from editscope import printing
from editscope.cli.factory import building as of
from editscope.cli.output.progress import task_bar


def export(
    plan: of.PlanFile,
    out: of.BuildFolder = None,
    to: Annotated[
        Path | None, typer.Option("--to", metavar="DIR", help="Where to write [default: export/ beside the build].")
    ] = None,
    webdataset: Annotated[
        bool, typer.Option("--webdataset", help="Also write tar shards in the WebDataset layout.")
    ] = False,
    limit: Annotated[
        int | None, typer.Option("--limit", metavar="N", min=1, help="The pilot that was built with this limit.")
    ] = None,
    partial: Annotated[
        bool, typer.Option("--partial", help="Export what is there, even if the build is not finished.")
    ] = False,
    skip_bad: Annotated[
        bool, typer.Option("--skip-bad", help="Leave records out of the suite that cannot be a case of it.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but problems.")] = False,
) -> None:
    """Export a finished build: Parquet that `datasets` loads, a data card, and a suite where the plan names one.

    The same build gives the same bytes. An export that was there stays until the new one is whole.

      editscope factory export my-set/plan.toml

      editscope factory export my-set/plan.toml --to data/my-set --webdataset
    """
    from editscope.factory.engine.build import Build
    from editscope.factory.output.export import ExportOptions
    from editscope.factory.output.export import export as write

    read, folder = of.build_folder(plan, out)
    target = to or folder.parent / "export"
    with Build(read, folder, limit=limit) as work, task_bar(quiet=quiet) as update:
        options = ExportOptions(webdataset, partial, skip_bad, update or (lambda doing, done, total: None))
        result = write(work, target, options)
    if quiet:
        return
    for remark in result.remarks:
        printing.say(remark, error=True)
    shown = ", ".join(f"{number:,} {split}" for split, number in result.splits.items())
    cases = f", {result.cases:,} cases in {target / 'suite'}" if result.cases else ""
    printing.say(f"{target}: {shown}{cases}")
