"""`editscope judge one|audit|drift`: one edit judged; judges measured on edits whose truth is known, and over time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from editscope import printing
from editscope.cli import options as opt
from editscope.cli.help import GroupedCommands, GroupedOptions
from editscope.cli.limits import budget_of, say_deprecated
from editscope.cli.models import judge_one
from editscope.cli.spending import confirm
from editscope.errors import BadInput

if TYPE_CHECKING:
    from editscope.audit.asking import AuditPlan

app = typer.Typer(
    cls=GroupedCommands,
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Judge one edit, or measure judges themselves.",
)
app.command("one", cls=GroupedOptions)(judge_one.one)

Folder = Annotated[Path | None, typer.Option("--out", metavar="DIR", help="The folder of the audit [in audits/].")]
Prompts = Annotated[Path | None, typer.Option("--prompts", metavar="DIR", help="Prompts that replace ours.")]


@app.command(cls=GroupedOptions)
def audit(
    judge: opt.JudgeSpecs = None,
    suite: Annotated[
        str,
        typer.Option(
            "--suite",
            metavar="paintbench|tinygrafix|optics|mechanics",
            help="The suite that the problems come from.",
        ),
    ] = "paintbench",
    n: Annotated[int, typer.Option("--n", metavar="N", min=1, help="The number of problems.")] = 40,
    samples: Annotated[
        int,
        typer.Option(
            "--samples",
            metavar="K",
            min=1,
            help="Request every score K times; with 1, consistency is unknown.",
        ),
    ] = 2,
    anchor: Annotated[
        Path | None,
        typer.Option(
            "--anchor", metavar="DIR", help="Write the edits and verdicts to this folder, or judge its edits again."
        ),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Seed of the damage.")] = 0,
    out: Folder = None,
    prompts: Prompts = None,
    dry_run: opt.DryRun = False,
    budget: opt.Budget = None,
    yes: opt.Yes = False,
    quiet: opt.Quiet = False,
    max_cost: opt.MaxCost = None,
    max_calls: opt.MaxCalls = None,
    concurrency: opt.Concurrency = None,
    rpm: opt.Rpm = None,
    tpm: opt.Tpm = None,
    judge_timeout: opt.JudgeTimeout = None,
    retries: opt.Retries = None,
    prices: opt.Prices = None,
    cache: opt.Cache = None,
) -> None:
    """Test a judge on edits whose truth is known.

    On paintbench and tinygrafix it scores right, damaged and missing edits of known mIoU. On optics and
    mechanics it answers questions about light, shadows, mirrors and glass, or about what fell, moved or floats, of
    which each has one true answer.

    editscope judge audit --judge openai:gpt-4o --budget 5

    editscope judge audit --judge openai:gpt-4o --judge gemini:gemini-2.5-pro --suite tinygrafix

    editscope judge audit --judge openai:gpt-4o --suite optics

    editscope judge audit --judge openai:gpt-4o --anchor anchors/paintbench

    With an anchor, the edits and verdicts stay in its folder; the same command later, with a new --out, or
    `editscope judge drift`, shows whether the judge has changed. The result is a table here, and a page in the
    folder of the audit.
    """
    from editscope.audit.audit import plan_audit

    say_deprecated(max_cost=max_cost)
    options = {"rpm": rpm, "tpm": tpm, "timeout": judge_timeout, "retries": retries, "prices": prices}
    plan = plan_audit(
        judge or [],
        suite=suite,
        n=n,
        samples=samples,
        seed=seed,
        out=out,
        anchor=anchor,
        prompts=prompts,
        cache=_cache(cache),
        max_cost=max_cost,
        max_calls=max_calls,
        concurrency=concurrency,
        budget=budget_of(budget),
        **opt.given(**options),
    )
    _go(plan, dry_run, quiet, yes=yes, limited=max_cost is not None)


@app.command(cls=GroupedOptions)
def drift(
    anchor: Annotated[Path, typer.Argument(metavar="ANCHOR", help="A folder that `judge audit --anchor` wrote.")],
    judge: opt.JudgeSpecs = None,
    samples: Annotated[int, typer.Option("--samples", metavar="K", min=1, help="Request every score K times.")] = 2,
    out: Folder = None,
    prompts: Prompts = None,
    dry_run: opt.DryRun = False,
    budget: opt.Budget = None,
    yes: opt.Yes = False,
    quiet: opt.Quiet = False,
    max_cost: opt.MaxCost = None,
    max_calls: opt.MaxCalls = None,
    concurrency: opt.Concurrency = None,
    prices: opt.Prices = None,
) -> None:
    """Judge an anchor set again, without the cache, and report whether the judge has changed since the first time.

    editscope judge drift anchors/paintbench --judge openai:gpt-4o
    """
    from editscope.audit.audit import plan_audit
    from editscope.audit.drift import next_audit
    from editscope.audit.known_edit_set import read_set

    say_deprecated(max_cost=max_cost)
    read_set(anchor)
    plan = plan_audit(
        judge or [],
        samples=samples,
        out=out or next_audit(anchor),
        anchor=anchor,
        prompts=prompts,
        pairs=False,
        max_cost=max_cost,
        max_calls=max_calls,
        concurrency=concurrency,
        budget=budget_of(budget),
        **opt.given(prices=prices),
    )
    _go(plan, dry_run, quiet, yes=yes, limited=max_cost is not None)


def _go(plan: AuditPlan, dry_run: bool, quiet: bool, *, yes: bool, limited: bool) -> None:
    from editscope.audit.audit import run_audit
    from editscope.audit.forecast import forecast_audit
    from editscope.cli.output.audits import audit_table
    from editscope.cli.output.progress import task_bar
    from editscope.images import keep_freed_memory
    from editscope.judges.records import may_cost
    from editscope.report.pages.audit import write_audit

    keep_freed_memory()
    console = printing.console(soft_wrap=True)
    if not quiet or dry_run:
        judges = ", ".join(one.spec for one in plan.judges)
        name = plan.suite.name if plan.suite is not None else f"anchor {plan.anchor}"
        console.print(f"audit · {name} · {_problems(plan)} · judge {judges}", markup=False)
    if dry_run:
        for line in forecast_audit(plan).lines():
            console.print(f" {line}", markup=False)
        console.print(f" would go to {plan.out} · no calls were made", markup=False)
        return
    if any(may_cost(judge) for judge in plan.judges):
        confirm(forecast_audit(plan), console, yes=yes, quiet=quiet, limited=limited or plan.budget is not None)
    with task_bar(quiet=quiet, lines=True) as told:
        audited = run_audit(plan, told)
    page = write_audit(audited)
    audit_table(audited, console)
    console.print(f" {plan.out} · page: {page}", markup=False)
    if not audited.complete:
        raise typer.Exit(1)


def _problems(plan: AuditPlan) -> str:
    """The number of problems; of those with questions, some may turn out to have none whose answer is known."""
    made_first = plan.suite is not None and plan.rubric is not None
    return f"{'up to ' if made_first else ''}{plan.n:,} problem{'' if plan.n == 1 else 's'}"


def _cache(given: str | None) -> Path | None:
    from editscope.cachefolder import cache_folder

    if given == "off":
        return None
    if given == "":
        raise BadInput("--cache is empty; use a folder, or off")
    return Path(given) if given else cache_folder()
