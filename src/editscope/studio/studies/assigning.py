"""Assignment of items to raters: the fewest votes first, checks in between, known items before everything."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from random import Random
from typing import Any, Literal, TypeAlias

from sqlalchemy import Connection, and_, exists, func, insert, select, update

from editscope.errors import BadInput, EditscopeError
from editscope.studio.studies.creating import CALIBRATION, CHECK, QUALIFICATION, VOTE
from editscope.studio.studies.records import Rater, Study, answered_right, rater_by_link
from editscope.studio.studies.tables import GIVEN, ITEMS, RATERS, VOTES

Step: TypeAlias = Literal["welcome", "qualification", "unqualified", "calibration", "voting", "finished", "closed"]
MOST_AT_ONCE = 40
STALE_S = 2 * 3600.0
"""After this long without a vote, an item that was given out counts as free again."""


@dataclass(frozen=True, slots=True)
class ItemRequest:
    """A browser's wish for items. ``agreed`` notes that the rater agreed to take part."""

    secret: str
    want: int = 5
    agreed: bool = False


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a rater stands: the step, votes that are saved, and how many there will be."""

    step: Step
    done: int
    of: int
    right: int = 0
    known: int = 0


def give_items(connection: Connection, requests: Sequence[ItemRequest]) -> list[dict[str, Any] | EditscopeError]:
    """Items for raters, each with where the rater stands; work of ``GroupCommit``."""
    answers: list[dict[str, Any] | EditscopeError] = []
    for request in requests:
        try:
            rater, study = rater_by_link(connection, request.secret)
        except BadInput as error:
            answers.append(error)
            continue
        if request.agreed and rater.agreed_at is None:
            agreed = update(RATERS).where(RATERS.c.id == rater.id, RATERS.c.agreed_at.is_(None))
            connection.execute(agreed.values(agreed_at=time.time()))
            rater, study = rater_by_link(connection, request.secret)
        answers.append(_given(connection, rater, study, max(0, min(request.want, MOST_AT_ONCE))))
    return answers


def standing(connection: Connection, rater: Rater, study: Study) -> Standing:
    """Where a rater stands."""
    query = (
        select(ITEMS.c.kind, ITEMS.c.expected, VOTES.c.choice, VOTES.c.scores)
        .join(ITEMS, ITEMS.c.id == VOTES.c.item_id)
        .where(VOTES.c.rater_id == rater.id, ITEMS.c.kind.in_((QUALIFICATION, CALIBRATION)))
    )
    known = list(connection.execute(query))
    trials = [row for row in known if row.kind == QUALIFICATION]
    right = sum(bool(answered_right(row.expected, row.choice, row.scores)) for row in trials)
    voted = _count(connection, rater, VOTE)
    of = study.design.per_rater or _fair_share(connection, study)
    counted = (
        select(ITEMS.c.kind, func.count())
        .where(ITEMS.c.study_id == study.id, ITEMS.c.kind.in_((QUALIFICATION, CALIBRATION)))
        .group_by(ITEMS.c.kind)
    )
    sizes = {kind: int(number) for kind, number in connection.execute(counted)}

    def at(step: Step) -> Standing:
        return Standing(step, voted, of, right, len(trials))

    if rater.agreed_at is None:
        return at("closed" if not study.open else "welcome")
    if len(trials) < sizes.get(QUALIFICATION, 0):
        return at("qualification")
    if trials and right < study.design.qualification_share * len(trials) - 1e-9:
        return at("unqualified")
    if len(known) - len(trials) < sizes.get(CALIBRATION, 0):
        return at("calibration")
    if study.design.per_rater is not None and voted >= study.design.per_rater:
        return at("finished")
    return at("voting" if study.open else "closed")


def _given(connection: Connection, rater: Rater, study: Study, want: int) -> dict[str, Any]:
    where = standing(connection, rater, study)
    items: list[Any] = []
    if where.step in ("qualification", "calibration", "voting"):
        kinds = (VOTE, CHECK) if where.step == "voting" else (where.step,)
        items = _waiting(connection, rater, kinds)
        if len(items) < want and study.open:
            _give_more(connection, rater, study, where, want - len(items))
            items = _waiting(connection, rater, kinds)
        if where.step == "voting" and not items:
            where = Standing("finished", where.done, where.done, where.right, where.known)
    shown = [_shown(row, study, rater) for row in items[: max(want, 1)]]
    return {"step": where.step, "done": where.done, "of": max(where.of, where.done), "items": shown}


def _give_more(connection: Connection, rater: Rater, study: Study, where: Standing, want: int) -> None:
    if where.step != "voting":
        _add(connection, rater, _fresh(connection, rater, study, where.step, want), counted=False)
        return
    given = _given_number(connection, rater)
    if study.design.per_rater is not None:
        want = min(want, study.design.per_rater - _given_number(connection, rater, VOTE))
    rows = _fresh(connection, rater, study, VOTE, want) or _abandoned(connection, rater, study, want)
    _add(connection, rater, rows, counted=True)
    every = study.design.check_every
    if every and rows:
        due = (given + len(rows)) // every - given // every
        where_to = Random(f"{study.secret}:{rater.id}:{given}")
        for check in _fresh(connection, rater, study, CHECK, due):
            # A check stands somewhere among the new items, never at a place that can be counted out.
            _add(connection, rater, [check], counted=False, place=given + where_to.randrange(len(rows)))


def _waiting(connection: Connection, rater: Rater, kinds: Sequence[str]) -> list[Any]:
    """Items that a rater was given and has not voted on, in their order."""
    voted = exists().where(VOTES.c.item_id == GIVEN.c.item_id, VOTES.c.rater_id == GIVEN.c.rater_id)
    query = (
        select(ITEMS.c.id, ITEMS.c.key, ITEMS.c.instruction, ITEMS.c.pictures)
        .join(GIVEN, GIVEN.c.item_id == ITEMS.c.id)
        .where(GIVEN.c.rater_id == rater.id, ITEMS.c.kind.in_(kinds), ~voted)
        .order_by(GIVEN.c.place, ITEMS.c.place)
        .limit(MOST_AT_ONCE)
    )
    return list(connection.execute(query))


def _fresh(connection: Connection, rater: Rater, study: Study, kind: str, want: int) -> list[int]:
    """Items that a rater does not have, those that were given out least often first."""
    if want <= 0:
        return []
    mine = exists().where(GIVEN.c.item_id == ITEMS.c.id, GIVEN.c.rater_id == rater.id)
    query = (
        select(ITEMS.c.id)
        .where(ITEMS.c.study_id == study.id, ITEMS.c.kind == kind, ITEMS.c.given < ITEMS.c.wanted, ~mine)
        .order_by(ITEMS.c.given, ITEMS.c.place)
        .limit(want)
    )
    return list(connection.execute(query).scalars())


def _abandoned(connection: Connection, rater: Rater, study: Study, want: int) -> list[int]:
    """Items that were given out often enough, but to raters who left without a vote."""
    if want <= 0:
        return []
    mine = exists().where(GIVEN.c.item_id == ITEMS.c.id, GIVEN.c.rater_id == rater.id)
    votes = select(func.count()).where(VOTES.c.item_id == ITEMS.c.id).scalar_subquery()
    voted = exists().where(VOTES.c.item_id == GIVEN.c.item_id, VOTES.c.rater_id == GIVEN.c.rater_id)
    fresh = and_(GIVEN.c.item_id == ITEMS.c.id, GIVEN.c.given_at > time.time() - STALE_S, ~voted)
    expected = select(func.count()).select_from(GIVEN).where(fresh).scalar_subquery()
    query = (
        select(ITEMS.c.id)
        .where(ITEMS.c.study_id == study.id, ITEMS.c.kind == VOTE, votes + expected < ITEMS.c.wanted, ~mine)
        .order_by(ITEMS.c.place)
        .limit(want)
    )
    return list(connection.execute(query).scalars())


def _add(
    connection: Connection, rater: Rater, items: Sequence[int], *, counted: bool, place: int | None = None
) -> None:
    if not items:
        return
    first = _given_number(connection, rater) if place is None else place
    now = time.time()
    rows: list[Mapping[str, Any]] = [
        {"rater_id": rater.id, "item_id": item, "place": first + i, "given_at": now} for i, item in enumerate(items)
    ]
    connection.execute(insert(GIVEN), rows)
    if counted:
        connection.execute(update(ITEMS).where(ITEMS.c.id.in_(items)).values(given=ITEMS.c.given + 1))


def _given_number(connection: Connection, rater: Rater, kind: str = "") -> int:
    query = select(func.count()).select_from(GIVEN).where(GIVEN.c.rater_id == rater.id)
    if kind:
        query = query.join(ITEMS, ITEMS.c.id == GIVEN.c.item_id).where(ITEMS.c.kind == kind)
    return int(connection.execute(query).scalar_one())


def _count(connection: Connection, rater: Rater, kind: str) -> int:
    query = select(func.count()).select_from(VOTES).join(ITEMS, ITEMS.c.id == VOTES.c.item_id)
    return int(connection.execute(query.where(VOTES.c.rater_id == rater.id, ITEMS.c.kind == kind)).scalar_one())


def _fair_share(connection: Connection, study: Study) -> int:
    """What each rater does where nobody set a number: all votes by all raters."""
    wanted = select(func.coalesce(func.sum(ITEMS.c.wanted), 0)).where(
        ITEMS.c.study_id == study.id, ITEMS.c.kind == VOTE
    )
    items = select(func.count()).select_from(ITEMS).where(ITEMS.c.study_id == study.id, ITEMS.c.kind == VOTE)
    raters = select(func.count()).select_from(RATERS).where(RATERS.c.study_id == study.id)
    total, most, people = (int(connection.execute(query).scalar_one()) for query in (wanted, items, raters))
    return min(most, ceil(total / max(people, 1)))


def _shown(row: Any, study: Study, rater: Rater) -> dict[str, Any]:
    """What a browser learns about an item: its key, the instruction and sizes. No name, and no file of a model."""
    sizes = {name: [picture["width"], picture["height"]] for name, picture in places(row, study, rater).items()}
    return {"key": row.key, "instruction": row.instruction, "pictures": sizes}


def places(row: Any, study: Study, rater: Rater) -> dict[str, Mapping[str, Any]]:
    """The pictures of an item by the place where this rater sees them."""
    pictures = row.pictures
    shown = {f"source{i}": picture for i, picture in enumerate(pictures["sources"])}
    if "second" not in pictures:
        return shown | {"edit": pictures["first"]}
    left, right = ("second", "first") if study.swapped(rater.id, row.id) else ("first", "second")
    return shown | {"left": pictures[left], "right": pictures[right]}
