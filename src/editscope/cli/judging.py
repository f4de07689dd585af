"""`editscope rescore`, and the options of judging that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from editscope.cli import options as opt
from editscope.errors import BadInput

if TYPE_CHECKING:
    from editscope.runs.judging.settings import Limits


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
    """Judge the edits of a run again, without editing: another judge, protocol or prompts.

    editscope rescore runs/mine --judge gemini:gemini-2.5-pro --out runs/mine-gemini

    editscope rescore runs/mine --judge openai:gpt-4o --protocol kris --out runs/mine-kris

    The old run stays as it is. Both can be compared: editscope compare runs/mine runs/mine-gemini

    Count failed calls and missing edits as the authors' tool does, by the verdicts that the run has:

      editscope rescore runs/mine --accounting released --out runs/mine-released
    """
    from editscope.cli.running import go
    from editscope.runs.rescore import plan_recount, plan_rescore

    bounds = limits(
        max_cost=max_cost,
        max_calls=max_calls,
        concurrency=concurrency,
        rpm=rpm,
        tpm=tpm,
        judge_timeout=judge_timeout,
        retries=retries,
        prices=prices,
        cache=cache,
    )
    said: dict[str, Any] = {"protocol": protocol, "prompts": prompts, "samples": samples, "missing": missing}
    if accounting is not None and not judge:
        given = [name for name, value in said.items() if value not in (None, 1)]
        if given:
            raise BadInput(f"--{given[0]} needs a judge; --accounting alone counts the verdicts that the run has")
        go(plan_recount(run_folder, accounting, out=out, limits=bounds), jobs, dry_run, quiet)
        return
    asked = settings(judge, accounting=accounting, limits=bounds, **said)
    if asked is None:
        raise BadInput("rescore needs a judge: --judge SPEC, such as openai:gpt-4o")
    go(plan_rescore(run_folder, out=out, **asked), jobs, dry_run, quiet)


def limits(**given: Any) -> Limits | None:
    """The limits that were given; None where none was."""
    from editscope.runs.judging.settings import Limits

    known = opt.given(**given)
    said: dict[str, Any] = {name: str(value) if isinstance(value, Path) else value for name, value in known.items()}
    return Limits(**said) if said else None


def settings(judge: list[str] | None, *, missing: str | None, samples: int, **more: Any) -> dict[str, Any] | None:
    """What ``make_judging`` takes, without what was not given; None for a run without judges."""
    found = {name: value for name, value in more.items() if value}
    if judge:
        return {"judge": judge, "samples": samples, **opt.given(missing=missing), **found}
    found |= opt.given(missing=missing) | ({"samples": samples} if samples != 1 else {})
    for name in found:
        what = "options of judging" if name in ("limits", "options") else f"--{name}"
        raise BadInput(f"{what} need a judge: --judge SPEC, such as openai:gpt-4o")
    return None
