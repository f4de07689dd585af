"""Several editors on the same cases: a run for each in a folder of its own, one after the other, then compared."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import typer

from editscope import printing
from editscope.errors import BadInput, EditscopeError, Stopped

if TYPE_CHECKING:
    from editscope.runs import Plan
    from editscope.transport.forecast import Forecast

GAPS, STOPPED = 1, 3
REQUESTED = "stopped on request"


@dataclass(frozen=True, slots=True)
class RunSpending:
    """What runs of the same command have spent so far: the limits of the next one are lower by it.

    ``others_usd`` is what all other runs have spent, also in earlier calls: a budget is for all of them together. The
    other fields are of this call alone, as are the limits that they lower.
    """

    edits: int = 0
    edits_usd: float = 0.0
    calls: int = 0
    judges_usd: float = 0.0
    others_usd: float = 0.0

    def __add__(self, other: RunSpending) -> RunSpending:
        return RunSpending(
            self.edits + other.edits,
            self.edits_usd + other.edits_usd,
            self.calls + other.calls,
            self.judges_usd + other.judges_usd,
        )

    def __sub__(self, other: RunSpending) -> RunSpending:
        return self + RunSpending(-other.edits, -other.edits_usd, -other.calls, -other.judges_usd)


Number = TypeVar("Number", int, float)

PlanFor = Callable[[str, "Path | None", RunSpending], "Plan"]
"""Makes the plan of an editor, its folder, and what runs before it have spent."""


def left_of(option: str, limit: Number | None, spent: Number) -> Number | None:
    """What is left of a limit; Stopped where that is nothing.

    >>> left_of("--max-edit-cost", 10.0, 2.5), left_of("--max-edit-cost", None, 2.5)
    (7.5, None)
    """
    if limit is None or not spent:
        return limit
    if spent >= limit:
        raise Stopped(f"{option} {limit:g} is used up by the runs before; the same command with a higher one goes on")
    return limit - spent


def run_each(
    editors: Sequence[str],
    out: Path | None,
    plan_for: PlanFor,
    carry_out: Callable[[Plan], None],
    *,
    dry_run: bool,
    yes: bool,
    quiet: bool,
) -> None:
    """Run each editor and compare the runs that have all their scores.

    All plans are made, all editors checked, and you are asked once about the cost of all runs, before the first run
    starts; ``carry_out`` need not ask. What stops one run does not touch the
    others; the exit code is that of the worst.
    """
    from editscope.runfolder.run_json import FILE
    from editscope.runs.budget import spent_in_folder
    from editscope.runs.forecast import LOOKED_AT

    folders = run_folders(editors, out)
    nothing = RunSpending()
    plans = [plan_for(editor, folder, nothing) for editor, folder in zip(editors, folders, strict=True)]
    if dry_run:
        for plan in plans:
            carry_out(plan)
        total = _together(plans, LOOKED_AT)
        if total.may_cost:
            printing.say(f" all {len(plans)} runs together: {total.total_in_words()}")
        return
    for plan in plans:
        plan.editor.limit(plan.edit_limits)
        plan.editor.check()
    _agree(plans, yes=yes, quiet=quiet)
    codes, spent = [], nothing
    for editor, plan in zip(editors, plans, strict=True):
        before = spending_in(plan.out)
        others = [other.out for other in plans if other is not plan and (other.out / FILE).exists()]
        now = replace(spent, others_usd=sum(map(spent_in_folder, others)))
        try:
            carry_out(plan if now == nothing else plan_for(editor, plan.out, now))
        except typer.Exit as ended:
            codes.append(ended.exit_code)
        except EditscopeError as error:
            if REQUESTED in str(error):
                raise
            printing.say(f"editscope: {editor}: {error}", error=True)
            codes.append(STOPPED)
        spent += spending_in(plan.out) - before
    _compare([plan.out for plan in plans])
    if any(codes):
        raise typer.Exit(max(codes))


def run_folders(editors: Sequence[str], out: Path | None) -> list[Path | None]:
    """A folder for each editor, named after it, in ``out``; None for new ones in runs/.

    >>> [str(folder) for folder in run_folders(["ref:drift", "ref:noise?strength=2"], Path("both"))]
    ['both/ref-drift', 'both/ref-noise-strength-2']
    """
    from editscope.runfolder.run_json import FILE
    from editscope.runs.choose_folder import slug

    for place, editor in enumerate(editors):
        if editor in editors[:place]:
            raise BadInput(f"--editor is given twice with the same spec: {editor!r}; use --repeats to edit cases again")
    if out is None:
        return [None] * len(editors)
    if (out / FILE).exists():
        raise BadInput(f"--out {out} is a run; with several editors it is a folder that gets a run for each of them")
    names: list[str] = []
    for editor in editors:
        name, number = slug(_without_address(editor)), 2
        while name in names:
            name, number = f"{slug(_without_address(editor))}-{number}", number + 1
        names.append(name)
    return [out / name for name in names]


def _without_address(editor: str) -> str:
    """A spec without what says where its server is, for the name of a folder.

    >>> _without_address("openai:gpt-image-1?base_url=http://127.0.0.1:4000/v1&quality=high")
    'openai:gpt-image-1?quality=high'
    """
    return re.sub(r"(?<=[?&])(base_url|key_env)=[^&]*&?", "", editor).rstrip("?&")


def spending_in(folder: Path) -> RunSpending:
    """What the journal of a run says was spent in it."""
    from editscope.runfolder.journal import FILE, read_journal
    from editscope.runs.budget import charged

    if not (folder / FILE).exists():
        return RunSpending()
    lines = list(read_journal(folder))
    edits = [line for line in lines if line["step"] == "edit"]
    usages = [line["verdict"]["usage"] for line in lines if line["step"] == "verdict" and not line["verdict"]["cached"]]
    return RunSpending(
        len(edits),
        sum(map(charged, edits)),
        sum(usage.get("attempts") or 0 for usage in usages),
        sum(map(charged, usages)),
    )


def _compare(folders: Sequence[Path]) -> None:
    """Print the comparison of the runs that are whole, as `editscope compare` does."""
    from editscope.cli.results.compare import compare
    from editscope.results import open_run
    from editscope.runfolder.run_json import FILE, runs_inside

    whole = [folder for folder in folders if (folder / FILE).exists() and open_run(folder).complete]
    if len(whole) > 1:
        printing.say()
        compare(whole)
        shared = whole[0].parent
        places = [shared] if set(runs_inside(shared)) == set(whole) else whole
        listed = " ".join(shlex.quote(str(place)) for place in places)
        out = "" if len(places) == 1 else " --out compared.html"
        printing.say(f" again: editscope compare {listed}")
        printing.say(f" report of all runs: editscope report {listed}{out}")


def _together(plans: Sequence[Plan], looked_at: int) -> Forecast:
    """What all plans together will spend."""
    from editscope.runs.forecast import forecast
    from editscope.transport.forecast import Forecast

    forecasts = [forecast(plan, looked_at) for plan in plans]
    return Forecast(tuple(part for each in forecasts for part in each.parts))


def _agree(plans: Sequence[Plan], *, yes: bool, quiet: bool) -> None:
    """Ask once about all runs together, if they may cost money."""
    from editscope.cli.spending import confirm
    from editscope.runs.forecast import GLANCE, is_limited, may_spend

    if any(map(may_spend, plans)):
        limited = all(map(is_limited, plans))
        confirm(_together(plans, GLANCE), printing.console(soft_wrap=True), yes=yes, quiet=quiet, limited=limited)
