"""Audits of judges: what they say about edits whose quality is known, how reliably, and at what cost."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from editscope.audit.asking import AuditPlan, Key, OnProgress, ask, kept_verdicts, now
from editscope.audit.drift import Drift, drift, keep_session, read_drifts
from editscope.audit.findings import findings
from editscope.audit.judge_findings import JudgeFindings
from editscope.audit.known_edit_set import FILE as EDIT_SET_FILE
from editscope.audit.known_edit_set import KnownEditSet, asks_questions, make_set, read_own, read_set, suite_to_audit
from editscope.audit.question_calls import question_rubric
from editscope.audit.question_findings import question_findings
from editscope.cases import NOTHING
from editscope.errors import BadInput
from editscope.judges import Judge, Verdict
from editscope.judges.panel import agreement, load_panel
from editscope.judges.prompts.packs import load_pack
from editscope.runfolder.files import write_whole
from editscope.runfolder.journal import FILE as JOURNAL
from editscope.runfolder.journal import Journal, read_journal
from editscope.runfolder.shapes import list_of, text
from editscope.runs.budget import read_budget, spent_in
from editscope.runs.judging.judge_queue import JudgeQueue
from editscope.suites import Suite
from editscope.transport.account import FILE as SPENDING
from editscope.transport.account import Account, read_balance

if TYPE_CHECKING:
    from editscope.stats.agreement import Level

FILE = "audit.json"
FINDINGS = "findings.json"
HOME = "audits"


@dataclass(frozen=True)
class Audit:
    """An audit that was done: its folder, what judges were shown, all verdicts, and what they come to."""

    folder: Path
    info: Mapping[str, Any]
    edit_set: KnownEditSet
    verdicts: Mapping[Key, Verdict]
    findings: tuple[JudgeFindings, ...]
    agreement: Mapping[str, Mapping[str, Any]] = field(default_factory=lambda: NOTHING)
    drifts: tuple[Drift, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether every call has a verdict."""
        return all(verdict.status == "ok" for verdict in self.verdicts.values())


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
        known = read_set(where)
        n, questions = len(known.problems), known.asks
    else:
        chosen = suite_to_audit(suite) if isinstance(suite, str) else suite
        n, questions = min(n, len(chosen)), asks_questions(chosen)
    rubric = question_rubric() if questions else None
    pack = load_pack("audit" if rubric is None else rubric.name, prompts)
    name = "anchor" if chosen is None else chosen.name
    marks = [[dict(judge.identity) for judge in panel], name, n, samples, seed, pack.hash, str(where or "")]
    short = sha256(json.dumps(marks, sort_keys=True, default=str).encode()).hexdigest()[:4]
    label = re.sub(r"[^A-Za-z0-9.]+", "-", panel[0].spec.partition("?")[0]).strip("-")[-40:]
    folder = Path(out) if out is not None else Path(HOME) / f"{name}-{label}-{short}"
    started = ("exhibits", JOURNAL, SPENDING)
    if folder.is_dir() and not (folder / FILE).is_file() and any(one.name not in started for one in folder.iterdir()):
        raise BadInput(f"{folder} is neither empty nor an audit; name another folder with --out")
    dollars = read_balance(folder / SPENDING).budget if budget is None else read_budget(budget)
    return AuditPlan(panel, chosen, n, samples, seed, pack, folder, where, pairs, dollars, rubric)


def run_audit(plan: AuditPlan, told: OnProgress | None = None) -> Audit:
    """Do an audit, or the rest of one: what its journal has is not asked again.

    Raises Stopped (BudgetSpent, Ctrl-C) with all that was answered in the journal.
    """
    with Journal(plan.out) as journal:
        try:
            account = _account(plan)
            with JudgeQueue(plan.judges, account) as queue:
                queue.check()
                there = (plan.home / EDIT_SET_FILE).is_file()
                edit_set = _edit_set(plan, told)
                _claim(plan, _info(plan, edit_set))
                if told is not None and (remark := _left_out(plan, edit_set, there)):
                    told(remark, 0, 0)
                ask(plan, edit_set, queue, journal, told)
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
    verdicts = kept_verdicts(folder, info)
    problems = edit_set.problems
    found = question_findings if edit_set.asks else findings
    by_judge = tuple(
        found(spec, problems, {(case, key, n): v for (case, key, of, n), v in verdicts.items() if of == spec})
        for spec in info["judges"]
    )
    agreed = _agreement(verdicts, info["judges"]) if len(info["judges"]) > 1 else NOTHING
    return Audit(folder, info, edit_set, verdicts, by_judge, agreed, read_drifts(folder / FINDINGS))


# --- what is kept ---------------------------------------------------------------------------------


def _edit_set(plan: AuditPlan, told: OnProgress | None) -> KnownEditSet:
    if (plan.home / EDIT_SET_FILE).is_file():
        return read_set(plan.home)
    assert plan.suite is not None
    progress = None if told is None else lambda done, total: told("making edits", done, total)
    return make_set(plan.home, plan.suite, plan.n, seed=plan.seed, on_progress=progress)


def _left_out(plan: AuditPlan, edit_set: KnownEditSet, there: bool) -> str:
    """How many problems are asked about and why not as many as wanted; "" where they are as many."""
    asked = len(edit_set.problems)
    others = plan.n - asked
    if others == 0:
        return ""
    if there:  # made earlier, perhaps for another number of problems
        return f"asking about the {asked:,} problem{'' if asked == 1 else 's'} that {plan.home} has"
    if edit_set.asks:
        why = f"{'has' if others == 1 else 'have'} no question whose answer is known"
    else:
        why = f"change{'s' if others == 1 else ''} nothing"
    return f"asking about {asked:,} of {plan.n:,} problems: the other {'one' if others == 1 else f'{others:,}'} {why}"


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
        "began": now(),
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
    prompt = plan.pack["fidelity" if plan.rubric is None else "question"].hash
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
        ("answers", "ask:", "answer", "nominal"),
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
