"""Drift of a judge: the same edits judged again later, and the change with its interval."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from editscope.audit.known_edit_set import AuditProblem, KnownEditSet
from editscope.audit.means import Mean, mean_over_problems
from editscope.audit.question_calls import asked_keys
from editscope.documents import read_json
from editscope.errors import BadInput
from editscope.files import DOCUMENT, read_file
from editscope.judges import Verdict
from editscope.runfolder.files import write_whole

SESSIONS = "judged"


@dataclass(frozen=True)
class Session:
    """What one judge said about an anchor set at one time: for each edit, a score for every time it was asked."""

    judge: str
    prompt_hash: str
    snapshots: tuple[str, ...]
    day: str
    audit: str
    scores: Mapping[str, tuple[int | None, ...]]


@dataclass(frozen=True)
class Drift:
    """How the scores of a judge differ from those of the first time, on the same pictures.

    ``change`` is the mean difference of the score of an edit, now minus then. ``changed`` is the share of pairs, one
    asking then and one now, that differ; ``noise`` the same of two askings on one day, which is what a judge
    that has not changed would show (none where it was asked once).
    """

    judge: str
    then: str
    now: str
    snapshots_then: tuple[str, ...]
    snapshots_now: tuple[str, ...]
    exhibits: int
    change: Mean
    changed: Mean
    noise: Mean
    answers: bool = False
    """Whether it is about answers, of which a Yes counts 1 and a No 0, and not about scores."""

    @property
    def drifted(self) -> bool:
        """Whether the change is more than chance: its interval leaves out 0, or more scores differ than noise makes."""
        if self.change.above(0) or self.change.below(0):
            return True
        return self.noise.hi is not None and self.changed.above(self.noise.hi)

    @property
    def sentence(self) -> str:
        """What was found, in a sentence."""
        who = self.judge.partition("?")[0]
        if self.change.value is None:
            return f"{who} gave no {'answers' if self.answers else 'scores'} to compare with those of {self.then}."
        by = f"{self.change.value:+.2f}"
        within = f" ({self.change.lo:+.2f} … {self.change.hi:+.2f})" if self.change.lo is not None else ""
        verdict = "has drifted" if self.drifted else "shows no drift"
        names = "" if self.snapshots_then == self.snapshots_now else "; the server now reports another model"
        scale = "of the share of Yes" if self.answers else "on a scale of 1 to 5"
        return f"{who} {verdict} since {self.then}: mean change {by}{within} {scale}{names}."

    def to_json(self) -> dict[str, Any]:
        """As plain values."""
        return {**asdict(self), "drifted": self.drifted, "sentence": self.sentence}

    @classmethod
    def from_json(cls, said: Mapping[str, Any]) -> Drift:
        """The drift that ``to_json`` wrote."""
        fields = {name: said[name] for name in cls.__dataclass_fields__ if name != "answers"}
        fields["answers"] = bool(said.get("answers", False))
        for name in ("change", "changed", "noise"):
            fields[name] = Mean(**fields[name])
        for name in ("snapshots_then", "snapshots_now"):
            fields[name] = tuple(fields[name])
        return cls(**fields)


def read_drifts(path: Path) -> tuple[Drift, ...]:
    """The drifts that the findings of an audit name; none where there are no findings yet."""
    if not path.is_file():
        return ()
    try:
        return tuple(Drift.from_json(one) for one in read_json(read_file(path, DOCUMENT)).get("drifts", ()))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadInput(f"{path} cannot be read ({error!r}); remove it and run the same command again") from None


def keep_session(
    anchor: Path,
    audit: str,
    edit_set: KnownEditSet,
    judge: str,
    prompt_hash: str,
    verdicts: Mapping[tuple[str, str, str, int], Verdict],
) -> Session:
    """Write what a judge said into the anchor's folder, under the next number; once for each audit."""
    before = sessions(anchor)
    for session in before:
        if session.audit == audit and session.judge == judge:
            return session
    own = {(case, key, n): verdict for (case, key, spec, n), verdict in verdicts.items() if spec == judge}
    samples = 1 + max((n for _, _, n in own), default=0)
    scores: dict[str, tuple[int | None, ...]] = {}
    for problem in edit_set.problems:
        for name, key, value in _judged(problem):
            given = [own.get((problem.id, key, n)) for n in range(samples)]
            scores[name] = tuple(
                int(one.values[value]) if one is not None and one.status == "ok" else None for one in given
            )
    session = Session(
        judge,
        prompt_hash,
        tuple(sorted({verdict.snapshot for verdict in own.values() if verdict.snapshot})),
        time.strftime("%Y-%m-%d", time.gmtime()),
        audit,
        scores,
    )
    text = json.dumps(asdict(session), ensure_ascii=False, indent=1) + "\n"
    write_whole(anchor / SESSIONS / f"{len(before) + 1:04d}.json", text.encode())
    return session


def next_audit(anchor: Path) -> Path:
    """A folder for the next judging of an anchor set: in it, under its number; one that was not finished goes on."""
    return anchor / "audits" / f"{len(sessions(anchor)) + 1:04d}"


def sessions(anchor: Path) -> list[Session]:
    """All that was said about an anchor set, in the order in which it was."""
    history = []
    for path in sorted((anchor / SESSIONS).glob("[0-9]*.json")):
        try:
            fields = read_json(read_file(path, DOCUMENT))
            fields["scores"] = {name: tuple(given) for name, given in fields["scores"].items()}
            history.append(Session(**{**fields, "snapshots": tuple(fields["snapshots"])}))
        except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
            raise BadInput(f"{path} cannot be read ({error!r}); move it away to continue without it") from None
    return history


def drift(anchor: Path, edit_set: KnownEditSet, now: Session) -> Drift | None:
    """The change of a judge since the first time that it judged this set with the same prompt; None the first time."""
    same = [one for one in sessions(anchor) if one.judge == now.judge and one.prompt_hash == now.prompt_hash]
    if not same or same[0] == now:
        return None
    return compare(same[0], now, edit_set)


def compare(then: Session, now: Session, edit_set: KnownEditSet) -> Drift:
    """Two sessions on the same edits; problems are resampled whole."""
    change: list[tuple[int, float]] = []
    changed: list[tuple[int, float]] = []
    noise: list[tuple[int, float]] = []
    for number, problem in enumerate(edit_set.problems):
        for name, _, _ in _judged(problem):
            old, new = (_given(session, name) for session in (then, now))
            noise += [(number, float(a != b)) for side in (old, new) for a, b in combinations(side, 2)]
            if old and new:
                change.append((number, sum(new) / len(new) - sum(old) / len(old)))
                changed += [(number, float(a != b)) for a in old for b in new]
    count = len(edit_set.problems)
    return Drift(
        judge=now.judge,
        then=then.day,
        now=now.day,
        snapshots_then=then.snapshots,
        snapshots_now=now.snapshots,
        exhibits=len(change),
        change=mean_over_problems(change, count, share=False),
        changed=mean_over_problems(changed, count),
        noise=mean_over_problems(noise, count),
        answers=edit_set.asks,
    )


def _judged(problem: AuditProblem) -> Iterator[tuple[str, str, str]]:
    """What is judged of a problem: its name in a session, the key of its call, and the value of its verdict."""
    if not problem.questions:
        for edit in problem.edits:
            yield f"{problem.id}:{edit.level}", f"score:{edit.level}", "score"
    for key, place, level in asked_keys(problem):
        yield f"{problem.id}:{level}:{place + 1}", key, "answer"


def _given(session: Session, name: str) -> Sequence[int]:
    return [score for score in session.scores.get(name, ()) if score is not None]
