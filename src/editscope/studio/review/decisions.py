"""Decisions of reviewers: saved once, never changed, and what they make of a record."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, func, insert, select
from sqlalchemy.exc import IntegrityError

from editscope.errors import BadInput
from editscope.review_queue import QueueRecord
from editscope.stats.agreement import Agreement, krippendorff_alpha, percent_agreement
from editscope.studio.failures import Conflict, Missing
from editscope.studio.review.queues import OpenQueue
from editscope.studio.review.tables import DECISIONS, REVIEWERS

REVIEWER, ADJUDICATOR = "reviewer", "adjudicator"
ACCEPT, REJECT = "accept", "reject"
PENDING, DISPUTED = "pending", "disputed"
CHUNK = 1_000


@dataclass(frozen=True, slots=True)
class Reviewer:
    """A person with a private link to one queue."""

    id: int
    queue: str
    name: str
    role: str
    secret: str


@dataclass(frozen=True, slots=True)
class Decision:
    """What one person decided on a record: the last that they saved."""

    reviewer: str
    role: str
    decision: str
    reason: str
    note: str
    texts: Mapping[str, str]
    saved_at: float

    def as_json(self) -> dict[str, Any]:
        """The decision for an export."""
        moment = datetime.fromtimestamp(self.saved_at, UTC).isoformat(timespec="milliseconds")
        about = {"reviewer": self.reviewer, "role": self.role, "decision": self.decision, "reason": self.reason}
        return {**about, "note": self.note, "texts": dict(self.texts), "saved_at": moment}


def add_reviewer(connection: Connection, queue: str, name: str, role: str) -> Reviewer:
    """A new reviewer or adjudicator of a queue, with a link of their own."""
    name = " ".join(name.split())
    if not 0 < len(name) <= 80:
        raise BadInput("A reviewer needs a name of at most 80 characters.")
    if role not in (REVIEWER, ADJUDICATOR):
        raise BadInput(f"The role is {REVIEWER} or {ADJUDICATOR}.")
    secret = secrets.token_urlsafe(24)
    values = {"queue": queue, "name": name, "role": role, "secret": secret, "created_at": time.time()}
    try:
        with connection.begin_nested():
            made = connection.execute(insert(REVIEWERS).values(**values)).inserted_primary_key
    except IntegrityError as error:
        raise Conflict(f"This queue has a reviewer called {name} already.") from error
    assert made is not None
    return Reviewer(int(made[0]), queue, name, role, secret)


def reviewers_of(connection: Connection, queue: str) -> list[Reviewer]:
    """The people of a queue, in the order in which they were added."""
    rows = connection.execute(select(REVIEWERS).where(REVIEWERS.c.queue == queue).order_by(REVIEWERS.c.id))
    return [Reviewer(row.id, row.queue, row.name, row.role, row.secret) for row in rows]


def reviewer_by_link(connection: Connection, secret: str) -> Reviewer:
    """Whom a private link belongs to."""
    row = connection.execute(select(REVIEWERS).where(REVIEWERS.c.secret == secret)).first()
    if row is None:
        raise Missing("This link leads nowhere. Ask whoever sent it for a new one.")
    return Reviewer(row.id, row.queue, row.name, row.role, row.secret)


def save(connection: Connection, reviewer: Reviewer, record: QueueRecord, given: Mapping[str, Any]) -> bool:
    """Save a decision, once: False where the same was saved before, as when an answer was lost on its way.

    Only texts that differ from the record's are kept. Conflict where the record changed since the person saw it.
    """
    if given["fingerprint"] != record.fingerprint:
        raise Conflict("This record changed since you opened it. Look at it again.")
    known = select(DECISIONS.c.id).where(DECISIONS.c.reviewer_id == reviewer.id, DECISIONS.c.key == given["key"])
    if connection.execute(known).first():
        return False
    if given["decision"] == REJECT and not given["reason"].strip():
        raise BadInput("Give a reason for rejecting.")
    for name in given["texts"]:
        if name not in record.texts:
            raise BadInput(f"The record has no text called {name!r}.")
    edited = {name: text for name, text in given["texts"].items() if text != record.texts[name]}
    values = {
        "queue": reviewer.queue,
        "record": record.id,
        "fingerprint": record.fingerprint,
        "reviewer_id": reviewer.id,
        "decision": given["decision"],
        "reason": given["reason"] if given["decision"] == REJECT else "",
        "note": given["note"],
        "texts": edited if given["decision"] == ACCEPT else {},
        "key": given["key"],
        "saved_at": time.time(),
    }
    try:
        with connection.begin_nested():
            connection.execute(insert(DECISIONS).values(**values))
    except IntegrityError:  # another tab sent the same meanwhile
        return False
    return True


def decisions_on(
    connection: Connection, queue: OpenQueue, records: Iterable[QueueRecord] | None = None
) -> dict[str, list[Decision]]:
    """The last decision of each person on each record, in the order of saving; those on an earlier state count not."""
    query = (
        select(DECISIONS, REVIEWERS.c.name, REVIEWERS.c.role)
        .join(REVIEWERS, REVIEWERS.c.id == DECISIONS.c.reviewer_id)
        .where(DECISIONS.c.queue == queue.name)
        .order_by(DECISIONS.c.id)
    )
    if records is not None:
        query = query.where(DECISIONS.c.record.in_([record.id for record in records]))
    last: dict[tuple[str, int], Decision] = {}
    for row in connection.execute(query):
        record = queue.by_id.get(row.record)
        if record is None or row.fingerprint != record.fingerprint:
            continue
        last.pop((row.record, row.reviewer_id), None)
        last[row.record, row.reviewer_id] = Decision(
            row.name, row.role, row.decision, row.reason, row.note, row.texts, row.saved_at
        )
    found: dict[str, list[Decision]] = {}
    for (record_id, _), decision in last.items():
        found.setdefault(record_id, []).append(decision)
    return found


def outcome(decisions: Sequence[Decision], reviews: int) -> str:
    """What becomes of a record: accept, reject, pending, or disputed until an adjudicator decides.

    Reviewers agree where all reject, or all accept with the same texts.
    """
    judged = [one for one in decisions if one.role == ADJUDICATOR]
    if judged:
        return judged[-1].decision
    if len(decisions) < reviews:
        return PENDING
    if len({(one.decision, tuple(sorted(one.texts.items()))) for one in decisions}) > 1:
        return DISPUTED
    return decisions[0].decision


def next_number(connection: Connection, queue: OpenQueue, reviewer: Reviewer, after: int) -> int | None:
    """The number of the next record that waits for a person, from ``after`` on and then from the start."""
    order: list[int] = [*range(after + 1, len(queue.records)), *range(min(after + 1, len(queue.records)))]
    for start in range(0, len(order), CHUNK):
        numbers = order[start : start + CHUNK]
        found = decisions_on(connection, queue, [queue.records[number] for number in numbers])
        for number in numbers:
            made = found.get(queue.records[number].id, [])
            if any(one.reviewer == reviewer.name for one in made):
                continue
            state = outcome(made, queue.settings.reviews)
            if state == (DISPUTED if reviewer.role == ADJUDICATOR else PENDING):
                return number
    return None


def done_by(connection: Connection, reviewer: Reviewer) -> int:
    """On how many records a person has decided."""
    distinct = func.count(func.distinct(DECISIONS.c.record))
    return int(connection.execute(select(distinct).where(DECISIONS.c.reviewer_id == reviewer.id)).scalar_one())


def agreement(found: Mapping[str, Sequence[Decision]]) -> tuple[Agreement, Agreement] | None:
    """How far reviewers agree on accept and reject: alpha and percent; None before two decided on one."""
    by_record = [{d.reviewer: d.decision for d in made if d.role == REVIEWER} for made in found.values()]
    names = sorted({name for made in by_record for name in made})
    if len(names) < 2 or all(len(made) < 2 for made in by_record):
        return None
    ratings = [[made.get(name) for made in by_record] for name in names]
    return krippendorff_alpha(ratings), percent_agreement(ratings)


def exported(queue: OpenQueue, found: Mapping[str, Sequence[Decision]]) -> Iterator[dict[str, Any]]:
    """One row for each record: what became of it, its texts as accepted, and every decision with who and when."""
    for record in queue.records:
        made = list(found.get(record.id, ()))
        state = outcome(made, queue.settings.reviews)
        texts = dict(record.texts)
        if state == ACCEPT:
            texts |= next((d for d in reversed(made) if d.role == ADJUDICATOR), made[-1]).texts
        yield {
            "id": record.id,
            "outcome": state,
            "texts": texts,
            "adjudicated": any(one.role == ADJUDICATOR for one in made),
            "decisions": [one.as_json() for one in made],
            "fingerprint": record.fingerprint,
        }
