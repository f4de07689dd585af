"""`editscope run`: the cases of a suite, edited and scored."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from editscope.cli import options as opt
from editscope.cli.evaluate.several_editors import RunSpending, left_of, run_each
from editscope.cli.limits import budget_of, edit_limits, judge_limits, judging_settings, say_deprecated
from editscope.cli.plans import carry_out, suite_plan
from editscope.cli.suite_options import suite_spec
from editscope.errors import BadInput

if TYPE_CHECKING:
    from editscope.runs import Plan


def run(
    context: typer.Context,
    suite: opt.SuiteName,
    editor: opt.EditorSpecs,
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
    html: opt.RequestPage = None,
    budget: opt.Budget = None,
    yes: opt.Yes = False,
    quiet: opt.Quiet = False,
    keep_going: opt.KeepGoing = False,
    log: opt.LogTargets = None,
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
    batch: opt.Batch = False,
    concurrency: opt.Concurrency = None,
    rpm: opt.Rpm = None,
    tpm: opt.Tpm = None,
    judge_timeout: opt.JudgeTimeout = None,
    retries: opt.Retries = None,
    prices: opt.Prices = None,
    cache: opt.Cache = None,
) -> None:
    """Edit and score the cases of a suite.

    A reference editor, on forty cases:

      editscope run paintbench --editor ref:drift --limit 40

    Your outputs as files, <task>/NNNN_output.png:

      editscope run paintbench --editor folder:my-outputs --out runs/mine

    Your own class in my_model.py:

      editscope run paintbench --editor "python:my_model:MyEditor?steps=30" --timeout 120

    A hosted model, for at most ten dollars; check the cost first:

      editscope run tinygrafix --editor openai:gpt-image-1 --dry-run

      editscope run tinygrafix --editor openai:gpt-image-1 --budget 10

    A suite that a judge scores; check the cost first:

      editscope run picabench --data PICABench --editor folder:my-outputs --judge openai:gpt-5 --dry-run

      editscope run picabench --data PICABench --editor folder:my-outputs --judge openai:gpt-5 --budget 20

    For about half the price, if you can wait for up to a day:

      editscope run picabench --data PICABench --editor folder:my-outputs --judge openai:gpt-5 --batch

    Write options of the suite into its name, or use them as flags; `editscope suites SUITE` lists them:

      editscope run "paintbench?conditions=baseline,striped&per_mode=1" --editor ref:drift

      editscope run paintbench --conditions baseline,striped --per-mode 1 --editor ref:drift

    Two editors on the same cases, each in its own folder of runs/both, and then compared:

      editscope run paintbench --editor ref:drift --editor ref:noise --limit 40 --out runs/both

    Scores and a grid of cases for TensorBoard:

      editscope run paintbench --editor ref:drift --limit 40 --log tensorboard:logs

    The same command with the same --out continues where it stopped.
    """
    from editscope.trackers.targets import read_targets

    say_deprecated(max_cost=max_cost, max_edit_cost=max_edit_cost)
    targets = read_targets(log)
    spec, options = suite_spec(context, suite, protocol)

    def plan_for(one: str, folder: Path | None, spent: RunSpending) -> Plan:
        settings = judging_settings(
            judge,
            protocol=protocol,
            options=options,
            prompts=prompts,
            samples=samples,
            missing=missing,
            accounting=accounting,
            limits=judge_limits(
                max_cost=left_of("--max-cost", max_cost, spent.judges_usd),
                max_calls=left_of("--max-calls", max_calls, spent.calls),
                batch=batch or None,
                concurrency=concurrency,
                rpm=rpm,
                tpm=tpm,
                judge_timeout=judge_timeout,
                retries=retries,
                prices=prices if judge else None,  # without one they are those of the editor
                cache=cache,
            ),
        )
        cost = left_of("--max-edit-cost", max_edit_cost, spent.edits_usd)
        edits = left_of("--max-edits", max_edits, spent.edits)
        return suite_plan(
            spec,
            data,
            one,
            settings,
            out=folder,
            where=where,
            limit=limit,
            seed=seed,
            timeout=timeout,
            repeats=repeats,
            edit_limits=edit_limits(cost, edits, edit_concurrency, edit_rpm, edit_retries, prices),
            budget=left_of("--budget", budget_of(budget), spent.others_usd),
        )

    def carry(plan: Plan) -> None:
        agreed = yes or len(editor) > 1
        carry_out(plan, jobs, dry_run, quiet, engine, ray_address, html, keep_going=keep_going, yes=agreed, log=targets)

    if len(editor) > 1 and html is not None:
        raise BadInput("--html shows the requests of one run; give one --editor")
    if len(editor) == 1:
        carry(plan_for(editor[0], out, RunSpending()))
    else:
        run_each(editor, out, plan_for, carry, dry_run=dry_run, yes=yes, quiet=quiet)
