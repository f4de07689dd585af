"""Asking of an audit: the calls about every problem, sent until each has a verdict in the journal."""

from __future__ import annotations

import select
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from editscope.audit.findings import pairs_of
from editscope.audit.known_edit_set import AuditProblem, KnownEditSet
from editscope.audit.question_calls import asked_keys, question_calls
from editscope.errors import EditscopeError, Stopped
from editscope.judges import Call, Judge, Verdict
from editscope.judges.prompts.packs import PromptPack
from editscope.runfolder.journal import Journal, read_journal
from editscope.runs.engine.interrupts import Interrupts
from editscope.runs.judging.judge_queue import CallResult, JudgeQueue, QueuedCall
from editscope.scoring.rubrics.base import Rubric
from editscope.suites import Suite

TICK_S = 0.25

OnProgress = Callable[[str, int, int], None]
"""Called with what is being done ("making edits", "asking"), how many are done, and how many there are.

Where there are 0, what is said is a remark."""

Key = tuple[str, str, str, int]
"""A verdict of an audit: problem, key of the call, spec of the judge, sample."""


@dataclass(frozen=True)
class AuditPlan:
    """What an audit would do. Nothing is written or asked yet."""

    judges: tuple[Judge, ...]
    suite: Suite | None
    n: int
    samples: int
    seed: int
    pack: PromptPack
    out: Path
    anchor: Path | None = None
    pairs: bool = True
    budget: float | None = None
    """Dollars for the audit in all, parts that were asked before included."""
    rubric: Rubric | None = None
    """The protocol that asks questions about the edits; None where they get scores."""

    @property
    def home(self) -> Path:
        """Where the edits are: in the anchor where there is one, else in the audit's own folder."""
        return self.out / "exhibits" if self.anchor is None else self.anchor


def problem_calls(
    edit_set: KnownEditSet, problem: AuditProblem, number: int, plan: AuditPlan
) -> Iterator[tuple[Call, int]]:
    """The calls about one problem, and how often each is made."""
    if plan.rubric is not None:
        for call in question_calls(edit_set, problem, plan.rubric, plan.pack):
            yield call, plan.samples
        return
    shown = {edit.level: edit_set.picture(edit) for edit in problem.edits}
    source = edit_set.picture(problem.source)
    words = {"instruction": problem.instruction}
    for level, picture in shown.items():
        pictures = {"source": [source], "edit": [picture]}
        yield plan.pack.call("fidelity", f"score:{level}", pictures, words), plan.samples
    for better, worse in pairs_of(problem, number) if plan.pairs else ():
        for first, second in ((better, worse), (worse, better)):
            pictures = {"source": [source], "first": [shown[first]], "second": [shown[second]]}
            yield plan.pack.call("pair", f"pair:{first}:{second}", pictures, words), 1


def calls_in(problem: AuditProblem, number: int, plan: AuditPlan) -> int:
    """How many calls about one problem each judge gets."""
    if plan.rubric is not None:
        return plan.samples * sum(1 for _ in asked_keys(problem))
    return len(problem.edits) * plan.samples + 2 * len(pairs_of(problem, number)) * plan.pairs


def ask(plan: AuditPlan, edit_set: KnownEditSet, queue: JudgeQueue, journal: Journal, told: OnProgress | None) -> None:
    """Make all calls that the journal has no verdict of; raises Stopped, or the error of a judge that cannot go on."""
    answered = {(*key, line["digest"]) for key, line in last_lines(plan.out).items()}
    most = 2 * sum(judge.concurrency for judge in plan.judges) + 8
    total = sum(calls_in(one, number, plan) for number, one in enumerate(edit_set.problems)) * len(plan.judges)
    done = len(answered)
    with Interrupts() as interrupts:
        for number, problem in enumerate(edit_set.problems):
            queue.put(list(_open(plan, edit_set, problem, number, answered)))
            last = number == len(edit_set.problems) - 1
            while queue.open > (0 if last else most):
                select.select([queue.fd, interrupts.fd], [], [], TICK_S)
                count, failure = _take(queue, journal, plan.judges)
                done += count
                if told is not None:
                    told("asking", done, total)
                if interrupts.count:
                    failure = failure or Stopped("stopped on request; run the same command to continue")
                if failure is not None:
                    _finish(queue, journal, plan.judges, interrupts)
                    raise failure


def _finish(queue: JudgeQueue, journal: Journal, judges: Sequence[Judge], interrupts: Interrupts) -> None:
    """Ask nothing more, and wait for what judges have in hand, which is paid for; a second Ctrl-C does not wait."""
    queue.stop()
    while queue.open and interrupts.count < 2:
        select.select([queue.fd, interrupts.fd], [], [], TICK_S)
        interrupts.drain()
        _take(queue, journal, judges)


def _open(
    plan: AuditPlan, edit_set: KnownEditSet, problem: AuditProblem, number: int, kept: set[tuple[*Key, str]]
) -> Iterator[QueuedCall]:
    for call, samples in problem_calls(edit_set, problem, number, plan):
        for place, judge in enumerate(plan.judges):
            for sample in range(samples):
                if (problem.id, call.key, judge.spec, sample, call.digest) not in kept:
                    yield QueuedCall((problem.id, ""), call, place, sample)


def _take(queue: JudgeQueue, journal: Journal, judges: Sequence[Judge]) -> tuple[int, EditscopeError | None]:
    """Write what has come: how many verdicts, and the error of a judge that cannot go on, if any."""
    count, failure = 0, None
    for result in queue.take():
        failure = result.error or failure
        count += _write(result, journal, judges)
    return count, failure


def _write(result: CallResult, journal: Journal, judges: Sequence[Judge]) -> int:
    verdict, queued = result.verdict, result.queued
    if verdict is None or result.error is not None:
        return 0
    journal.append(
        {
            "step": "verdict",
            "case": queued.step[0],
            "key": queued.call.key,
            "judge": judges[queued.judge].spec,
            "sample": queued.sample,
            "digest": queued.call.digest,
            "verdict": replace(verdict, values=dict(verdict.values)).to_json(),
            "at": now(),
        }
    )
    return 1


def last_lines(folder: Path) -> dict[Key, dict[str, Any]]:
    """The last line about each call."""
    latest = {}
    for line in read_journal(folder):
        if line["step"] == "verdict":
            latest[(line["case"], line["key"], line.get("judge", ""), line["sample"])] = line
    return latest


def kept_verdicts(folder: Path, info: Mapping[str, Any]) -> dict[Key, Verdict]:
    """The verdicts in a folder, in the order of problems, calls and judges."""
    order = {spec: place for place, spec in enumerate(info["judges"])}
    lines = [(key, line) for key, line in last_lines(folder).items() if key[2] in order]
    lines.sort(key=lambda item: (item[0][0], item[0][1], order[item[0][2]], item[0][3]))
    return {key: Verdict.from_json(line["verdict"]) for key, line in lines}


def now() -> str:
    """The time, as journals write it."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
