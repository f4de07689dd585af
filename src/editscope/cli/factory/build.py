"""`editscope factory`: pipelines that build data sets."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from editscope import printing
from editscope.cli import options as opt
from editscope.cli.help import GroupedCommands, GroupedOptions
from editscope.cli.output.progress import task_bar
from editscope.errors import BadInput

if TYPE_CHECKING:
    from editscope.factory.funnel import FunnelRow
    from editscope.factory.plan import BuildPlan

FUNNEL, PLAN = "funnel.json", "plan.toml"
GAPS, STOPPED = 1, 3

app = typer.Typer(
    cls=GroupedCommands,
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Build benchmarks and training sets: steps over records, resumable, with review by people.",
)
PlanFile = Annotated[Path, typer.Argument(metavar="PLAN", help="The plan: a TOML file, or a folder with plan.toml.")]
Folder = Annotated[
    Path | None, typer.Option("--out", metavar="DIR", help="The folder of the build [default: build/ beside the plan].")
]
UntilStep = Annotated[str, typer.Option("--until", metavar="STEP", help="Stop after this step.")]


@app.command(cls=GroupedOptions)
def build(
    plan: PlanFile,
    out: Folder = None,
    limit: Annotated[
        int | None, typer.Option("--limit", metavar="N", min=1, help="A pilot: only the first N records.")
    ] = None,
    until: UntilStep = "",
    approved: Annotated[bool, typer.Option("--approved", help="Go on with what people have accepted so far.")] = False,
    budget: Annotated[
        float | None, typer.Option("--budget", metavar="USD", min=0.0, help="Spend at most so many dollars in all.")
    ] = None,
    at_once: Annotated[
        int | None, typer.Option("--concurrency", metavar="N", min=1, help="Requests to one model at a time.")
    ] = None,
    rpm: Annotated[float | None, typer.Option("--rpm", metavar="N", help="Requests a minute to one model.")] = None,
    prices: Annotated[
        Path | None, typer.Option("--prices", metavar="FILE", help="Prices of models that are not known.")
    ] = None,
    jobs: opt.Jobs = None,
    dry_run: opt.DryRun = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but the funnel.")] = False,
) -> None:
    """Build what a plan describes, and go on where the last build ended.

    Every outcome is on disk before the next step begins. A record that failed stays pending and is tried again by the
    next build; a record that a filter dropped is not. A changed step makes again only what depends on it.

      editscope factory build my-set/plan.toml --limit 50

      editscope factory build my-set/plan.toml
    """
    from editscope.factory.engine.build import Build, BuildProgress
    from editscope.factory.funnel import funnel_rows
    from editscope.factory.models.loading import ModelOptions, load_models
    from editscope.processes import cores
    from editscope.runfolder.files import write_whole

    read, folder = _read(plan, out)
    if dry_run:
        _outline(read, folder, limit)
        return
    total = limit
    progress = BuildProgress()
    models = load_models(read, ModelOptions(concurrency=at_once, rpm=rpm, prices=prices))
    with Build(
        read, folder, limit=limit, until=until, approved=approved, jobs=jobs or cores(), models=models,
        budget=budget, progress=progress,
    ) as work, task_bar(quiet=quiet) as update:  # fmt: skip
        total = total or work.plan.source.count(work.tools) or 0
        done: dict[str, int] = {}

        def step_done(step: str, number: int) -> None:
            done[step] = done.get(step, 0) + number
            if update is not None:
                update(step, done[step], max(total or 0, done[step]))

        progress.step_done = step_done
        result = work.run()
        rows = funnel_rows(read, result.counts, work.store.spent())
        write_whole(folder / FUNNEL, (json.dumps([row.to_json() for row in rows], indent=1) + "\n").encode())
        pending = work.store.pending()
    _say_funnel(rows)
    if result.waiting:
        printing.say(f"\n{result.waiting}")
        raise typer.Exit(STOPPED)
    if result.pending:
        step, record, reason = pending[0]
        printing.say(
            f"\n{result.pending:,} records are pending, such as {record} at step {step!r}: {reason}. Build again to "
            "try them once more; nothing that succeeded is asked again."
        )
        raise typer.Exit(GAPS)
    if not until:
        printing.say(f"\n{result.records:,} records in {folder}")


@app.command(cls=GroupedOptions)
def redo(
    plan: PlanFile, step: Annotated[str, typer.Argument(help="The step to make again.")], out: Folder = None
) -> None:
    """Mark a step to be made again by the next build, with all that depends on it. Nothing is deleted.

    editscope factory redo my-set/plan.toml write-questions
    """
    from editscope.factory.engine.build import Build

    read, folder = _read(plan, out)
    read.step(step)
    with Build(read, folder) as work:
        work.redo(step)
    printing.say(f"The next build makes step {step!r} again.")


@app.command(cls=GroupedOptions)
def funnel(
    plan: PlanFile,
    out: Folder = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show the funnel of a build: what came in, went on, was dropped and why, and what it took.

    editscope factory funnel my-set/plan.toml
    """
    from editscope.factory.funnel import FunnelRow

    _, folder = _read(plan, out)
    if not (folder / FUNNEL).is_file():
        raise BadInput(f"{folder} has no {FUNNEL}; build the plan first")
    found = json.loads((folder / FUNNEL).read_text(encoding="utf-8"))
    if as_json:
        printing.say_json(found)
        return
    names = {"in": "records_in", "out": "records_out"}
    _say_funnel([FunnelRow(**{names.get(key, key): value for key, value in row.items()}) for row in found])


def _read(plan: Path, out: Path | None) -> tuple[BuildPlan, Path]:
    from editscope.factory.plan import read_plan

    path = plan / PLAN if plan.is_dir() else plan
    return read_plan(path), out or path.parent / "build"


def _outline(plan: BuildPlan, folder: Path, limit: int | None) -> None:
    printing.say(
        f"{plan.name}: {len(plan.steps)} steps into {folder}" + (f", the first {limit:,} records" if limit else "")
    )
    for step in plan.steps:
        used = [f"{setting} {step.settings[setting]}" for setting in step.models if step.settings.get(setting)]
        printing.say(f"  {step.name}  {step.kind}{'  ' + ', '.join(used) if used else ''}")


def _say_funnel(rows: Sequence[FunnelRow]) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    table.add_column("step")
    for name in ("in", "out", "pending", "cost", "time"):
        table.add_column(name, justify="right")
    table.add_column("dropped")
    for row in rows:
        cost = f"${row.cost_usd:,.2f}" if row.cost_usd else ""
        took = f"{row.seconds:,.1f} s" if row.seconds >= 0.05 else ""
        pending = f"{row.pending:,}" if row.pending else ""
        table.add_row(
            row.step, f"{row.records_in:,}", f"{row.records_out:,}", pending, cost, took, row.dropped_in_words
        )
    printing.console().print(table)


from editscope.cli.factory import export as _export  # noqa: E402, F401 - it adds its command to `app`
