"""`editscope train compare`: a base model and arms trained on different data, evaluated alike, in one table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from editscope import printing
from editscope.cli import options as opt
from editscope.cli.limits import budget_of, judge_limits

if TYPE_CHECKING:
    from rich.console import Console

    from editscope.training.comparison.start import TrainingComparison

PlanFile: TypeAlias = Annotated[
    Path, typer.Argument(metavar="PLAN.toml", help="The plan; `train new --recipe pica-comparison` writes one.")
]


def compare(
    plan: PlanFile,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="The folder of the comparison [default: compared/NAME].")
    ] = None,
    dry_run: opt.DryRun = False,
    tables: Annotated[
        bool, typer.Option("--tables", help="Only write the tables again, from the finished runs.")
    ] = False,
    as_json: opt.AsJson = False,
    budget: opt.Budget = None,
    yes: opt.Yes = False,
    quiet: opt.Quiet = False,
    keep_going: opt.KeepGoing = False,
    ask_again: Annotated[
        bool, typer.Option("--ask-again", help="Ask judges once more about calls that ended without a verdict.")
    ] = False,
    jobs: opt.Jobs = None,
    batch: opt.Batch = False,
    concurrency: opt.Concurrency = None,
    rpm: opt.Rpm = None,
    tpm: opt.Tpm = None,
    judge_timeout: opt.JudgeTimeout = None,
    retries: opt.Retries = None,
    prices: opt.Prices = None,
    cache: opt.Cache = None,
) -> None:
    """Train arms that differ in their data, evaluate the base and every arm, and print base / + A / Δ / + B / Δ.

      editscope train new plan.toml --recipe pica-comparison

      editscope train compare plan.toml --dry-run

      editscope train compare plan.toml --budget 200

    The same command resumes where it stopped: nothing is trained, edited or judged twice.
    """
    from editscope.training.comparison.start import carry_out, open_comparison

    limits = judge_limits(
        batch=batch or None,
        concurrency=concurrency,
        rpm=rpm,
        tpm=tpm,
        judge_timeout=judge_timeout,
        retries=retries,
        prices=prices,
        cache=cache,
    )
    comparison = open_comparison(plan, out, limits)
    console = printing.console(soft_wrap=True)
    dollars = budget_of(budget)
    if dry_run:
        say_plan(comparison, console, dollars)
        return
    if not tables:
        if not quiet and not as_json:
            say_arms(comparison, console)
        agree(comparison, console, budget=dollars, yes=yes, quiet=quiet or as_json)
        carry_out(
            comparison,
            budget=dollars,
            jobs=jobs,
            again=ask_again,
            keep_going=keep_going,
            say=_silent if quiet or as_json else printing.say,
            console=None if quiet or as_json else console,
        )
    say_results(comparison, as_json=as_json)


def say_arms(comparison: TrainingComparison, console: Console) -> None:
    """Print what each arm is, and how far its training is."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for head in ("arm", "training", "weights"):
        table.add_column(head, overflow="fold")
    for arm in comparison.arms:
        steps = arm.experiment.training.steps
        state = "none" if not arm.trains else "done" if arm.done else f"{steps - arm.step:,} of {steps:,} steps to do"
        weights = f"{arm.experiment.model.pipeline}, as it is" if not arm.trains and arm.weights is None else ""
        if arm.trains:
            weights = str(arm.folder)
        table.add_row(arm.label, state, weights or str(arm.weights))
    console.print(table)
    for arm in comparison.arms:
        for note in arm.notes:
            console.print(f" {arm.label}: {note}", markup=False)


def say_plan(comparison: TrainingComparison, console: Console, budget: float | None) -> None:
    """Print what will be trained, edited and asked, and what that will cost."""
    from rich.table import Table

    from editscope.runs.forecast import LOOKED_AT
    from editscope.training.comparison.start import forecasts, spent_by, total
    from editscope.transport.forecast import rounded

    say_arms(comparison, console)
    each = forecasts(comparison, LOOKED_AT)
    table = Table(box=None, pad_edge=False)
    for head in ("run", "edits", "judge calls", "cost"):
        table.add_column(head, justify="left" if head == "run" else "right", overflow="fold")
    for one in each:
        calls = sum(part.calls for part in one.calls.parts)
        own = all(part.own or part.cost_usd == 0 for part in one.calls.parts)
        cost = "free" if own else "unknown" if one.calls.unknown else rounded(one.calls.known_usd)
        table.add_row(one.run.label, f"{one.edits:,}", f"{one.calls.about}{calls:,}", cost)
    console.print()
    if each:
        console.print(table)
    else:
        console.print("every run is finished", markup=False)
    console.print(f" edits to make: {sum(one.edits for one in each):,}, each once for all judges", markup=False)
    for line in total(each, spent_by(comparison), budget).lines():
        console.print(f" {line}", markup=False)
    console.print(f" folder: {comparison.out}", markup=False)


def agree(comparison: TrainingComparison, console: Console, *, budget: float | None, yes: bool, quiet: bool) -> None:
    """Ask once about the cost of all runs, before the first is trained or run."""
    from editscope.cli.spending import confirm
    from editscope.runs.forecast import GLANCE
    from editscope.training.comparison.start import forecasts, spent_by, total

    each = forecasts(comparison, GLANCE)
    if any(one.may_spend for one in each):
        limited = budget is not None or all(one.limited for one in each if one.may_spend)
        forecast = total(each, spent_by(comparison), budget)
        confirm(forecast, console, yes=yes, quiet=quiet, limited=limited)


def say_results(comparison: TrainingComparison, *, as_json: bool = False) -> None:
    """Print the tables, write them, and say what is missing; exit code 1 where a run lacks scores."""
    from editscope.training.comparison.results import as_json as results_json
    from editscope.training.comparison.results import results_of, write_results
    from editscope.training.comparison.text import comparison_text

    results = results_of(comparison)
    console = printing.console(soft_wrap=True)
    text = comparison_text(results, console.width)
    files = write_results(results, text)
    if as_json:
        printing.say_json(results_json(results))
    else:
        printing.say(text)
        for pending in results.pending():
            printing.say(f" not finished: {pending}")
        printing.say(f" {', '.join(str(file) for file in files)}")
    if results.pending() or any(compared.missing(arm) for compared in results.judged for arm in compared.runs):
        raise typer.Exit(1)


def _silent(_: str) -> None:
    pass
