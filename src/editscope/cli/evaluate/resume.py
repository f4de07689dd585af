"""`editscope resume`: the rest of a run that was stopped."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from editscope.cli import options as opt
from editscope.cli.limits import budget_of, edit_limits, judge_limits, say_deprecated
from editscope.cli.plans import carry_out


def resume(
    run_folder: Annotated[Path, typer.Argument(metavar="RUN", help="A run folder.")],
    jobs: opt.Jobs = None,
    dry_run: opt.DryRun = False,
    budget: opt.Budget = None,
    yes: opt.Yes = False,
    quiet: opt.Quiet = False,
    keep_going: opt.KeepGoing = False,
    log: opt.LogTargets = None,
    missing: opt.Missing = None,
    max_cost: opt.MaxCost = None,
    max_calls: opt.MaxCalls = None,
    batch: opt.Batch = False,
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
        bool, typer.Option("--ask-again", help="Also repeat calls to judges that have no verdict.")
    ] = False,
    edit_again: Annotated[
        bool, typer.Option("--edit-again", help="Also repeat edits that ended with an error.")
    ] = False,
    edit_again_all: Annotated[
        bool, typer.Option("--edit-again-all", help="Also repeat edits that were refused or returned no picture.")
    ] = False,
    edit_again_changed: Annotated[
        bool, typer.Option("--edit-again-changed", help="Also repeat edits of another version of the editor's code.")
    ] = False,
) -> None:
    """Continue a run that was stopped or killed; finished steps are not repeated.

    editscope resume runs/mine

    Also repeat edits that ended with an error:

      editscope resume runs/mine --edit-again

    Also repeat edits that were made before you changed the code of your editor:

      editscope resume runs/mine --edit-again-changed

    What is left to do, what it will cost, and what was spent already:

      editscope resume runs/mine --dry-run

    A run that has used up its budget, with a higher one for all of it:

      editscope resume runs/mine --budget 30
    """
    from editscope.runs import plan_again
    from editscope.runs.editor_code import CHANGED
    from editscope.trackers.targets import read_targets

    say_deprecated(max_cost=max_cost, max_edit_cost=max_edit_cost)
    targets = read_targets(log)
    statuses = ("error", "refused", "no_output") if edit_again_all else ("error",) if edit_again else ()
    limits = judge_limits(
        max_cost=max_cost, max_calls=max_calls, batch=batch or None, concurrency=concurrency, prices=prices, cache=cache
    )
    plan = plan_again(
        run_folder,
        limits=limits,
        missing=missing,
        again=ask_again,
        repeats=repeats,
        edit_limits=edit_limits(max_edit_cost, max_edits, edit_concurrency, edit_rpm, edit_retries, prices),
        edit_again=(*statuses, CHANGED) if edit_again_changed else statuses,
        budget=budget_of(budget),
    )
    carry_out(plan, jobs, dry_run, quiet, engine, ray_address, keep_going=keep_going, yes=yes, log=targets)
