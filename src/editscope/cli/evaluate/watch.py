"""`editscope watch`: every new checkpoint of a folder on the same cases, and a word when a score falls."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from editscope import printing
from editscope.cli import completion
from editscope.cli import options as opt
from editscope.cli.limits import budget_of, judge_limits, judging_settings, say_deprecated
from editscope.cli.plans import check_judged
from editscope.cli.spending import agree
from editscope.cli.suite_options import suite_spec
from editscope.errors import BadInput

if TYPE_CHECKING:
    from rich.console import Console

    from editscope.runs import Plan
    from editscope.runs.judging.settings import Judging
    from editscope.suites import Suite
    from editscope.watch.history import CheckpointResult
    from editscope.watch.watch import CheckpointWatcher

PATIENCE_S = 300.0
"""How long the command of --on-fall may take."""


def watch(
    context: typer.Context,
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder where training saves checkpoints.")],
    suite: Annotated[
        str,
        typer.Option("--suite", metavar="SUITE", help="A suite, such as paintbench.", autocompletion=completion.suites),
    ],
    editor: Annotated[
        str,
        typer.Option(
            "--editor",
            "-e",
            metavar="SPEC",
            help="An editor with {checkpoint} where the path goes.",
            autocompletion=completion.editors,
        ),
    ],
    judge: opt.JudgeSpecs = None,
    data: opt.Data = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="RUNS", help="The folder for runs and history [default: runs/watch-DIR]."),
    ] = None,
    limit: opt.Limit = None,
    where: opt.Filters = None,
    pattern: Annotated[
        list[str] | None,
        typer.Option(
            "--pattern",
            metavar="GLOB",
            help="Names of checkpoints; a slash at the end means a folder [checkpoint-*/ and *.safetensors].",
        ),
    ] = None,
    settle: Annotated[
        float,
        typer.Option(
            "--settle", metavar="SECONDS", help="Treat a checkpoint as complete after this long without a change."
        ),
    ] = 30.0,
    every: Annotated[
        float, typer.Option("--every", metavar="SECONDS", help="How often to look for new checkpoints.")
    ] = 30.0,
    once: Annotated[bool, typer.Option("--once", help="Evaluate the checkpoints that exist, then exit.")] = False,
    baseline: Annotated[
        str, typer.Option("--baseline", metavar="RUN|first|best", help="The score to compare with.")
    ] = "best",
    metric: Annotated[
        str | None, typer.Option("--metric", metavar="NAME", help="The metric [default: the suite's headline].")
    ] = None,
    confidence: Annotated[
        float,
        typer.Option(
            "--confidence", metavar="SHARE", help="Confidence of the intervals that decide whether a score has fallen."
        ),
    ] = 0.95,
    on_fall: Annotated[
        str | None,
        typer.Option("--on-fall", metavar="COMMAND", help="Run this command for each score that has fallen."),
    ] = None,
    stop_on_fall: Annotated[
        bool, typer.Option("--stop-on-fall", help="Exit with code 1 when a score has fallen.")
    ] = False,
    repeats: opt.Repeats = 1,
    engine: opt.Engine = "local",
    ray_address: opt.RayAddress = None,
    edit_concurrency: opt.EditConcurrency = None,
    jobs: opt.Jobs = None,
    timeout: opt.Timeout = None,
    seed: opt.Seed = 0,
    budget: opt.Budget = None,
    yes: opt.Yes = False,
    quiet: opt.Quiet = False,
    keep_going: opt.KeepGoing = False,
    log: opt.LogTargets = None,
    protocol: opt.Protocol = None,
    prompts: opt.Prompts = None,
    samples: opt.Samples = 1,
    missing: opt.Missing = None,
    max_cost: opt.MaxCost = None,
    max_calls: opt.MaxCalls = None,
    concurrency: opt.Concurrency = None,
    prices: opt.Prices = None,
    cache: opt.Cache = None,
) -> None:
    """Evaluate each new checkpoint in a folder on a fixed part of a suite, and report when a score has fallen.

    A LoRA that is being trained, on eighty cases:

      editscope watch out/ --suite paintbench --limit 80 --editor "diffusers:FLUX.1-Kontext?lora={checkpoint}"

    Only existing checkpoints; exit code 1 if a score has fallen or a checkpoint could not be evaluated:

      editscope watch out/ --suite paintbench --where task=border --editor "python:mine:Model?path={checkpoint}" --once

    Each checkpoint at its step in Weights & Biases, with your key in WANDB_API_KEY:

      editscope watch out/ --suite paintbench --limit 80 --editor "python:mine:Model?path={checkpoint}" --log wandb:mine

    A score has fallen if the interval of the paired difference to the baseline lies below 0. Each comparison has its
    own chance of a false alarm; --confidence 0.99 makes them rarer. The same command continues where it stopped.
    --budget is for all checkpoints together.
    """
    from editscope.editors.base import EditLimits
    from editscope.suites import load_suite, parse_where
    from editscope.watch.watch import CheckpointWatcher, Watch

    if not every > 0:
        raise BadInput(f"--every is {every:g}; use a number of seconds above 0")
    say_deprecated(max_cost=max_cost)
    spec, options = suite_spec(context, suite, protocol)
    loaded = load_suite(spec, **({} if data is None else {"root": data}))
    limits = judge_limits(max_cost=max_cost, max_calls=max_calls, concurrency=concurrency, prices=prices, cache=cache)
    judging = judging_settings(
        judge, protocol=protocol, options=options, prompts=prompts, samples=samples, missing=missing, limits=limits
    )
    check_judged(loaded, judging)
    console = printing.console(soft_wrap=True)
    watched = Watch(
        folder,
        out or Path("runs") / f"watch-{folder.absolute().name}",
        editor,
        loaded,
        where=parse_where(where) if where else None,
        limit=limit,
        **opt.given(patterns=pattern),
        settle_s=settle,
        baseline=baseline,
        metric=metric,
        confidence=confidence,
        seed=seed,
        repeats=repeats,
        timeout=timeout,
        jobs=jobs,
        engine=engine,
        ray_address=ray_address,
        edit_limits=None if edit_concurrency is None else EditLimits(concurrency=edit_concurrency),
        judging=lambda: _judging(loaded, judging),
        keep_going=keep_going,
        budget=budget_of(budget),
        before=_agreed_once(console, yes=yes, quiet=quiet),
        log=log or (),
    )
    watched.judging()  # a fault of the judge shows now, not with the first checkpoint
    going = CheckpointWatcher(watched, lambda text: console.print(text, markup=False), None if quiet else console)
    _go(going, every, once, on_fall, stop_on_fall, console)


def _go(
    going: CheckpointWatcher, every: float, once: bool, on_fall: str | None, stop_on_fall: bool, console: Console
) -> None:
    """Say what comes, one line for each checkpoint; the page is written after each."""
    from editscope.report.pages.checkpoint_reports import write_checkpoint_reports
    from editscope.report.pages.watch import PAGE, write_watch_page
    from editscope.watch.watch import summary_line

    out = going.watch.out
    known = len(list(going.history))
    if known:
        console.print(f"{out} has {summary_line(going.history)}; continuing", markup=False)

    def write_pages() -> None:
        write_checkpoint_reports(out, going.history, lambda text: console.print(text, markup=False))
        write_watch_page(out, going.history)

    bad = 0
    for look in going.run(every, once=once):
        if look.status == "done":
            console.print(str(look), markup=False)
        write_pages()
        bad += look.fallen or look.status == "failed"
        if look.fallen:
            _call(on_fall, look, out, console)
            if stop_on_fall:
                break
    if known:
        write_pages()  # one that was stopped before it came to its page
    page = f" · the curve: {out / PAGE}" if (out / PAGE).is_file() else f" · {out}"
    console.print(f"{summary_line(going.history)}{page}", markup=False)
    if bad and (once or stop_on_fall):
        raise typer.Exit(1)


def _agreed_once(console: Console, *, yes: bool, quiet: bool) -> Callable[[Plan], None]:
    """Says what each checkpoint will cost; asks before the first only."""
    agreed = yes

    def before(plan: Plan) -> None:
        nonlocal agreed
        agree(plan, console, yes=agreed, quiet=quiet)
        agreed = True

    return before


def _judging(suite: Suite, asked: dict[str, Any] | None) -> Judging | None:
    from editscope.runs.judging.settings import make_judging

    return None if asked is None else make_judging(suite, **asked)


def _call(command: str | None, look: CheckpointResult, out: Path, console: Console) -> None:
    """Run the user's command for a fall; its errors are printed and stop nothing."""
    if command is None:
        return
    fall = look.baseline
    variables = {
        "EDITSCOPE_CHECKPOINT": look.path,
        "EDITSCOPE_RUN": str((out / look.run).absolute()),
        "EDITSCOPE_SCORE": f"{look.mean:g}",
        "EDITSCOPE_DIFFERENCE": "" if fall is None else f"{fall.difference:g}",
    }
    try:
        done = subprocess.run(shlex.split(command), env={**os.environ, **variables}, timeout=PATIENCE_S, check=False)
        if done.returncode:
            console.print(f"--on-fall ended with exit code {done.returncode}", markup=False)
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        console.print(f"--on-fall could not run: {error}", markup=False)
