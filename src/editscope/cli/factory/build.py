"""`editscope factory`: pipelines that build data sets."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from editscope import printing
from editscope.cli import options as opt
from editscope.cli.factory import building as of
from editscope.cli.factory.export import export
from editscope.cli.factory.parts import steps
from editscope.cli.factory.pipelines import add_pipelines
from editscope.cli.factory.records import records
from editscope.cli.help import GroupedCommands, GroupedOptions

app = typer.Typer(
    cls=GroupedCommands,
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Build benchmarks and training sets: steps over records, resumable, with review by people.",
)


@app.command(cls=GroupedOptions)
def build(
    plan: of.PlanFile,
    out: of.BuildFolder = None,
    limit: of.Pilot = None,
    until: of.UntilStep = "",
    approved: of.Approved = False,
    budget: of.Dollars = None,
    concurrency: of.AtOnce = None,
    rpm: of.Rpm = None,
    prices: of.Prices = None,
    jobs: opt.Jobs = None,
    engine: opt.Engine = "local",
    ray_address: opt.RayAddress = None,
    dry_run: opt.DryRun = False,
    quiet: of.Quiet = False,
) -> None:
    """Build what a plan describes, and continue where the last build ended.

    Every outcome is on disk before the next step begins. A record that failed stays pending and is tried again by the
    next build; a record that a filter dropped is not. A changed step makes again only what depends on it.

      editscope factory build my-set --limit 50

      editscope factory build my-set
    """
    read, folder = of.build_folder(plan, out)
    if dry_run:
        of.outline(read, folder, limit)
        return
    of.build_plan(
        read,
        folder,
        of.BuildOptions(
            limit, until, approved, budget, concurrency, rpm, prices, jobs, engine, ray_address, quiet=quiet
        ),
    )


@app.command(cls=GroupedOptions)
def redo(
    plan: of.PlanFile, step: Annotated[str, typer.Argument(help="The step to make again.")], out: of.BuildFolder = None
) -> None:
    """Mark a step to be made again by the next build, with all that depends on it. Nothing is deleted.

    editscope factory redo my-set write-questions
    """
    from editscope.factory.engine.build import Build

    read, folder = of.build_folder(plan, out)
    read.step(step)
    with Build(read, folder) as work:
        work.redo(step)
    printing.say(f"The next build makes step {step!r} again.")


@app.command(cls=GroupedOptions)
def funnel(
    plan: of.PlanFile,
    out: of.BuildFolder = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Draw it: a PNG, SVG or PDF file.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show the funnel of a build: what came in, went on, was dropped and why, and what it took.

    editscope factory funnel my-set

    editscope factory funnel my-set --plot funnel.png
    """
    from editscope.factory.funnel_plot import draw_funnel

    read, folder = of.build_folder(plan, out)
    rows = of.kept_funnel(read, folder)
    if plot is not None:
        draw_funnel(rows, plot, read.title or read.name)
        printing.say(f"{plot}", error=as_json)
    if as_json:
        printing.say_json([row.to_json() for row in rows])
    elif plot is None:
        of.say_funnel(rows)


app.command(cls=GroupedOptions)(records)
app.command(cls=GroupedOptions)(export)
app.command(cls=GroupedOptions)(steps)
add_pipelines(app, build)
