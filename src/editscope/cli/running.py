"""`editscope run`, `score` and `resume`: making edits and scoring them."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from editscope import printing
from editscope.cli import judging as by_judge
from editscope.cli import options as opt

if TYPE_CHECKING:
    from editscope.editors.base import EditLimits
    from editscope.runs import Plan


def run(
    suite: opt.SuiteName,
    editor: opt.EditorSpec,
    judge: opt.JudgeSpecs = None,
    data: opt.Data = None,
    out: opt.Out = None,
    limit: opt.Limit = None,
    where: opt.Filters = None,
    jobs: opt.Jobs = None,
    timeout: opt.Timeout = None,
    seed: opt.Seed = 0,
    repeats: opt.Repeats = 1,
    dry_run: opt.DryRun = False,
    quiet: opt.Quiet = False,
    config: opt.Config = None,
    engine: opt.Engine = "local",
    ray_address: opt.RayAddress = None,
    max_edit_cost: opt.MaxEditCost = None,
    max_edits: opt.MaxEdits = None,
    edit_concurrency: opt.EditConcurrency = None,
    edit_rpm: opt.EditRpm = None,
    edit_retries: opt.EditRetries = None,
    protocol: opt.Protocol = None,
    prompts: opt.Prompts = None,
    samples: opt.Samples = 1,
    missing: opt.Missing = None,
    accounting: opt.Accounting = None,
    max_cost: opt.MaxCost = None,
    max_calls: opt.MaxCalls = None,
    concurrency: opt.Concurrency = None,
    rpm: opt.Rpm = None,
    tpm: opt.Tpm = None,
    judge_timeout: opt.JudgeTimeout = None,
    retries: opt.Retries = None,
    prices: opt.Prices = None,
    cache: opt.Cache = None,
    skip_bad: opt.SkipBad = False,
    levels: opt.Levels = None,
    languages: opt.Languages = None,
    forms: opt.Forms = None,
    file: opt.File = None,
    kp_gate: opt.KpGate = None,
    unsupported: opt.Unsupported = None,
    psnr: opt.Psnr = None,
    psnr_size: opt.PsnrSize = None,
    edit_area: opt.EditArea = None,
    region: opt.Region = None,
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
    strata: opt.Strata = None,
) -> None:
    """Edit and score the cases of a suite.

    A reference editor, on forty cases:

      editscope run paintbench --editor ref:drift --limit 40

    Outputs that you have as files, <task>/NNNN_output.png:

      editscope run paintbench --editor folder:my-outputs --out runs/mine

    A class of yours in my_model.py:

      editscope run paintbench --editor "python:my_model:MyEditor?steps=30" --timeout 120

    A hosted model, with at most ten dollars for its edits; first see what it will cost:

      editscope run tinygrafix --editor openai:gpt-image-1 --dry-run

      editscope run tinygrafix --editor openai:gpt-image-1 --max-edit-cost 10

    A suite that a judge scores; first see what it will cost:

      editscope run picabench --data PICABench --editor folder:my-outputs --judge openai:gpt-5 --dry-run

      editscope run picabench --data PICABench --editor folder:my-outputs --judge openai:gpt-5 --max-cost 20

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
        points=points,
        namespace=namespace,
        split=split,
        strata=strata,
        skip_bad=skip_bad or None,
        levels=opt.names(levels),
        languages=opt.names(languages),
        forms=opt.names(forms),
        file=file,
    )
    settings = by_judge.settings(
        judge,
        protocol=protocol,
        options=opt.given(
            kp_gate=kp_gate,
            unsupported=unsupported,
            psnr=psnr,
            psnr_size=psnr_size,
            edit_area=edit_area,
            region=region,
        ),
        prompts=prompts,
        samples=samples,
        missing=missing,
        accounting=accounting,
        limits=by_judge.limits(
            max_cost=max_cost,
            max_calls=max_calls,
            concurrency=concurrency,
            rpm=rpm,
            tpm=tpm,
            judge_timeout=judge_timeout,
            retries=retries,
            prices=prices if judge else None,  # without one they are those of the editor
            cache=cache,
        ),
    )
    bounds = edit_limits(max_edit_cost, max_edits, edit_concurrency, edit_rpm, edit_retries, prices)
    plan = _plan(
        suite,
        custom,
        data,
        editor,
        settings,
        out=out,
        where=where,
        limit=limit,
        seed=seed,
        timeout=timeout,
        repeats=repeats,
        edit_limits=bounds,
    )
    go(plan, jobs, dry_run, quiet, engine, ray_address)


def score(
    suite: opt.SuiteName,
    outputs: Annotated[
        Path,
        typer.Option("--outputs", metavar="DIR", help="Edits: <task>/NNNN_output.png, or as the suite's page says."),
    ],
    judge: opt.JudgeSpecs = None,
    data: opt.Data = None,
    out: opt.Out = None,
    limit: opt.Limit = None,
    where: opt.Filters = None,
    jobs: opt.Jobs = None,
    dry_run: opt.DryRun = False,
    quiet: opt.Quiet = False,
    protocol: opt.Protocol = None,
    prompts: opt.Prompts = None,
    samples: opt.Samples = 1,
    missing: opt.Missing = None,
    accounting: opt.Accounting = None,
    max_cost: opt.MaxCost = None,
    max_calls: opt.MaxCalls = None,
    concurrency: opt.Concurrency = None,
    prices: opt.Prices = None,
    cache: opt.Cache = None,
    skip_bad: opt.SkipBad = False,
    levels: opt.Levels = None,
    languages: opt.Languages = None,
    forms: opt.Forms = None,
    file: opt.File = None,
    split: opt.Split = None,
    strata: opt.Strata = None,
) -> None:
    """Score edits that were made elsewhere.

    The authors' problems and a model's outputs:

      editscope score paintbench --data PaintBench --outputs my-outputs --out runs/mine

    See first which files are missing or match no case:

      editscope score paintbench --outputs my-outputs --dry-run

    Edits that a judge scores:

      editscope score kris --data KRIS_Bench --outputs my-outputs --judge openai:gpt-4o
    """
    custom = opt.given(
        split=split,
        strata=strata,
        skip_bad=skip_bad or None,
        levels=opt.names(levels),
        languages=opt.names(languages),
        forms=opt.names(forms),
        file=file,
    )
    limits = by_judge.limits(
        max_cost=max_cost, max_calls=max_calls, concurrency=concurrency, prices=prices, cache=cache
    )
    settings = by_judge.settings(
        judge,
        protocol=protocol,
        prompts=prompts,
        samples=samples,
        missing=missing,
        accounting=accounting,
        limits=limits,
    )
    plan = _plan(suite, custom, data, f"folder:{outputs}", settings, out=out, where=where, limit=limit)
    go(plan, jobs, dry_run, quiet)


def resume(
    run_folder: Annotated[Path, typer.Argument(metavar="RUN", help="A run folder.")],
    jobs: opt.Jobs = None,
    quiet: opt.Quiet = False,
    missing: opt.Missing = None,
    max_cost: opt.MaxCost = None,
    max_calls: opt.MaxCalls = None,
    concurrency: opt.Concurrency = None,
    cache: opt.Cache = None,
    prices: opt.Prices = None,
    repeats: Annotated[
        int | None, typer.Option("--repeats", metavar="K", min=1, help="Add repeats until each case has K.")
    ] = None,
    engine: opt.Engine = "local",
    ray_address: opt.RayAddress = None,
    max_edit_cost: opt.MaxEditCost = None,
    max_edits: opt.MaxEdits = None,
    edit_concurrency: opt.EditConcurrency = None,
    edit_rpm: opt.EditRpm = None,
    edit_retries: opt.EditRetries = None,
    ask_again: Annotated[
        bool, typer.Option("--ask-again", help="Also ask judges again where they gave no verdict.")
    ] = False,
    edit_again: Annotated[
        bool, typer.Option("--edit-again", help="Also make edits again that ended with an error.")
    ] = False,
    edit_again_all: Annotated[
        bool, typer.Option("--edit-again-all", help="Also make edits again that were refused or gave no picture.")
    ] = False,
) -> None:
    """Go on with a run that was stopped or killed; finished steps are not repeated."""
    from editscope.runs import plan_again

    limits = by_judge.limits(
        max_cost=max_cost, max_calls=max_calls, concurrency=concurrency, prices=prices, cache=cache
    )
    plan = plan_again(
        run_folder,
        limits=limits,
        missing=missing,
        again=ask_again,
        repeats=repeats,
        edit_limits=edit_limits(max_edit_cost, max_edits, edit_concurrency, edit_rpm, edit_retries, prices),
        edit_again=("error", "refused", "no_output") if edit_again_all else ("error",) if edit_again else (),
    )
    go(plan, jobs, False, quiet, engine, ray_address)


def edit_limits(
    max_cost: float | None,
    max_edits: int | None,
    concurrency: int | None,
    rpm: float | None,
    retries: int | None,
    prices: Path | None,
) -> EditLimits | None:
    """The limits of an editor that were given; None where none was."""
    from editscope.editors.base import EditLimits

    said = opt.given(
        max_cost=max_cost,
        max_calls=max_edits,
        concurrency=concurrency,
        rpm=rpm,
        retries=retries,
        prices=None if prices is None else str(prices),
    )
    return EditLimits(**said) if said else None


def _plan(
    suite: str,
    options: dict[str, Any],
    data: Path | None,
    editor: str,
    judging: dict[str, Any] | None,
    *,
    where: list[str] | None,
    **settings: Any,
) -> Plan:
    from editscope.runs import make_plan
    from editscope.runs.judging.settings import make_judging
    from editscope.suites import load_suite, parse_where

    root = {} if data is None else {"root": data}
    chosen = parse_where(where) if where else None
    loaded = load_suite(suite, **root, **options)
    judges = None if judging is None else make_judging(loaded, **judging)
    return make_plan(loaded, editor, where=chosen, judging=judges, **settings)


def go(
    plan: Plan,
    jobs: int | None,
    dry_run: bool,
    quiet: bool,
    engine: str = "local",
    ray_address: str | None = None,
) -> None:
    """Do a plan, or say what it would do, and print how it ended."""
    from editscope.cli import saying
    from editscope.runs import execute
    from editscope.runs.remaining import todo

    console = printing.console(soft_wrap=True)
    if not quiet:
        console.print(plan.headline(), markup=False)
    for note in plan.suite.notes():
        console.print(f" note: {note}", markup=False)
    if dry_run:
        if not plan.editor.free:
            from editscope.runs.edit_forecast import forecast_edits

            console.print(f" {forecast_edits(plan).said()}", markup=False)
        saying.plan(plan, console)
        return
    if not quiet and (plan.out / "run.json").exists():
        left = sum(map(len, todo(plan)))
        has, what = plan.jobs - left, "case" if plan.repeats == 1 else "edit"
        console.print(f" {plan.out} has {has:,} {what}{'' if has == 1 else 's'} already, {left:,} to do", markup=False)
    shown = None if quiet else console
    done = execute(plan, jobs=jobs, console=shown, engine=engine, ray_address=ray_address)
    saying.result(done, console)
    console.print(f" {done.path} · report: editscope report {shlex.quote(str(done.path))}", markup=False)
    if done.coverage["ok"] < sum(done.coverage.values()):
        raise typer.Exit(1)
