"""`editscope rescore`: the edits of a run, judged again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from editscope.cli import options as opt
from editscope.cli.limits import budget_of, judge_limits, judging_settings, say_deprecated
from editscope.cli.plans import carry_out
from editscope.errors import BadInput


def rescore(
    run_folder: Annotated[Path, typer.Argument(metavar="RUN", help="A run folder, or an archive of it.")],
    judge: opt.JudgeSpecs = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="NEW", help="The folder of the new run [default: one in runs/].")
    ] = None,
    protocol: opt.Protocol = None,
    prompts: opt.Prompts = None,
    samples: opt.Samples = 1,
    missing: opt.Missing = None,
    accounting: opt.Accounting = None,
    jobs: opt.Jobs = None,
    dry_run: opt.DryRun = False,
    budget: opt.Budget = None,
    yes: opt.Yes = False,
    quiet: opt.Quiet = False,
    keep_going: opt.KeepGoing = False,
    max_cost: opt.MaxCost = None,
    max_calls: opt.MaxCalls = None,
    batch: opt.Batch = False,
    concurrency: opt.Concurrency = None,
    rpm: opt.Rpm = None,
    tpm: opt.Tpm = None,
    judge_timeout: opt.JudgeTimeout = None,
    retries: opt.Retries = None,
    prices: opt.Prices = None,
    cache: opt.Cache = None,
) -> None:
    """Judge the edits of a run again with another judge, protocol or prompts, without new edits.

    editscope rescore runs/mine --judge gemini:gemini-2.5-pro --out runs/mine-gemini

    editscope rescore runs/mine --judge openai:gpt-4o --protocol kris --out runs/mine-kris

    editscope rescore runs/mine --judge openai:gpt-4o --protocol trace --out runs/mine-traces

    The last one judges what the editor said or thought, for the report of reasoned against drawn.
    The old run does not change. Compare both: editscope compare runs/mine runs/mine-gemini

    Count failed calls and missing edits like the authors' tool, with the run's own verdicts:

      editscope rescore runs/mine --accounting released --out runs/mine-released
    """
    from editscope.runs.rescore import plan_recount, plan_rescore

    say_deprecated(max_cost=max_cost)
    dollars = budget_of(budget)
    bounds = judge_limits(
        max_cost=max_cost,
        max_calls=max_calls,
        batch=batch or None,
        concurrency=concurrency,
        rpm=rpm,
        tpm=tpm,
        judge_timeout=judge_timeout,
        retries=retries,
        prices=prices,
        cache=cache,
    )
    settings: dict[str, Any] = {"protocol": protocol, "prompts": prompts, "samples": samples, "missing": missing}
    if accounting is not None and not judge:
        given = [name for name, value in settings.items() if value not in (None, 1)]
        if given:
            raise BadInput(
                f"--{given[0]} needs a judge; only --accounting works without one, on the run's own verdicts"
            )
        plan = plan_recount(run_folder, accounting, out=out, limits=bounds, budget=dollars)
        carry_out(plan, jobs, dry_run, quiet, keep_going=keep_going, yes=yes)
        return
    judging = judging_settings(judge, accounting=accounting, limits=bounds, **settings)
    if judging is None:
        raise BadInput("rescore needs a judge: --judge SPEC, such as openai:gpt-4o")
    carry_out(
        plan_rescore(run_folder, out=out, budget=dollars, **judging),
        jobs,
        dry_run,
        quiet,
        keep_going=keep_going,
        yes=yes,
    )
