"""Reading of votes and exclusions, as the results use them."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from sqlalchemy import Connection, insert, select, text, update

from editscope.errors import BadInput
from editscope.studio.failures import Missing
from editscope.studio.studies.creating import CHECK, VOTE
from editscope.studio.studies.records import Study, Vote, raters_of
from editscope.studio.studies.tables import EXCLUSIONS, ITEMS, RATERS, VOTES

ADMIN, RULE = "admin", "rule"
LEAST_CHECKS = 3
"""Checks that a rater must have met before a rule leaves them out for failing."""
CHUNK = 5_000


@dataclass(frozen=True, slots=True)
class Exclusion:
    """Votes that do not count, and why: one vote, or with ``vote_id`` None all of a rater's."""

    rater: int
    vote_id: int | None
    reason: str
    made_by: str
    id: int | None = None


def votes_of(connection: Connection, study: Study, kinds: Sequence[str] = (VOTE, CHECK)) -> list[Vote]:
    """All votes of a study, in the order in which they were saved."""
    items = {row.id: row for row in connection.execute(select(ITEMS).where(ITEMS.c.study_id == study.id))}
    numbers = {rater.id: rater.number for rater in raters_of(connection, study.id)}
    found = []
    for row in vote_rows(connection, study):
        item = items[row.item_id]
        if item.kind not in kinds:
            continue
        found.append(
            Vote(
                row.id,
                row.item_id,
                item.case_id,
                item.level,
                item.kind,
                item.first_model,
                item.second_model,
                numbers[row.rater_id],
                row.choice,
                bool(row.swapped),
                json.loads(row.scores) if isinstance(row.scores, str) else row.scores,
                row.seconds,
                row.saved_at,
                row.browser,
                item.tags,
                item.expected,
            )
        )
    return found


def vote_rows(connection: Connection, study: Study) -> Iterator[Any]:
    """The rows of votes in order, some at a time. Plain SQL: 100,000 of them pass here."""
    columns = ", ".join(column.name for column in VOTES.columns)
    query = text(f"SELECT {columns} FROM study_votes WHERE study_id = :study ORDER BY id")  # names are our own
    answer = connection.execution_options(yield_per=CHUNK).execute(query, {"study": study.id})
    yield from answer


def kept_exclusions(connection: Connection, study: Study) -> list[Exclusion]:
    """The exclusions that people made and did not lift."""
    query = (
        select(EXCLUSIONS, RATERS.c.number)
        .join(RATERS, RATERS.c.id == EXCLUSIONS.c.rater_id)
        .where(EXCLUSIONS.c.study_id == study.id, EXCLUSIONS.c.lifted_at.is_(None))
        .order_by(EXCLUSIONS.c.id)
    )
    return [Exclusion(row.number, row.vote_id, row.reason, row.made_by, row.id) for row in connection.execute(query)]


def exclude(connection: Connection, study: Study, rater: int, reason: str) -> None:
    """Leave all votes of a rater out of the results, for a reason. The votes stay."""
    if not reason.strip():
        raise BadInput("an exclusion needs a reason")
    query = select(RATERS.c.id).where(RATERS.c.study_id == study.id, RATERS.c.number == rater)
    rater_id = connection.execute(query).scalar()
    if rater_id is None:
        raise Missing(f"{study.name} has no rater {rater}")
    row = {"study_id": study.id, "rater_id": rater_id, "vote_id": None, "reason": reason.strip()[:2000]}
    connection.execute(insert(EXCLUSIONS).values(row | {"made_by": ADMIN, "made_at": time.time()}))


def lift(connection: Connection, study: Study, exclusion: int) -> None:
    """Count votes again that an exclusion left out. The exclusion stays as a row, with the time."""
    changed = connection.execute(
        update(EXCLUSIONS)
        .where(EXCLUSIONS.c.id == exclusion, EXCLUSIONS.c.study_id == study.id, EXCLUSIONS.c.lifted_at.is_(None))
        .values(lifted_at=time.time())
    )
    if not changed.rowcount:
        raise Missing(f"{study.name} has no such exclusion")


def exclusions_by_rule(study: Study, votes: Sequence[Vote]) -> list[Exclusion]:
    """The raters whom the rules of the design leave out: a pure function of the votes."""
    by_rater: dict[int, list[Vote]] = {}
    for vote in votes:
        by_rater.setdefault(vote.rater, []).append(vote)
    found = []
    for rater, own in sorted(by_rater.items()):
        checks = [vote for vote in own if vote.kind == CHECK]
        right = sum(bool(vote.right) for vote in checks)
        if len(checks) >= LEAST_CHECKS and right < study.design.check_share * len(checks):
            found.append(Exclusion(rater, None, f"{right} of {len(checks)} attention checks right", RULE))
        usual = median(vote.seconds for vote in own)
        if study.design.fastest_s and usual < study.design.fastest_s:
            reason = f"half of the votes took less than {usual:.1f} s; the study asks for {study.design.fastest_s:g} s"
            found.append(Exclusion(rater, None, reason, RULE))
    return found


def counted(votes: Sequence[Vote], exclusions: Sequence[Exclusion]) -> list[Vote]:
    """The votes on items of the study that no exclusion leaves out."""
    raters = {exclusion.rater for exclusion in exclusions if exclusion.vote_id is None}
    single = {exclusion.vote_id for exclusion in exclusions}
    return [vote for vote in votes if vote.kind == VOTE and vote.rater not in raters and vote.id not in single]


def several_browsers(votes: Sequence[Vote]) -> Mapping[int, int]:
    """Raters whose link was used in more than one browser, with the number of browsers."""
    used: dict[int, set[str]] = {}
    for vote in votes:
        used.setdefault(vote.rater, set()).add(vote.browser)
    return {rater: len(browsers) for rater, browsers in sorted(used.items()) if len(browsers) > 1}
