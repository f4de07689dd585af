"""Audits of judges: what they say about edits whose quality is known, how reliably, and at what cost."""

from __future__ import annotations

import json
import re
import select
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from editscope.audit.drift import Drift, drift, keep_session, read_drifts
from editscope.audit.findings import Findings, findings, pairs_of
from editscope.audit.known_edit_set import FILE as EDIT_SET_FILE
from editscope.audit.known_edit_set import AuditProblem, KnownEditSet, make_set, read_own, read_set
from editscope.cases import NOTHING
from editscope.errors import BadInput, EditscopeError, Stopped
from editscope.judges import Call, Judge, Verdict
from editscope.judges.panel import agreement, load_panel
from editscope.judges.prompts.packs import PromptPack, load_pack
from editscope.runfolder.files import write_whole
from editscope.runfolder.journal import FILE as JOURNAL
from editscope.runfolder.journal import Journal, read_journal
from editscope.runfolder.shapes import list_of, text
from editscope.runs.budget import read_budget, spent_in
from editscope.runs.engine.interrupts import Interrupts
from editscope.runs.judging.judge_queue import CallResult, JudgeQueue, QueuedCall
from editscope.suites import Suite, load_suite
from editscope.transport.account import FILE as SPENDING
from editscope.transport.account import Account, read_balance

if TYPE_CHECKING:
    from editscope.stats.agreement import Level

FILE = "audit.json"
FINDINGS = "findings.json"
HOME = "audits"
TICK_S = 0.25

OnProgress = Callable[[str, int, int], None]
"""Called with what is being done ("making edits", "asking"), how many are done, and how many there are."""

Key = tuple[str, str, str, int]
"""A verdict of an audit: problem, key of the call, spec of the judge, sample."""


@dataclass(frozen=True)
class Audit:
    """An audit that was done: its folder, what judges were shown, all verdicts, and what they come to."""

    folder: Path
    info: Mapping[str, Any]
    edit_set: KnownEditSet
    verdicts: Mapping[Key, Verdict]
    findings: tuple[Findings, ...]
    agreement: Mapping[str, Mapping[str, Any]] = field(default_factory=lambda: NOTHING)
    drifts: tuple[Drift, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether every call has a verdict."""
        return all(verdict.status == "ok" for verdict in self.verdicts.values())


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

    @property
    def home(self) -> Path:
        """Where the edits are: in the anchor where there is one, else in the audit's own folder."""
        return self.out / "exhibits" if self.anchor is None else self.anchor

    @property
    def calls(self) -> int:
        """About how many calls each judge gets."""
        return self.n * (5 * self.samples + 4 * self.pairs)


def plan_audit(
    judges: Sequence[str | Judge],
    *,
    suite: str | Suite = "paintbench",
    n: int = 40,
    samples: int = 2,
    seed: int = 0,
    out: str | Path | None = None,
    anchor: str | Path | None = None,
    prompts: str | Path | None = None,
    pairs: bool = True,
    budget: float | None = None,
    **options: Any,
) -> AuditPlan:
    """Check what can be checked. ``options`` are those of ``load_judge``, for judges that are given as specs.

    ``budget`` is in dollars, for all judges together; an audit that is gone on with keeps the one it had.

    An ``anchor`` folder that has a set of known edits decides what is shown, and judges are asked afresh, without the
    cache; one that is new gets the set and the verdicts of this audit.
    """
    if n < 1 or samples < 1:
        raise BadInput(f"--n is {n} and --samples is {samples}; use 1 or more")
    where = None if anchor is None else Path(anchor)
    there = where is not None and (where / EDIT_SET_FILE).is_file()
    if where is not None and not there and where.is_dir() and any(where.iterdir()):
        raise BadInput(f"{where} is neither empty nor an anchor set; use a new folder or one that has {EDIT_SET_FILE}")
    if there:
        options["cache"] = None
    specs = [one for one in judges if isinstance(one, str)]
    loaded = iter(load_panel(specs, **options) if specs else ())
    panel = tuple(next(loaded) if isinstance(one, str) else one for one in judges)
    if not panel:
        raise BadInput("an audit needs a judge, such as --judge openai:gpt-4o")
    chosen: Suite | None = None
    if there and where is not None:
        n = len(read_set(where).problems)
    else:
        chosen = load_suite(suite) if isinstance(suite, str) else suite
        n = min(n, len(chosen))
    pack = load_pack("audit", prompts)
    name = "anchor" if chosen is None else chosen.name
    marks = [[dict(judge.identity) for judge in panel], name, n, samples, seed, pack.hash, str(where or "")]
    short = sha256(json.dumps(marks, sort_keys=True, default=str).encode()).hexdigest()[:4]
    label = re.sub(r"[^A-Za-z0-9.]+", "-", panel[0].spec.partition("?")[0]).strip("-")[-40:]
    folder = Path(out) if out is not None else Path(HOME) / f"{name}-{label}-{short}"
    started = ("exhibits", JOURNAL, SPENDING)
    if folder.is_dir() and not (folder / FILE).is_file() and any(one.name not in started for one in folder.iterdir()):
        raise BadInput(f"{folder} is neither empty nor an audit; name another folder with --out")
    dollars = read_balance(folder / SPENDING).budget if budget is None else read_budget(budget)
    return AuditPlan(panel, chosen, n, samples, seed, pack, folder, where, pairs, dollars)


def run_audit(plan: AuditPlan, told: OnProgress | None = None) -> Audit:
    """Do an audit, or the rest of one: what its journal has is not asked again.

    Raises Stopped (BudgetSpent, Ctrl-C) with all that was answered in the journal.
    """
    with Journal(plan.out) as journal:
        try:
            account = _account(plan)
            with JudgeQueue(plan.judges, account) as queue:
                queue.check()
                edit_set = _edit_set(plan, told)
                _claim(plan, _info(plan, edit_set))
                _ask(plan, edit_set, queue, journal, told)
        except BaseException:
            if not (plan.out / FILE).is_file():
                journal.take_back(SPENDING)
            raise
        audit = open_audit(plan.out)
        if plan.anchor is not None:
            audit = _anchored(plan, audit)
        write_whole(plan.out / FINDINGS, (json.dumps(_said(audit), ensure_ascii=False, indent=1) + "\n").encode())
    return audit


def _account(plan: AuditPlan) -> Account | None:
    """The account of an audit with a budget, given to its judges."""
    account = None if plan.budget is None else Account((plan.out / SPENDING).absolute(), plan.budget)
    if account is not None:
        account.begin(spent_in(read_journal(plan.out)))
    for judge in plan.judges:
        judge.use_account(account)
    return account


def open_audit(folder: str | Path) -> Audit:
    """The audit in a folder, as far as it has come."""
    folder = Path(folder)
    try:
        info = read_own(folder / FILE)
        edit_set = read_set(folder / info["exhibits"])
        if list_of(text)(info["judges"]) is not None:
            raise TypeError("judges")
    except (ValueError, KeyError, TypeError):
        raise BadInput(f"{folder / FILE} cannot be read; Editscope did not write it") from None
    verdicts = _kept(folder, info)
    problems = edit_set.problems
    by_judge = tuple(
        findings(spec, problems, {(case, key, n): v for (case, key, of, n), v in verdicts.items() if of == spec})
        for spec in info["judges"]
    )
    agreed = _agreement(verdicts, info["judges"]) if len(info["judges"]) > 1 else NOTHING
    return Audit(folder, info, edit_set, verdicts, by_judge, agreed, read_drifts(folder / FINDINGS))


# --- asking --------------------------------------------------------------------------------------


def problem_calls(
    edit_set: KnownEditSet, problem: AuditProblem, number: int, plan: AuditPlan
) -> Iterator[tuple[Call, int]]:
    """The calls about one problem, and how often each is made."""
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


def _ask(plan: AuditPlan, edit_set: KnownEditSet, queue: JudgeQueue, journal: Journal, told: OnProgress | None) -> None:
    answered = {(*key, line["digest"]) for key, line in last_lines(plan.out).items()}
    most = 2 * sum(judge.concurrency for judge in plan.judges) + 8
    total = sum(
        (len(one.edits) * plan.samples + 2 * len(pairs_of(one, number)) * plan.pairs) * len(plan.judges)
        for number, one in enumerate(edit_set.problems)
    )
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
            "at": _now(),
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


def _kept(folder: Path, info: Mapping[str, Any]) -> dict[Key, Verdict]:
    order = {spec: place for place, spec in enumerate(info["judges"])}
    lines = [(key, line) for key, line in last_lines(folder).items() if key[2] in order]
    lines.sort(key=lambda item: (item[0][0], item[0][1], order[item[0][2]], item[0][3]))
    return {key: Verdict.from_json(line["verdict"]) for key, line in lines}


# --- what is kept ---------------------------------------------------------------------------------


def _edit_set(plan: AuditPlan, told: OnProgress | None) -> KnownEditSet:
    if (plan.home / EDIT_SET_FILE).is_file():
        return read_set(plan.home)
    assert plan.suite is not None
    progress = None if told is None else lambda done, total: told("making edits", done, total)
    return make_set(plan.home, plan.suite, plan.n, seed=plan.seed, on_progress=progress)


def _info(plan: AuditPlan, edit_set: KnownEditSet) -> dict[str, Any]:
    from editscope.version import __version__

    home = "exhibits" if plan.anchor is None else str(plan.anchor.resolve())
    return {
        "editscope": __version__,
        "judges": [judge.spec for judge in plan.judges],
        "suite": edit_set.suite,
        "problems": len(edit_set.problems),
        "samples": plan.samples,
        "pairs": plan.pairs,
        "exhibits": home,
        "exhibits_digest": edit_set.digest,
        "prompts": {"hash": plan.pack.hash, "version": plan.pack.version},
        "began": _now(),
    }


def _claim(plan: AuditPlan, info: dict[str, Any]) -> None:
    """Write audit.json, or find that the folder has the same audit begun; another one is an error."""
    path = plan.out / FILE
    if not path.is_file():
        write_whole(path, (json.dumps(info, ensure_ascii=False, indent=1) + "\n").encode())
        return
    before = read_own(path)
    for name in ("judges", "samples", "pairs", "exhibits_digest", "prompts"):
        if before.get(name) != info[name]:
            raise BadInput(
                f"{plan.out} holds an audit with other {name.replace('_', ' ')} ({before.get(name)}); "
                "name another folder with --out"
            )


def _anchored(plan: AuditPlan, audit: Audit) -> Audit:
    """Keep this session in the anchor, unless it is there, and compare it with the first one of each judge."""
    assert plan.anchor is not None
    drifts = []
    mark = f"{audit.info['began']} {audit.folder.name}"
    prompt = plan.pack["fidelity"].hash
    for judge in plan.judges:
        session = keep_session(plan.anchor, mark, audit.edit_set, judge.spec, prompt, audit.verdicts)
        if (change := drift(plan.anchor, audit.edit_set, session)) is not None:
            drifts.append(change)
    return Audit(**{**audit.__dict__, "drifts": tuple(drifts)})


def _agreement(verdicts: Mapping[Key, Verdict], specs: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Krippendorff's alpha of the judges: on scores and on choices between two."""
    alphas: dict[str, dict[str, Any]] = {}
    questions: tuple[tuple[str, str, str, Level], ...] = (
        ("scores", "score:", "score", "interval"),
        ("pairs", "pair:", "better", "nominal"),
    )
    for name, start, value, level in questions:
        items: dict[tuple[str, str], list[Verdict]] = {}
        for (case, key, spec, _), verdict in verdicts.items():
            if key.startswith(start):
                items.setdefault((case, key), []).append(replace(verdict, judge=spec))
        alpha = agreement(items, value, specs, level)
        if alpha is not None:
            alphas[name] = asdict(alpha)
    return alphas


def _said(audit: Audit) -> dict[str, Any]:
    return {
        "judges": [one.to_json() for one in audit.findings],
        "agreement": dict(audit.agreement),
        "drifts": [one.to_json() for one in audit.drifts],
    }


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
