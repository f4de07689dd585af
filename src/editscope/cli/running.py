"""`editscope run`, `score` and `resume`: making edits and scoring them."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from editscope.cli import options as opt

if TYPE_CHECKING:
    from editscope.runs import Plan


def run(
    suite: opt.SuiteName,
    editor: Annotated[
        str,
        typer.Option(
            "--editor",
            "-e",
            metavar="SPEC",
            help="ref:NAME, folder:PATH or python:module:Class, with ?key=value.",
        ),
    ],
    data: opt.Data = None,
    out: opt.Out = None,
    limit: opt.Limit = None,
    where: opt.Filters = None,
    jobs: opt.Jobs = None,
    timeout: opt.Timeout = None,
    seed: opt.Seed = 0,
    dry_run: opt.DryRun = False,
    quiet: opt.Quiet = False,
    tasks: opt.Tasks = None,
    modes: opt.Modes = None,
    conditions: opt.Conditions = None,
    per_cell: opt.PerCell = None,
    per_mode: opt.PerMode = None,
    canvas: opt.Canvas = None,
    n: opt.Shapes = None,
    charts: opt.Charts = None,
    per_task: opt.PerTask = None,
    namespace: opt.Namespace = None,
    split: opt.Split = None,
) -> None:
    """Edit and score the cases of a suite.

    A reference editor, on forty cases:

      editscope run paintbench --editor ref:drift --limit 40

    Outputs that you have as files, <task>/NNNN_output.png:

      editscope run paintbench --editor folder:my-outputs --out runs/mine

    A class of yours in my_model.py:

      editscope run paintbench --editor "python:my_model:MyEditor?steps=30" --timeout 120

    The same command with the same --out goes on where it stopped.
    """
    custom = opt.given(
        tasks=opt.names(tasks),
        modes=opt.names(modes),
        conditions=opt.names(conditions),
        per_cell=per_cell,
        per_mode=per_mode,
        canvas=opt.canvas_size(canvas),
        n=n,
        charts=opt.names(charts),
        per_task=per_task,
        namespace=namespace,
        split=split,
    )
    plan = _plan(suite, custom, data, editor, out=out, where=where, limit=limit, seed=seed, timeout=timeout)
    _go(plan, jobs, dry_run, quiet)


def score(
    suite: opt.SuiteName,
    outputs: Annotated[Path, typer.Option("--outputs", metavar="DIR", help="Edits: <task>/NNNN_output.png.")],
    data: opt.Data = None,
    out: opt.Out = None,
    limit: opt.Limit = None,
    where: opt.Filters = None,
    jobs: opt.Jobs = None,
    dry_run: opt.DryRun = False,
    quiet: opt.Quiet = False,
    split: opt.Split = None,
) -> None:
    """Score edits that were made elsewhere.

    The authors' problems and a model's outputs:

      editscope score paintbench --data PaintBench --outputs my-outputs --out runs/mine

    See first which files are missing or match no case:

      editscope score paintbench --outputs my-outputs --dry-run
    """
    plan = _plan(suite, opt.given(split=split), data, f"folder:{outputs}", out=out, where=where, limit=limit)
    _go(plan, jobs, dry_run, quiet)


def resume(
    run_folder: Annotated[Path, typer.Argument(metavar="RUN", help="A run folder.")],
    jobs: opt.Jobs = None,
    quiet: opt.Quiet = False,
) -> None:
    """Go on with a run that was stopped or killed; finished steps are not repeated."""
    from editscope.runs import plan_again

    _go(plan_again(run_folder), jobs, dry_run=False, quiet=quiet)


def _plan(
    suite: str,
    options: dict[str, Any],
    data: Path | None,
    editor: str,
    *,
    where: list[str] | None,
    **settings: Any,
) -> Plan:
    from editscope.runs import make_plan
    from editscope.suites import load_suite, parse_where

    root = {} if data is None else {"root": data}
    chosen = parse_where(where) if where else None
    return make_plan(load_suite(suite, **root, **options), editor, where=chosen, **settings)


def _go(plan: Plan, jobs: int | None, dry_run: bool, quiet: bool) -> None:
    from rich.console import Console

    from editscope.cli import saying
    from editscope.runs import execute, open_run

    console = Console(highlight=False, soft_wrap=True)
    if not quiet:
        console.print(plan.headline(), markup=False)
    for note in plan.suite.notes():
        console.print(f" note: {note}", markup=False)
    if dry_run:
        saying.plan(plan, console)
        return
    if not quiet and (plan.out / "journal.jsonl").exists():
        there = open_run(plan.out)
        left = there.coverage.get("pending", 0)
        console.print(f" {plan.out} has {len(there.records()):,} cases already, {left:,} to do", markup=False)
    done = execute(plan, jobs=jobs, console=None if quiet else console)
    saying.result(done, console)
    console.print(f" {done.path} · report: editscope report {shlex.quote(str(done.path))}", markup=False)
    if done.coverage["ok"] < done.info["selection"]["n"]:
        raise typer.Exit(1)
