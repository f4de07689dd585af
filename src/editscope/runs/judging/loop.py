"""The engine of a run with judges: workers make edits and pictures, and judges are asked beside them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, Protocol

from editscope.errors import EditscopeError, Stopped
from editscope.judges import Verdict
from editscope.runfolder.journal import Journal, Line, Step, VerdictKey
from editscope.runs.engine.first_results import FirstResults
from editscope.runs.engine.loop import Engine
from editscope.runs.engine.progress_listener import ProgressListener
from editscope.runs.engine.worker_process import Job
from editscope.runs.engine.workers import WorkerPlan
from editscope.runs.judging.judge_queue import CallResult, JudgeQueue, QueuedCall
from editscope.runs.judging.prepare import PreparedUnit
from editscope.runs.judging.unit_verdicts import UnitVerdicts, expected_verdicts, is_about_call, verdict_line
from editscope.scoring.rubrics import Rubric

Missing = Literal["worst", "skip", "fail"]


class VerdictListener(ProgressListener, Protocol):
    """Receives the progress of a run with judges, verdict by verdict."""

    def verdict(self, verdict: Verdict) -> None:
        """One more verdict has come."""


@dataclass(frozen=True)
class JudgingContext:
    """What an engine needs to judge: rubric, queue and rules; ``journaled`` are the verdicts that the journal has."""

    rubric: Rubric
    queue: JudgeQueue
    samples: int
    missing: Missing
    journaled: Mapping[Step, Mapping[VerdictKey, Line]]
    keep_going: bool = False
    """Whether the run goes on where the first verdicts of a judge all fail alike."""

    @property
    def specs(self) -> tuple[str, ...]:
        """The judges, in order."""
        return tuple(judge.spec for judge in self.queue.judges)

    @property
    def most_open(self) -> int:
        """So many questions may wait that judges never do, and no more, since each holds pictures."""
        return 2 * sum(judge.concurrency for judge in self.queue.judges) + 8


class JudgedEngine(Engine):
    """One run with judges being done. A verdict counts when its line is in the journal, and not before."""

    def __init__(
        self,
        plan: WorkerPlan,
        journal: Journal,
        folder: Path,
        timeout_s: float | None,
        listener: VerdictListener,
        context: JudgingContext,
        first_edits: FirstResults | None = None,
    ) -> None:
        super().__init__(plan, journal, folder, timeout_s, listener, first_edits)
        self.context = context
        self._verdict_listener = listener
        self._first_verdicts = {} if context.keep_going else {spec: FirstResults() for spec in context.specs}
        self._lines: dict[Step, dict[VerdictKey, Line]] = defaultdict(dict)
        for step, lines in context.journaled.items():
            self._lines[step] = dict(lines)
        self._units: dict[Step, UnitVerdicts] = {}
        self._jobs: dict[tuple[str, int], Job] = {}
        self._left: Counter[tuple[str, int]] = Counter()
        """Units of a repeat of a case whose verdicts are not complete."""

    # --- what the loop of every engine asks -------------------------------------------------------

    def _asked(self) -> int:
        return self.context.queue.open

    def _others(self) -> list[Any]:
        return [self.context.queue.fd]

    def _room(self) -> bool:
        return self.context.queue.open < self.context.most_open

    def _hear_others(self) -> None:
        for note in self.context.queue.tend(self._more_coming()):
            self.listener.note(note)
        results = self.context.queue.take()
        lines = {id(result): self._line(result) for result in results if result.verdict is not None}
        # One write for all that came together: they count when they are in the journal.
        written = self._write(*lines.values()) if lines else True
        for result in results:
            if result.verdict is None or written:
                self._take_result(result, lines.get(id(result)))

    def _more_coming(self) -> bool:
        """Whether more calls are on their way before judges have answered those they have."""
        working = any(worker.jobs for worker in self._workers)
        return self._room() and bool(working or self.to_edit or self.to_score or self.suspects)

    def _fail(self, failure: EditscopeError) -> None:
        first = self._failure is None
        super()._fail(failure)
        if first:
            self.context.queue.stop()

    # --- asking -----------------------------------------------------------------------------------

    def _prepared(self, job: Job, prepared: Sequence[PreparedUnit]) -> None:
        self._jobs[job.case_id, job.repeat] = replace(job, make=())
        self._left[job.case_id, job.repeat] = len(prepared)
        for about in prepared:
            unit = expected_verdicts(about, job.index, self.context.specs, self.context.samples)
            self._units[unit.step] = unit
            if about.missing is not None and about.applicable and self.context.missing == "fail":
                problem = f"case {job.case_id} has no edit ({about.missing}), and --missing is fail"
                self._fail(
                    Stopped(f"{problem}; resume with --missing worst or skip, or make the edits again in a new run")
                )
            open_calls = [] if self._failure else self._open_calls(unit)
            if open_calls:
                self.context.queue.put(open_calls)
            elif self._failure is None:
                self._close(unit)

    def _open_calls(self, unit: UnitVerdicts) -> list[QueuedCall]:
        """What is still to be asked: all that has no line in the journal about the same call."""
        about, journaled, open_calls = unit.about, self._lines[unit.step], []
        for call in about.calls:
            for number, spec in enumerate(self.context.specs):
                for sample in range(self.context.samples):
                    line = journaled.get((call.key, spec, sample))
                    if line is not None and is_about_call(line, call.digest):
                        unit.verdicts[call.key, spec, sample] = Verdict.from_json(line["verdict"])
                    else:
                        open_calls.append(QueuedCall(unit.step, call, number, sample, about.lookup_only))
        return open_calls

    def _line(self, result: CallResult) -> Line:
        queued, about = result.queued, self._units[result.queued.step].about
        assert result.verdict is not None
        verdict = replace(result.verdict, judge=self.context.specs[queued.judge], sample=queued.sample)
        # A call that was stopped has no answer: without its digest the line is asked again, and still counts as spent.
        digest = "" if result.error else queued.call.digest
        return verdict_line(queued.step, about.variants, queued.call.key, digest, verdict)

    def _take_result(self, result: CallResult, line: Line | None) -> None:
        """Take the result of a call; ``line`` is that of its verdict, which is in the journal by now."""
        self.errors.add(result.trace, line)
        if result.error is not None:
            self._fail(result.error if isinstance(result.error, Stopped) else Stopped(str(result.error)))
            return
        step = result.queued.step
        unit = self._units[step]
        if line is None:
            unit.unknown += 1
        else:
            key = (line["key"], line["verdict"]["judge"], line["sample"])
            self._lines[step][key] = line
            unit.verdicts[key] = Verdict.from_json(line["verdict"])
            self._verdict_listener.verdict(unit.verdicts[key])
            self._count_verdict(line)
        if unit.complete:
            self._close(unit)

    def _count_verdict(self, line: Line) -> None:
        """Count a verdict; where the first ones of a judge all failed alike, so would the others."""
        first = self._first_verdicts.get(line["verdict"]["judge"])
        alike = None if first is None else first.verdict(line)
        if alike is not None:
            self._fail(alike)

    def _close(self, unit: UnitVerdicts) -> None:
        """Write the score of a unit; where the cache did not know all of it, have the case prepared in full."""
        about = unit.about
        which = (about.case.id, about.repeat)
        del self._units[unit.step]
        self._left[which] -= 1
        if not unit.unknown:
            line = unit.score(self.context.rubric, self.context.specs)
            if self._write(line):
                self._lines.pop(unit.step, None)
                job = self._jobs[which]
                self._jobs[which] = replace(job, done=(*job.done, about.name))
                if len(self._jobs[which].done) >= about.units:
                    self.listener.step(line["status"])
        if not self._left[which]:
            job = self._jobs.pop(which)
            if len(job.done) < about.units and self._failure is None:
                self.to_score.append(replace(job, fresh=True))
