"""Ledger of votes: each is a row that is added once, and a rater hears "saved" after the commit only."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, select, tuple_
from sqlalchemy.dialects import postgresql, sqlite

from editscope.errors import BadInput, EditscopeError
from editscope.studio.studies.creating import CALIBRATION, QUALIFICATION
from editscope.studio.studies.design import StudyDesign
from editscope.studio.studies.records import Rater, Study, answered_right, rater_from, study_from
from editscope.studio.studies.tables import GIVEN, ITEMS, RATERS, STUDIES, VOTES

SAVED, ALREADY, REFUSED = "saved", "already", "refused"
SIDES = {("left", False): "first", ("right", False): "second", ("left", True): "second", ("right", True): "first"}


@dataclass(frozen=True, slots=True)
class Ballot:
    """A vote as a browser sends it. ``key`` is made by the browser once, so that sending it again changes nothing."""

    item: str
    key: str
    side: str = ""
    scores: Mapping[str, int] = field(default_factory=dict)
    seconds: float = 0.0
    answered_at: float = 0.0
    browser: str = ""


@dataclass(frozen=True, slots=True)
class Submission:
    """The ballots that a browser sends at once, and the secret of its link."""

    secret: str
    ballots: tuple[Ballot, ...]


@dataclass(frozen=True, slots=True)
class Receipt:
    """What became of a ballot: saved, already (another tab was first) or refused; with feedback on known answers."""

    item: str
    key: str
    status: str
    message: str = ""
    feedback: Mapping[str, Any] | None = None


def save_ballots(
    connection: Connection, submissions: Sequence[Submission]
) -> list[tuple[Receipt, ...] | EditscopeError]:
    """Add the votes of many raters with a few statements, whatever their number; work of ``GroupCommit``."""
    raters = _raters(connection, {submission.secret for submission in submissions})
    items = _given_items(connection, submissions, raters)
    rows: dict[tuple[int, int, str], dict[str, Any]] = {}
    refusals: dict[tuple[int, str, str], str] = {}
    for submission in submissions:
        if submission.secret not in raters:
            continue
        rater, study = raters[submission.secret]
        for ballot in submission.ballots:
            item = items.get((rater.id, ballot.item))
            reason = "This item was not given to you." if item is None else _wrong(ballot, study.design)
            if item is None or reason:
                refusals[rater.id, ballot.item, ballot.key] = reason
            else:
                rows[rater.id, item.id, ballot.key] = _row(ballot, item, rater, study)
    if rows:
        build = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
        connection.execute(build(VOTES).on_conflict_do_nothing(), list(rows.values()))
    kept = _kept(connection, {(rater, item) for rater, item, _ in rows})
    answers: list[tuple[Receipt, ...] | EditscopeError] = []
    for submission in submissions:
        if submission.secret not in raters:
            answers.append(BadInput("This link was withdrawn, or belongs to no study; ask who sent it to you."))
            continue
        rater, study = raters[submission.secret]
        answers.append(tuple(_receipt(ballot, rater, study, items, kept, refusals) for ballot in submission.ballots))
    return answers


def _receipt(
    ballot: Ballot,
    rater: Rater,
    study: Study,
    items: Mapping[tuple[int, str], Any],
    kept: Mapping[tuple[int, int], Any],
    refusals: Mapping[tuple[int, str, str], str],
) -> Receipt:
    if reason := refusals.get((rater.id, ballot.item, ballot.key)):
        return Receipt(ballot.item, ballot.key, REFUSED, reason)
    item = items[rater.id, ballot.item]
    row = kept.get((rater.id, item.id))
    if row is None:
        return Receipt(ballot.item, ballot.key, REFUSED, "The key of this vote belongs to another one.")
    status = SAVED if row.key == ballot.key else ALREADY
    return Receipt(ballot.item, ballot.key, status, feedback=_feedback(item, row))


def _raters(connection: Connection, secrets: set[str]) -> dict[str, tuple[Rater, Study]]:
    query = select(RATERS).where(RATERS.c.secret.in_(secrets), RATERS.c.revoked_at.is_(None))
    raters = [rater_from(row) for row in connection.execute(query)]
    ids = {rater.study_id for rater in raters}
    rows = connection.execute(select(STUDIES).where(STUDIES.c.id.in_(ids))) if ids else ()
    studies = {row.id: study_from(row) for row in rows}
    return {rater.secret: (rater, studies[rater.study_id]) for rater in raters}


def _given_items(
    connection: Connection, submissions: Sequence[Submission], raters: Mapping[str, tuple[Rater, Study]]
) -> dict[tuple[int, str], Any]:
    """The items that were given to the raters, by rater and key."""
    wanted = {
        (raters[submission.secret][0].id, ballot.item)
        for submission in submissions
        if submission.secret in raters
        for ballot in submission.ballots
    }
    if not wanted:
        return {}
    query = select(ITEMS.c.id, ITEMS.c.key, ITEMS.c.kind, ITEMS.c.expected)
    found = {row.key: row for row in connection.execute(query.where(ITEMS.c.key.in_({key for _, key in wanted})))}
    pairs = {(rater, found[key].id): key for rater, key in wanted if key in found}
    if not pairs:
        return {}
    # Pairs, not all items of all raters: of a hundred raters on the same items that would be ten thousand rows.
    columns = (GIVEN.c.rater_id, GIVEN.c.item_id)
    given = connection.execute(select(*columns).where(tuple_(*columns).in_(pairs)))
    return {(row.rater_id, key): found[key] for row in given if (key := pairs[row.rater_id, row.item_id])}


def _kept(connection: Connection, wanted: set[tuple[int, int]]) -> dict[tuple[int, int], Any]:
    """The votes that are in the database now for pairs of rater and item."""
    if not wanted:
        return {}
    columns = (VOTES.c.rater_id, VOTES.c.item_id)
    query = select(*columns, VOTES.c.key, VOTES.c.choice, VOTES.c.scores).where(tuple_(*columns).in_(wanted))
    return {(row.rater_id, row.item_id): row for row in connection.execute(query)}


def _row(ballot: Ballot, item: Any, rater: Rater, study: Study) -> dict[str, Any]:
    swapped = study.swapped(rater.id, item.id)
    now = time.time()
    return {
        "study_id": study.id,
        "item_id": item.id,
        "rater_id": rater.id,
        "key": ballot.key,
        "choice": SIDES.get((ballot.side, swapped), ballot.side),
        "swapped": swapped,
        "scores": dict(ballot.scores),
        "seconds": min(max(ballot.seconds, 0.0), 86_400.0),
        # A clock that is wrong by years would spoil every export.
        "answered_at": ballot.answered_at if abs(ballot.answered_at - now) < 30 * 86_400 else now,
        "saved_at": now,
        "browser": ballot.browser,
    }


def _wrong(ballot: Ballot, design: StudyDesign) -> str:
    """What is wrong with the answer of a ballot; "" where nothing is."""
    if not (math.isfinite(ballot.seconds) and math.isfinite(ballot.answered_at)):
        return "The times of this vote are no numbers."
    if design.kind == "pairwise":
        allowed = ("left", "right", "tie") if design.ties else ("left", "right")
        return "" if ballot.side in allowed and not ballot.scores else f"Choose one of {', '.join(allowed)}."
    if ballot.side or ballot.scores.keys() != {scale.name for scale in design.scales}:
        return "Give a score on every scale."
    wrong = [s for s in design.scales if not s.low <= ballot.scores[s.name] <= s.high]
    return f"{wrong[0].label} goes from {wrong[0].low} to {wrong[0].high}." if wrong else ""


def _feedback(item: Any, row: Any) -> dict[str, Any] | None:
    """What a rater learns after an item whose answer is known; nothing about checks, which look like any item."""
    if item.kind == CALIBRATION:
        return {"scores": item.expected.get("scores", {}), "note": item.expected.get("note", "")}
    if item.kind == QUALIFICATION:
        return {"right": answered_right(item.expected, row.choice, row.scores)}
    return None
