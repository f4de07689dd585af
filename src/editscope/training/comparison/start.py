"""A comparison from its plan: the base first, then each arm trained and evaluated, and what all of it will cost."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from editscope.errors import BadInput, Stopped
from editscope.runfolder.lock import Lock
from editscope.runs import execute
from editscope.runs.budget import spent_in_folder
from editscope.runs.forecast import forecast, is_limited, may_spend
from editscope.runs.judging.settings import Limits
from editscope.runs.stop_message import without_resume
from editscope.training.comparison.arms import Arm, resolve_arms, train_arm
from editscope.training.comparison.evaluations import ArmRun, ArmRuns
from editscope.training.comparison.recorded import check_recorded, record
from editscope.training.comparison.settings import ComparisonPlan, read_plan
from editscope.training.models.loading import check_pipeline
from editscope.transport.forecast import Forecast, PaidCalls

if TYPE_CHECKING:
    from rich.console import Console

LOCK = ".comparison.lock"
_HIGHER = re.compile(r"editscope resume \S+ (--budget) N$")


@dataclass(frozen=True, eq=False)
class TrainingComparison:
    """A comparison that can start: its plan, its arms, its runs and its folder."""

    plan: ComparisonPlan
    arms: tuple[Arm, ...]
    runs: ArmRuns
    out: Path
    command: str

    @property
    def complete(self) -> bool:
        """Whether every arm is trained and every run is finished."""
        return all(arm.done for arm in self.arms) and all(run.complete for run in self.runs)


@dataclass(frozen=True, slots=True)
class RunForecast:
    """What is left of one run: its edits, and the calls of its judges."""

    run: ArmRun
    edits: int
    calls: Forecast
    limited: bool
    may_spend: bool


def open_comparison(file: Path, out: Path | None = None, limits: Limits | None = None) -> TrainingComparison:
    """The comparison of a plan's file, with everything checked that can be checked before it starts; writes nothing."""
    plan = read_plan(file)
    folder = out or Path("compared") / plan.name
    arms = resolve_arms(plan, folder)
    check_pipeline(arms[0].experiment.model)
    check_recorded(folder, plan, arms)
    command = f"editscope train compare {shlex.quote(str(file))}" + (f" --out {shlex.quote(str(out))}" if out else "")
    return TrainingComparison(plan, arms, ArmRuns(plan, arms, folder, limits), folder, command)


def forecasts(comparison: TrainingComparison, looked_at: int) -> list[RunForecast]:
    """What is left of each run that is not finished."""
    left = []
    for run in comparison.runs:
        if run.complete:
            continue
        plan = comparison.runs.foreseen(run)
        spends = may_spend(plan)
        calls = forecast(plan, looked_at)
        left.append(RunForecast(run, comparison.runs.edits_left(run, plan), calls, is_limited(plan), spends))
    return left


def total(each: Sequence[RunForecast], spent: float = 0.0, budget: float | None = None) -> Forecast:
    """What all runs together will spend, by who is asked."""
    parts: dict[str, PaidCalls] = {}
    for one in each:
        for part in one.calls.parts:
            parts[part.who] = part if part.who not in parts else parts[part.who].plus(part)
    return Forecast(
        tuple(parts.values()),
        sum(one.calls.cached for one in each),
        next((one.calls.about for one in each if one.calls.about), ""),
        tuple(dict.fromkeys(text for one in each for text in one.calls.how)),
        spent,
        budget,
        sum(one.calls.unseen for one in each),
    )


def spent_by(comparison: TrainingComparison) -> float:
    """Dollars that the runs have spent so far."""
    return sum(spent_in_folder(run.folder) for run in comparison.runs if run.begun)


def carry_out(
    comparison: TrainingComparison,
    *,
    budget: float | None = None,
    jobs: int | None = None,
    again: bool = False,
    keep_going: bool = False,
    say: Callable[[str], None] = lambda _: None,
    console: Console | None = None,
) -> None:
    """Train and evaluate everything that is missing. Stopped, with the command that resumes it, if interrupted.

    The base is evaluated before the first arm is trained, so that a judge that cannot be asked shows early.
    """
    out = comparison.out
    with _locked(out), _resumes_comparison(comparison):
        check_recorded(out, comparison.plan, comparison.arms)
        record(out, comparison.plan, comparison.arms)
        for arm in comparison.arms:
            if not arm.done:
                say(f"{arm.label}: training from step {arm.step:,} of {arm.experiment.training.steps:,}")
                again_with = f"run again: {comparison.command}"
                train_arm(arm, comparison.plan.processes, say=say, resume_with=again_with)
            for run in comparison.runs.of_arm(arm):
                if run.complete and not again:
                    continue
                say(run.label)
                left = _left(comparison, run, budget)
                plan = comparison.runs.planned(run, left, again=again)
                execute(replace(plan, keep_going=keep_going), jobs=jobs, console=console)


def _left(comparison: TrainingComparison, run: ArmRun, budget: float | None) -> float | None:
    """What is left of the budget for a run; Stopped if the others have spent it."""
    if budget is None:
        return None
    others = sum(spent_in_folder(other.folder) for other in comparison.runs if other is not run and other.begun)
    if others >= budget > 0:
        raise Stopped(
            f"the budget of ${budget:,.2f} is used up; resume with a higher one: {comparison.command} --budget N"
        )
    return budget - others


@contextmanager
def _locked(out: Path) -> Iterator[None]:
    lock = Lock(
        out / LOCK, f"{out} is being written by another process; wait for it or stop it first", make_folder=True
    )
    try:
        yield
    finally:
        lock.release()


@contextmanager
def _resumes_comparison(comparison: TrainingComparison) -> Iterator[None]:
    """Make errors that stop a run say how to resume the comparison instead of the run."""
    try:
        yield
    except KeyboardInterrupt:
        raise Stopped(f"stopped on request; resume with: {comparison.command}") from None
    except Stopped as stop:
        message = str(stop)
        if comparison.command in message:
            raise
        higher = " --budget N" if _HIGHER.search(message) else ""
        raise Stopped(f"{without_resume(message)}; resume with: {comparison.command}{higher}") from stop
    except BadInput as error:
        raise BadInput(f"{error}; after that: {comparison.command}") from error
