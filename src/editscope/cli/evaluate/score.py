"""`editscope score`: edits that were made elsewhere, scored."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from editscope.cli import options as opt
from editscope.cli.limits import budget_of, judge_limits, judging_settings, say_deprecated
from editscope.cli.plans import carry_out, suite_plan
from editscope.cli.suite_options import suite_spec


def score(
    context: typer.Context,
    suite: opt.SuiteName,
    outputs: Annotated[
        Path,
        typer.Option(
            "--outputs",
            metavar="DIR",
            help="A folder of edits: <task>/NNNN_output.png, or as described on the suite's page.",
        ),
    ],
    judge: opt.JudgeSpecs = None,
    data: opt.Data = None,
    out: opt.Out = None,
    limit: opt.Limit = None,
    where: opt.Filters = None,
    jobs: opt.Jobs = None,
    dry_run: opt.DryRun = False,
    html: opt.RequestPage = None,
    budget: opt.Budget = None,
    yes: opt.Yes = False,
    quiet: opt.Quiet = False,
    keep_going: opt.KeepGoing = False,
    log: opt.LogTargets = None,
    protocol: opt.Protocol = None,
    prompts: opt.Prompts = None,
    samples: opt.Samples = 1,
    missing: opt.Missing = None,
    accounting: opt.Accounting = None,
    max_cost: opt.MaxCost = None,
    max_calls: opt.MaxCalls = None,
    batch: opt.Batch = False,
    concurrency: opt.Concurrency = None,
    prices: opt.Prices = None,
    cache: opt.Cache = None,
) -> None:
    """Score edits made elsewhere.

    The authors' problems and a model's outputs:

      editscope score paintbench --data PaintBench --outputs my-outputs --out runs/mine

    First see which files are missing or match no case:

      editscope score paintbench --outputs my-outputs --dry-run

    Edits that a judge scores:

      editscope score kris --data KRIS_Bench --outputs my-outputs --judge openai:gpt-4o
    """
    from editscope.trackers.targets import read_targets

    say_deprecated(max_cost=max_cost)
    targets = read_targets(log)
    spec, options = suite_spec(context, suite, protocol)
    limits = judge_limits(
        max_cost=max_cost, max_calls=max_calls, batch=batch or None, concurrency=concurrency, prices=prices, cache=cache
    )
    settings = judging_settings(
        judge,
        protocol=protocol,
        options=options,
        prompts=prompts,
        samples=samples,
        missing=missing,
        accounting=accounting,
        limits=limits,
    )
    plan = suite_plan(
        spec, data, f"folder:{outputs}", settings, out=out, where=where, limit=limit, budget=budget_of(budget)
    )
    carry_out(plan, jobs, dry_run, quiet, html=html, keep_going=keep_going, yes=yes, log=targets)
