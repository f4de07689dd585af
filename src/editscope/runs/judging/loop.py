"""The engine of a run with judges: edits and pictures in worker processes, questions asked beside them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, Protocol

from editscope.errors import EditscopeError, Stopped
from editscope.judges import Verdict
from editscope.runfolder.journal import Asked, Journal, Line, Step
from editscope.runs.engine.loop import Crew, Engine, Watcher
from editscope.runs.engine.worker_process import Job
from editscope.runs.judging.judge_queue import Answer, Asking, Question
from editscope.runs.judging.prepare import Prepared
from editscope.runs.judging.unit_verdicts import Hearing, open_hearing, usable, verdict_line
from editscope.scoring.rubrics import Rubric

Missing = Literal["worst", "skip", "fail"]


class JudgedWatcher(Watcher, Protocol):
    """Who is told how a run with judges goes."""

    def asked(self, verdict: Verdict) -> None:
        """One more verdict has come."""


@dataclass(frozen=True)
class Court:
    """What the judging of a run goes by; ``kept`` are the verdicts that its journal has."""

    rubric: Rubric
    asking: Asking
    samples: int
    missing: Missing
    kept: Mapping[Step, Mapping[Asked, Line]]

    @property
    def specs(self) -> tuple[str, ...]:
        """The judges, in order."""
        return tuple(judge.spec for judge in self.asking.judges)

    @property
    def most_open(self) -> int:
        """So many questions may wait that judges never do, and no more, since each holds pictures."""
        return 2 * sum(judge.concurrency for judge in self.asking.judges) + 8


class JudgedEngine(Engine):
    """One run with judges being done. A verdict counts when its line is in the journal, and not before."""

    def __init__(
        self,
        crew: Crew,
        journal: Journal,
        folder: Path,
        timeout_s: float | None,
        watcher: JudgedWatcher,
        court: Court,
    ) -> None:
        super().__init__(crew, journal, folder, timeout_s, watcher)
        self.court = court
        self._told = watcher
        self._lines: dict[Step, dict[Asked, Line]] = defaultdict(dict)
        for step, lines in court.kept.items():
            self._lines[step] = dict(lines)
        self._hearings: dict[Step, Hearing] = {}
        self._jobs: dict[tuple[str, int], Job] = {}
        self._left: Counter[tuple[str, int]] = Counter()
        """Units of a repeat of a case that are still being heard."""

    # --- what the loop of every engine asks -------------------------------------------------------

    def _asked(self) -> int:
        return self.court.asking.open

    def _others(self) -> list[Any]:
        return [self.court.asking.fd]

    def _room(self) -> bool:
        return self.court.asking.open < self.court.most_open

    def _hear_others(self) -> None:
        answers = self.court.asking.take()
        told = [(answer, self._line(answer)) for answer in answers if answer.verdict is not None]
        # One write for all that came together: they count when they are in the journal.
        written = self._write(*(line for _, line in told)) if told else True
        lines = {id(answer): line for answer, line in told}
        for answer in answers:
            if answer.verdict is None or written:
                self._answered(answer, lines.get(id(answer)))

    def _fail(self, failure: EditscopeError) -> None:
        first = self._failure is None
        super()._fail(failure)
        if first:
            self.court.asking.stop()

    # --- asking -----------------------------------------------------------------------------------

    def _prepared(self, job: Job, prepared: Sequence[Prepared]) -> None:
        self._jobs[job.case_id, job.repeat] = replace(job, make=())
        self._left[job.case_id, job.repeat] = len(prepared)
        for about in prepared:
            hearing = open_hearing(about, job.index, self.court.specs, self.court.samples)
            self._hearings[hearing.step] = hearing
            if about.missing is not None and about.applicable and self.court.missing == "fail":
                said = f"case {job.case_id} has no edit ({about.missing}), and --missing is fail"
                self._fail(
                    Stopped(f"{said}; resume with --missing worst or skip, or make the edits again in a new run")
                )
            questions = [] if self._failure else self._questions(hearing)
            if questions:
                self.court.asking.put(questions)
            elif self._failure is None:
                self._close(hearing)

    def _questions(self, hearing: Hearing) -> list[Question]:
        """What is still to be asked: all that has no line in the journal about the same call."""
        about, kept, open_questions = hearing.about, self._lines[hearing.step], []
        for call in about.calls:
            for number, spec in enumerate(self.court.specs):
                for sample in range(self.court.samples):
                    line = kept.get((call.key, spec, sample))
                    if line is not None and usable(line, call.digest):
                        hearing.verdicts[call.key, spec, sample] = Verdict.from_json(line["verdict"])
                    else:
                        open_questions.append(Question(hearing.step, call, number, sample, about.sketched))
        return open_questions

    def _line(self, answer: Answer) -> Line:
        question, about = answer.question, self._hearings[answer.question.step].about
        assert answer.verdict is not None
        verdict = replace(answer.verdict, judge=self.court.specs[question.judge], sample=question.sample)
        # A call that was stopped has no answer: without its digest the line is asked again, and still counts as spent.
        digest = "" if answer.error else question.call.digest
        return verdict_line(question.step, about.variants, question.call.key, digest, verdict)

    def _answered(self, answer: Answer, line: Line | None) -> None:
        """Take an answer; ``line`` is that of its verdict, which is in the journal by now."""
        self._log(answer.trace)
        if answer.error is not None:
            self._fail(answer.error if isinstance(answer.error, Stopped) else Stopped(str(answer.error)))
            return
        step = answer.question.step
        hearing = self._hearings[step]
        if line is None:
            hearing.unknown += 1
        else:
            asked = (line["key"], line["verdict"]["judge"], line["sample"])
            self._lines[step][asked] = line
            hearing.verdicts[asked] = Verdict.from_json(line["verdict"])
            self._told.asked(hearing.verdicts[asked])
        if hearing.over:
            self._close(hearing)

    def _close(self, hearing: Hearing) -> None:
        """Write the score of a unit; where the cache did not know all of it, have the case prepared in full."""
        about = hearing.about
        which = (about.case.id, about.repeat)
        del self._hearings[hearing.step]
        self._left[which] -= 1
        if not hearing.unknown:
            line = hearing.score(self.court.rubric, self.court.specs)
            if self._write(line):
                self._lines.pop(hearing.step, None)
                job = self._jobs[which]
                self._jobs[which] = replace(job, done=(*job.done, about.name))
                if len(self._jobs[which].done) >= about.units:
                    self._told.step(line["status"])
        if not self._left[which]:
            job = self._jobs.pop(which)
            if len(job.done) < about.units and self._failure is None:
                self.to_score.append(replace(job, fresh=True))
