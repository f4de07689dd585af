"""A watch over a folder of checkpoints: each new one is evaluated on the same cases, and a falling score is shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from multiprocessing.connection import wait
from pathlib import Path
from typing import TYPE_CHECKING, Any

from editscope.editors.base import EditLimits
from editscope.editors.registry import check_spec
from editscope.editors.spec import parse_spec
from editscope.errors import BadInput, EditscopeError, NotAgreed, Stopped, unknown
from editscope.results.comparison import compare
from editscope.results.run import Run, open_run
from editscope.runfolder.lock import Lock
from editscope.runfolder.run_json import FILE, aggregation_from, read_info
from editscope.runs.budget import spent_in_folder
from editscope.runs.engine.interrupts import Interrupts
from editscope.runs.judging.settings import Judging
from editscope.runs.plan import Plan, make_plan
from editscope.runs.start import execute
from editscope.suites import Suite, Where
from editscope.trackers.targets import read_targets
from editscope.transport.account import OPTION, in_dollars
from editscope.watch.checkpoints import PATTERNS, Checkpoint, Settling, find_checkpoints, spec_for
from editscope.watch.history import CheckpointResult, History, ScoreDifference, read_history, write_history
from editscope.watch.logged_checkpoints import CheckpointLog

if TYPE_CHECKING:
    from rich.console import Console

    from editscope.stats.paired import Paired

ATTEMPTS = 2
"""How often a checkpoint that cannot be evaluated is tried: once, and once more after the others."""
FIRST, BEST = "first", "best"
LOCK = ".watch.lock"
CHECKPOINT = "checkpoint"
"""Where run.json keeps what the checkpoint looked like."""
REQUESTED = "stopped on request"
"""How the engine begins what it says when the user stopped it: then the watch ends too."""


@dataclass(frozen=True, eq=False)
class Watch:
    """What is watched, on what, against what.

    ``baseline`` is "first", "best" or a run folder; ``confidence`` is that of all intervals of a watch. ``judging`` is
    made anew for each run, since a judge is closed with it.
    """

    folder: Path
    out: Path
    editor: str
    suite: Suite
    where: Where | None = None
    limit: int | None = None
    patterns: Sequence[str] = PATTERNS
    settle_s: float = 30.0
    baseline: str = BEST
    metric: str | None = None
    confidence: float = 0.95
    seed: int = 0
    repeats: int = 1
    timeout: float | None = None
    jobs: int | None = None
    engine: str = "local"
    ray_address: str | None = None
    edit_limits: EditLimits | None = None
    judging: Callable[[], Judging | None] = lambda: None
    keep_going: bool = False
    budget: float | None = None
    """Dollars for all checkpoints together."""
    before: Callable[[Plan], None] = lambda plan: None
    """Called with the plan of each checkpoint before anything is spent on it."""
    log: Sequence[str] = ()
    """Trackers that get each result, such as "tensorboard:logs"."""

    def about(self) -> dict[str, Any]:
        """What decides the scores of a watch; one that is gone on with has the same."""
        where = None if self.where is None else {tag: list(values) for tag, values in self.where.items()}
        return {
            "folder": str(self.folder.absolute()),
            "editor": self.editor,
            "suite": self.suite.name,
            "fingerprint": self.suite.fingerprint,
            "where": where,
            "limit": self.limit,
            "seed": self.seed,
            "repeats": self.repeats,
        }

    def how(self) -> dict[str, Any]:
        """What decides how scores are compared; it may change, and the runs are compared anew."""
        return {"baseline": self.baseline, "metric": self.metric, "confidence": self.confidence}


@dataclass
class CheckpointWatcher:
    """A watch that is going on. ``say`` gets sentences; ``console`` shows how runs go."""

    watch: Watch
    say: Callable[[str], None]
    console: Console | None = None
    history: History = field(init=False)
    _settling: Settling = field(init=False)
    _log: CheckpointLog = field(init=False)
    _said: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        check(self.watch)
        self._log = CheckpointLog(self.watch.out, read_targets(self.watch.log), self.say)
        self._settling = Settling(self.watch.settle_s)
        self.history = self._opened()

    def run(self, every_s: float, *, once: bool = False) -> Iterator[CheckpointResult]:
        """Evaluate what is there and what comes, one result after another; ends with Ctrl-C, or at once with ``once``.

        A Ctrl-C while nothing is done ends it; one in the middle of a run raises Stopped, and the same watch goes on
        with that run later.
        """
        busy = f"{self.watch.out} is used by another watch; wait for it or stop it first"
        lock = Lock(self.watch.out / LOCK, busy, make_folder=True)
        try:
            self.history = self._opened()
            if self.history.results:
                write_history(self.watch.out, self.history)
                self._log.add(self.history)
            yield from self._rounds(every_s, once)
        finally:
            lock.remove()

    def _rounds(self, every_s: float, once: bool) -> Iterator[CheckpointResult]:
        while True:
            tried: set[str] = set()
            while (one := self._next(tried)) is not None:
                tried.add(one.name)
                yield self._result(one)
            if once:
                if self._again(tried):
                    continue
                return
            with Interrupts() as interrupts:
                self._once(f"waiting for checkpoints in {self.watch.folder}; Ctrl-C ends it")
                wait([interrupts.fd], timeout=every_s)
                if interrupts.count:
                    return

    def _again(self, tried: set[str]) -> bool:
        """Whether something that failed in this round is to be tried once more, now that the others are done."""
        return any(
            result.name in tried and result.status == "failed" and result.attempts < ATTEMPTS for result in self.history
        )

    # --- what is next -----------------------------------------------------------------------------

    def _next(self, tried: set[str]) -> Checkpoint | None:
        """The first complete checkpoint that has not been evaluated, nor tried in this round."""
        there = find_checkpoints(self.watch.folder, self.watch.patterns)
        self._say_gone({one.name for one in there})
        for one in there:
            known = self.history.get(one.name)
            if known is not None and known.status == "done":
                if known.seen and known.seen != one.seen:
                    self._once(f"{one.name} has changed since it was evaluated; its scores are those of before")
            elif one.name in tried or self._tries(one) >= ATTEMPTS:
                continue
            elif self._settling.complete(one):
                return one
            else:
                self._once(f"{one.name} is still being written")
        return None

    def _tries(self, one: Checkpoint) -> int:
        """How often it was tried as it is now: one that was saved again is another."""
        known = self.history.get(one.name)
        return known.attempts if known is not None and known.seen == one.seen else 0

    def _say_gone(self, there: set[str]) -> None:
        for result in list(self.history):
            if result.name not in there and result.status == "failed":
                self._keep(result.over("gone", "it was deleted before it could be evaluated"))
                self._once(f"{result.name} is gone and is skipped")

    def _once(self, text: str) -> None:
        if text not in self._said:
            self._said.add(text)
            self.say(text)

    # --- one checkpoint ---------------------------------------------------------------------------

    def _result(self, one: Checkpoint) -> CheckpointResult:
        attempts = self._tries(one) + 1
        result = CheckpointResult(
            one.name, str(one.path), one.step, one.seen, self._run_folder(one).name, "failed", attempts
        )
        try:
            self._evaluate(one)
            result = self._judged(result.over("done", ""), list(self.history))
        except EditscopeError as error:
            if isinstance(error, Stopped) and REQUESTED in str(error):
                raise Stopped(f"{REQUESTED}; the same command continues with {one.name}") from error
            if OPTION in str(error) or isinstance(error, NotAgreed):
                raise  # money is not the fault of a checkpoint
            if not one.path.exists():
                result = result.over("gone", "it was deleted while it was evaluated")
                self.say(f"{one.name} is gone and is skipped")
            else:
                reason = "; ".join(line.strip() for line in str(error).split("\n"))
                result = result.over("failed", reason)
                later = "; it is tried once more later" if attempts < ATTEMPTS else "; it is not tried again"
                self.say(f"{one.name} could not be evaluated: {reason}{later}")
        self._keep(result)
        self._log.add(self.history)
        return result

    def _evaluate(self, one: Checkpoint) -> Run:
        watch = self.watch
        folder = self._run_folder(one)
        plan = make_plan(
            watch.suite,
            spec_for(watch.editor, one.path),
            out=folder,
            where=watch.where,
            limit=watch.limit,
            seed=watch.seed,
            timeout=watch.timeout,
            judging=watch.judging(),
            repeats=watch.repeats,
            edit_limits=watch.edit_limits,
            budget=self._budget_of(folder),
            also={CHECKPOINT: one.seen},
            cases_like=self._earlier_run(),
        )
        plan = replace(plan, keep_going=watch.keep_going)
        watch.before(plan)
        return execute(plan, jobs=watch.jobs, console=self.console, engine=watch.engine, ray_address=watch.ray_address)

    def _budget_of(self, folder: Path) -> float | None:
        """What the run in a folder may spend in all: the budget of the watch, less what its other runs have spent."""
        if self.watch.budget is None:
            return None
        runs = [path.parent for path in self.watch.out.glob(f"*/{FILE}") if path.parent != folder]
        left = self.watch.budget - sum(map(spent_in_folder, runs))
        if left <= 0:
            raise Stopped(
                f"the budget of {in_dollars(self.watch.budget)} is spent; the same command with a higher "
                f"{OPTION} continues"
            )
        return left

    def _earlier_run(self) -> Path | None:
        """A run of this watch that is there already: every checkpoint is evaluated on the same cases."""
        runs = (self.watch.out / result.run for result in self.history if result.status == "done")
        return next((run for run in runs if (run / FILE).is_file()), None)

    def _run_folder(self, one: Checkpoint) -> Path:
        """Where its run goes; not into one that was begun with other weights, so that no run mixes two."""
        folder = self.watch.out / one.run_name
        return folder if begun_with(folder) in (None, one.seen) else folder.with_name(f"{one.run_name}~{one.seen[:8]}")

    # --- what its score means ---------------------------------------------------------------------

    def _judged(self, result: CheckpointResult, before: Sequence[CheckpointResult]) -> CheckpointResult:
        """A result with its score, and how that differs from the baseline and from the best before it."""
        run = self._opened_run(result)
        earlier = [one for one in before if one.status == "done" and one.score and self._run_is_there(one)]
        metric = self.watch.metric or aggregation_from(run.info).headline
        if metric not in run.metrics:
            raise unknown("metric", metric, run.metrics)
        cell = run.summary["overall"][metric]
        score = {name: cell[name] for name in ("mean", "lo", "hi", "n")}
        best = max(earlier, key=lambda one: one.mean, default=None)
        sure = level_against_best(self.watch.confidence, len(earlier))
        to_best = self._against(best.name, self._opened_run(best), run, metric, sure) if best else None
        if self.watch.baseline == BEST:
            base = to_best
        elif self.watch.baseline == FIRST:
            first = earlier[0] if earlier else None
            base = self._against(first.name, self._opened_run(first), run, metric) if first else None
        else:
            base = self._against(Path(self.watch.baseline).name, open_run(self.watch.baseline), run, metric)
        return result.scored(metric, score, base, to_best)

    def _against(self, name: str, other: Run, run: Run, metric: str, level: float | None = None) -> ScoreDifference:
        level = level or self.watch.confidence
        paired = compare(other, run, metric=metric, level=level).overall
        fallen = has_fallen(paired, level)
        if smallest_p(paired.cases) >= 1 - level:
            self._once(
                f"{paired.cases} cases are too few to show any fall at this confidence, however large (the smallest p "
                f"is {smallest_p(paired.cases):.2g}); raise --limit in another --out"
            )
        return ScoreDifference(name, paired.difference, paired.lo, paired.hi, paired.p, paired.cases, fallen)

    def _run_is_there(self, result: CheckpointResult) -> bool:
        """Whether the run of a result can still be compared with; a deleted one is reported and left out."""
        if (self.watch.out / result.run / FILE).is_file():
            return True
        self._once(f"the run of {result.name} was deleted; nothing is compared with it any more")
        return False

    def _opened_run(self, result: CheckpointResult) -> Run:
        return open_run(self.watch.out / result.run)

    # --- the history ------------------------------------------------------------------------------

    def _opened(self) -> History:
        """What was seen before; compared anew where the comparison is another one."""
        about, how = self.watch.about(), self.watch.how()
        history = read_history(self.watch.out, about)
        if history is None:
            return History(about, how)
        results: list[CheckpointResult] = []
        for result in history.results.values():
            if result.status == "done" and history.how != how:
                there = self._run_is_there(result)
                result = self._judged(result, results) if there else result.unscored("its run was deleted")
            results.append(result)
        return History(about, how, {result.name: result for result in results})

    def _keep(self, result: CheckpointResult) -> None:
        self.history.results[result.name] = result
        write_history(self.watch.out, self.history)


def check(watch: Watch) -> None:
    """Raise BadInput for what is wrong with a watch, before anything is spent."""
    check_spec(parse_spec(spec_for(watch.editor, watch.folder)))
    find_checkpoints(watch.folder, watch.patterns)
    if not 0 < watch.confidence < 1:
        raise BadInput(f"--confidence is {watch.confidence:g}; give a share between 0 and 1, such as 0.95")
    if watch.settle_s < 0:
        raise BadInput(f"--settle is {watch.settle_s:g}; give a number of seconds from 0 on")
    if watch.metric is not None and watch.metric.endswith("_ratio"):
        raise BadInput(f"--metric {watch.metric} is not better when it is higher, so a fall has no meaning")
    if watch.baseline not in (FIRST, BEST):
        open_run(watch.baseline)
    if watch.out.exists() and not watch.out.is_dir():
        raise BadInput(f"--out {watch.out} is a file; a watch needs a folder for its runs")
    watch.suite.select(watch.where, watch.limit)


def begun_with(folder: Path) -> str | None:
    """What the checkpoint of a run looked like when it was begun; None where there is no run, or none of a watch."""
    try:
        return read_info(folder).get(CHECKPOINT)
    except BadInput:  # whoever opens it says what is wrong with it
        return None


def level_against_best(confidence: float, earlier: int) -> float:
    """The level of an interval against the best of some earlier runs: 1 - (1 - confidence) / earlier.

    The best of twenty equal checkpoints is one that had luck, and the next would seem to have fallen. With this level
    (Bonferroni over the runs that the best was chosen from) that happens no more often than against a single run.

    >>> level_against_best(0.95, 1), round(level_against_best(0.95, 10), 4)
    (0.95, 0.995)
    """
    return 1 - (1 - confidence) / earlier if earlier > 1 else confidence


def has_fallen(paired: Paired, confidence: float) -> bool:
    """Whether a run is worse than another beyond chance: its interval lies below 0, and so says the sign-flip test.

    Both are two-sided, so that chance alone makes a fall in (1 - confidence) / 2 of all comparisons. The interval
    resamples within strata and is too narrow where these hold one case; the test is not touched by that, and decides
    alone where there are too few cases to resample. Fewer than five cases raise no alarm.
    """
    below = paired.difference < 0 and (paired.hi is None or paired.hi < 0)
    return not paired.few and below and paired.p < 1 - confidence


def smallest_p(cases: int) -> float:
    """The smallest p-value that a two-sided sign-flip test of so many cases can have: 2 / 2^cases.

    >>> smallest_p(6)
    0.03125
    """
    return 2.0 ** (1 - cases)


def summary_line(history: History) -> str:
    """How a watch stands, in a sentence."""
    done = [result for result in history if result.status == "done"]
    fallen = sum(result.fallen for result in done)
    failed = sum(result.status == "failed" for result in history)
    parts = [f"{len(done)} checkpoint{'' if len(done) == 1 else 's'} evaluated"]
    if done:
        best = max(done, key=lambda result: result.mean)
        parts.append(f"best {best.name} with {best.mean:.1f}")
    parts += [f"{fallen} fallen"] if fallen else []
    parts += [f"{failed} could not be evaluated"] if failed else []
    return ", ".join(parts)
