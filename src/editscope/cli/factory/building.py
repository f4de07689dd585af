"""A build from the command line: its options, its progress, and what is printed at the end."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from editscope import printing
from editscope.cli.output.progress import task_bar
from editscope.errors import BadInput, Stopped

if TYPE_CHECKING:
    from editscope.factory.engine.build import Build, BuildResult
    from editscope.factory.engine.processes import BatchRunner
    from editscope.factory.funnel import FunnelRow
    from editscope.factory.plan import BuildPlan

FUNNEL, PLAN = "funnel.json", "plan.toml"
GAPS, STOPPED = 1, 3
GONE = "files are gone from blobs/; what made them is done again for the records that need them"
STOPPING = "stopping when the models have answered, which is paid for · Ctrl-C once more to leave at once"

EXAMPLES = {
    "text": "openai:gpt-5",
    "judge": "openai:gpt-5",
    "image": "openai:gpt-image-1",
    "video": "openai:sora-2",
    "editor": "openai:gpt-image-1",
}
"""A spec of each kind of model."""

LIMITS, COST = "How much", "Models and money"

PlanFile: TypeAlias = Annotated[
    Path, typer.Argument(metavar="PLAN", help="The plan: a TOML or Python file, or a folder with plan.toml.")
]
BuildFolder: TypeAlias = Annotated[
    Path | None, typer.Option("--out", metavar="DIR", help="The folder of the build [default: build/ beside the plan].")
]
Pilot: TypeAlias = Annotated[
    int | None,
    typer.Option("--limit", metavar="N", min=1, help="A pilot: only the first N records.", rich_help_panel=LIMITS),
]
UntilStep: TypeAlias = Annotated[
    str, typer.Option("--until", metavar="STEP", help="Stop after this step.", rich_help_panel=LIMITS)
]
Approved: TypeAlias = Annotated[
    bool, typer.Option("--approved", help="Go on with what people have accepted so far.", rich_help_panel=LIMITS)
]
Dollars: TypeAlias = Annotated[
    float | None,
    typer.Option(
        "--budget", metavar="USD", min=0.0, help="Spend at most this many dollars in total.", rich_help_panel=COST
    ),
]
AtOnce: TypeAlias = Annotated[
    int | None,
    typer.Option("--concurrency", metavar="N", min=1, help="Requests to one model at a time.", rich_help_panel=COST),
]
Rpm: TypeAlias = Annotated[
    float | None, typer.Option("--rpm", metavar="N", help="Requests a minute to one model.", rich_help_panel=COST)
]
Prices: TypeAlias = Annotated[
    Path | None,
    typer.Option("--prices", metavar="FILE", help="Prices of models that are not known.", rich_help_panel=COST),
]
Quiet: TypeAlias = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but the funnel.")]


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """What the command line says about a build."""

    limit: int | None = None
    until: str = ""
    approved: bool = False
    budget: float | None = None
    concurrency: int | None = None
    rpm: float | None = None
    prices: Path | None = None
    jobs: int | None = None
    engine: str = "local"
    ray_address: str | None = None
    dry_run: bool = False
    quiet: bool = False


def build_folder(plan: Path, out: Path | None) -> tuple[BuildPlan, Path]:
    """A plan by its file or folder, and the folder that it is built in."""
    from editscope.factory.plan import read_plan

    path = plan / PLAN if plan.is_dir() else plan
    return read_plan(path), out or path.parent / "build"


def build_plan(plan: BuildPlan, folder: Path, options: BuildOptions) -> None:
    """Build, print the funnel, and exit with 1 where records are pending and with 3 where people have to decide."""
    from editscope.factory.engine.build import Build, BuildProgress
    from editscope.factory.funnel import largest_loss
    from editscope.factory.models.loading import ModelOptions, load_models
    from editscope.processes import cores

    if missing := plan.missing_models():
        name, step = next(iter(missing.items()))
        kinds = plan.step(step).models
        kind = next(kinds[setting] for setting in kinds if plan.step(step).settings.get(setting) == name)
        raise BadInput(
            f"the plan has no {kind} model {name!r}, which step {step!r} asks; write its spec under [models] of the "
            f"plan: {name} = '{EXAMPLES.get(kind, 'SPEC')}' (a pipeline that ships takes --model {name}=SPEC)"
        )
    models = load_models(plan, ModelOptions(options.concurrency, options.rpm, prices=options.prices))
    with _runner(options) as batches, task_bar(quiet=options.quiet) as update:
        progress = BuildProgress(
            stopping=lambda: printing.say(STOPPING, error=True),
            leaving=_leave,
            getting_ready=update or (lambda doing, done, total: None),
            warn=lambda text: printing.say(f"warning: {text}", error=True),
            blobs_gone=cache(lambda: printing.say(GONE, error=True)),
        )
        with Build(
            plan, folder, limit=options.limit, until=options.until, approved=options.approved,
            jobs=options.jobs or cores(), models=models, budget=options.budget, batches=batches, progress=progress,
        ) as work:  # fmt: skip
            progress.step_done = _counting(options.limit or plan.source.count(work.tools) or 0, update)
            try:
                result = work.run()
            except Stopped:
                _write_funnel(work, stopped=True)
                raise
            rows, pending = _write_funnel(work), work.store.pending()
    say_funnel(rows)
    _say_end(folder, result, pending, options, "" if result.records else largest_loss(plan, rows))


def _leave() -> None:
    """End this process at once: all that was done is on disk, and threads that wait for models would hold it up."""
    printing.say("stopped on request; run the same command to continue", error=True)
    sys.stderr.flush()
    os._exit(STOPPED)


def _counting(total: int, update: Callable[[str, int, int], None] | None) -> Callable[[str, int], None]:
    """What counts the records of each step for a bar."""
    done: dict[str, int] = {}

    def step_done(step: str, number: int) -> None:
        done[step] = done.get(step, 0) + number
        if update is not None:
            update(step, done[step], max(total, done[step]))

    return step_done


def _write_funnel(work: Build, *, stopped: bool = False) -> Sequence[FunnelRow]:
    """Keep the funnel as it is now beside the build; its rows."""
    from editscope.factory.funnel import funnel_rows
    from editscope.runfolder.files import DiskError, write_whole

    rows = funnel_rows(work.plan, work.counts_so_far, work.store.spent(), stopped=stopped)
    with suppress(DiskError):
        write_whole(work.folder / FUNNEL, (json.dumps([row.to_json() for row in rows], indent=1) + "\n").encode())
    return rows


@contextmanager
def _runner(options: BuildOptions) -> Iterator[BatchRunner | None]:
    if options.engine not in ("local", "ray"):
        raise BadInput(f"--engine {options.engine!r} is neither local nor ray")
    if options.engine == "local":
        yield None
        return
    from editscope.factory.engine.ray_runner import ray_runner

    with ray_runner(options.ray_address, options.jobs) as runner:
        yield runner


def _say_end(
    folder: Path, result: BuildResult, pending: Sequence[tuple[str, str, str]], options: BuildOptions, lost: str
) -> None:
    if result.waiting:
        printing.say(f"\n{result.waiting}")
        raise typer.Exit(STOPPED)
    if result.pending:
        steps = [step for step, counts in result.counts.items() if counts.pending]
        step, record, reason = next((one for one in reversed(pending) if one[0] in steps), pending[-1])
        some = f"{result.pending:,} records are" if result.pending > 1 else "1 record is"
        printing.say(
            f"\n{some} pending, such as {record} at step {step!r}: {reason}. Build again to try once more; nothing "
            "that succeeded is asked again."
        )
        raise typer.Exit(GAPS)
    if not options.until:
        printing.say(f"\n{result.records:,} records in {folder}{': ' if lost else ''}{lost}")


def outline(plan: BuildPlan, folder: Path, limit: int | None) -> None:
    """Print what a build would do, and what it would cost by what the records so far have cost."""
    records = _records(plan, folder, limit)
    of_them = f", {records:,} records to begin with" if records is not None else ""
    printing.say(f"{plan.name}: {len(plan.steps)} steps into {folder}{of_them}")
    wide = max((len(step.name) for step in plan.steps), default=0)
    for step in plan.steps:
        used = [
            f"{name} = {plan.models[name] or 'no model yet'}"
            for setting in step.models
            if (name := step.settings.get(setting))
        ]
        printing.say(f"  {step.name:<{wide}}  {step.kind:<6}  {', '.join(used)}".rstrip())
    if any(step.models for step in plan.steps):
        _check_prompts(plan, folder)
        printing.say(_forecast(folder, records))


def _check_prompts(plan: BuildPlan, folder: Path) -> None:
    """Let steps that ask models read their prompts, so that a mistake is told before anything is paid."""
    from editscope.factory.blobs import BlobStore
    from editscope.factory.steps.tools import Tools

    for step in plan.steps:
        if step.models:
            step.begin(Tools(BlobStore(folder / "blobs"), plan.folder, plan.seed))


def _records(plan: BuildPlan, folder: Path, limit: int | None) -> int | None:
    """How many records a build begins with; None where only reading them tells."""
    from editscope.factory.blobs import BlobStore
    from editscope.factory.steps.tools import Tools

    count = plan.source.count(Tools(BlobStore(folder / "blobs"), plan.folder, plan.seed))
    return limit if count is None else min(count, limit or count)


def _forecast(folder: Path, records: int | None) -> str:
    """What a build will cost, if its records cost as much as those that were built already."""
    rows = _kept_funnel(folder)
    done = rows[0].records_in if rows else 0
    spent = sum(row.cost_usd for row in rows)
    if not done or not spent:
        return (
            "cost unknown: build a pilot with --limit 50, and --dry-run then forecasts the rest; --budget sets a limit"
        )
    already = f"{done:,} records cost ${spent:,.2f} so far"
    if records is None or records <= done:
        return already
    return f"{already}; {records:,} will cost about ${spent * records / done:,.2f}"


def _kept_funnel(folder: Path) -> list[FunnelRow]:
    from editscope.factory.funnel import FunnelRow

    path = folder / FUNNEL
    if not path.is_file():
        return []
    try:
        return [FunnelRow.from_json(row) for row in json.loads(path.read_text(encoding="utf-8"))]
    except (ValueError, TypeError, AttributeError) as error:
        raise BadInput(f"{path} is not a funnel ({error}); build again to write it") from error


def kept_funnel(plan: BuildPlan, folder: Path) -> Sequence[FunnelRow]:
    """The funnel that the last build wrote, or of what a first build has done that goes on or was killed."""
    from editscope.factory.engine.opened import open_build
    from editscope.factory.funnel import funnel_rows

    if (rows := _kept_funnel(folder)) or not plan.steps:
        return rows
    with open_build(plan, folder) as build:
        return funnel_rows(plan, build.counts(), build.store.spent(), stopped=True)


def say_funnel(rows: Sequence[FunnelRow]) -> None:
    """Print a funnel as a table."""
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
