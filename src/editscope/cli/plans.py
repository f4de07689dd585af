"""Plans of runs: from the options of a command, and carried out or only printed."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from editscope import printing
from editscope.cli.spending import agree
from editscope.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from editscope.results import Run
    from editscope.runs import Plan
    from editscope.suites import Suite
    from editscope.trackers.targets import LogTarget


def suite_plan(
    suite: str,
    data: Path | None,
    editor: str,
    judging: dict[str, Any] | None,
    *,
    where: list[str] | None,
    **settings: Any,
) -> Plan:
    """The plan of a run over a suite that is named on the command line."""
    from editscope.runs import make_plan
    from editscope.runs.judging.settings import make_judging
    from editscope.suites import load_suite, parse_where

    root = {} if data is None else {"root": data}
    chosen = parse_where(where) if where else None
    loaded = load_suite(suite, **root)
    check_judged(loaded, judging)
    judges = None if judging is None else make_judging(loaded, **judging)
    return make_plan(loaded, editor, where=chosen, judging=judges, **settings)


def check_judged(suite: Suite, judging: dict[str, Any] | None) -> None:
    """Raise BadInput where a suite was given options of judging, and there is no judge."""
    if suite.protocol_options and judging is None:
        raise BadInput("judging options need a judge: --judge SPEC, such as openai:gpt-4o")


def carry_out(
    plan: Plan,
    jobs: int | None,
    dry_run: bool,
    quiet: bool,
    engine: str = "local",
    ray_address: str | None = None,
    html: Path | None = None,
    *,
    keep_going: bool = False,
    yes: bool = False,
    log: Sequence[LogTarget] = (),
) -> None:
    """Do a plan, or say what it would do, and print how it ended.

    ``html`` is a page for the requests of a dry run; ``yes`` spends money without a question; ``log`` are the trackers
    that get the result.
    """
    from editscope.cli.output import runs as output
    from editscope.runs import execute
    from editscope.runs.code_note import say_code_note
    from editscope.runs.remaining import todo

    plan = replace(plan, keep_going=keep_going)
    console = printing.console(soft_wrap=True)
    if html is not None and (plan.judging is None or not dry_run):
        raise BadInput("--html writes what a judge would get; use it with --judge and --dry-run")
    if not quiet:
        console.print(plan.headline("below") if dry_run else plan.headline(), markup=False)
    for note in plan.suite.notes():
        console.print(f" note: {note}", markup=False)
    say_code_note(plan, console)
    if dry_run:
        if plan.judging is not None and (html is not None or not quiet):
            from editscope.cli.output.requests import show_first_requests

            show_first_requests(plan, html)
        output.plan(plan, console)
        return
    if not quiet and (plan.out / "run.json").exists():
        left = sum(map(len, todo(plan)))
        has, what = plan.jobs - left, "case" if plan.repeats == 1 else "edit"
        console.print(f" {plan.out} has {has:,} {what}{'' if has == 1 else 's'} already, {left:,} to do", markup=False)
    agree(plan, console, yes=yes, quiet=quiet)
    shown = None if quiet else console
    done = execute(plan, jobs=jobs, console=shown, engine=engine, ray_address=ray_address)
    output.result(done, console)
    console.print(f" {done.path} · report: editscope report {shlex.quote(str(done.path))}", markup=False)
    _log(done, log, console, quiet)
    if done.coverage["ok"] < sum(done.coverage.values()):
        raise typer.Exit(1)


def _log(run: Run, targets: Sequence[LogTarget], console: Console, quiet: bool) -> None:
    """Log a run to one target after the other, and say how it went; a failure changes nothing else."""
    from editscope.cli.output.progress import ProgressLine
    from editscope.trackers.run_log import log_run

    line = ProgressLine()
    for number, target in enumerate(targets, start=1):
        if not quiet:
            line(f"logging to {target}", number, len(targets))
        warnings: list[str] = []
        reached = log_run(run, [target], warnings.append)
        line.end()
        for text in warnings:
            printing.say(f"editscope: {text}", error=True)
        if reached:
            console.print(f" logged to {target}", markup=False)
