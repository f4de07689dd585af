"""Retraction of a vote by its rater: the row stays, an exclusion with its reason is added."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, insert, select, update

from editscope.errors import BadInput, EditscopeError
from editscope.studio.failures import Missing
from editscope.studio.studies.creating import VOTE
from editscope.studio.studies.records import rater_by_link
from editscope.studio.studies.tables import EXCLUSIONS, ITEMS, VOTES

BY_RATER = "rater"
REASON = "taken back by the rater"


@dataclass(frozen=True, slots=True)
class Retraction:
    """The wish of a rater to take back the vote on an item."""

    secret: str
    item: str


def retract(connection: Connection, wishes: Sequence[Retraction]) -> list[dict[str, Any] | EditscopeError]:
    """Take votes back; the item goes to somebody else. Work of ``GroupCommit``."""
    answers: list[dict[str, Any] | EditscopeError] = []
    for wish in wishes:
        try:
            answers.append(_retracted(connection, wish))
        except BadInput as error:
            answers.append(error)
    return answers


def _retracted(connection: Connection, wish: Retraction) -> dict[str, Any]:
    rater, study = rater_by_link(connection, wish.secret)
    query = (
        select(VOTES.c.id, VOTES.c.item_id, EXCLUSIONS.c.id.label("excluded"))
        .join(ITEMS, ITEMS.c.id == VOTES.c.item_id)
        .outerjoin(EXCLUSIONS, EXCLUSIONS.c.vote_id == VOTES.c.id)
        .where(VOTES.c.rater_id == rater.id, ITEMS.c.key == wish.item, ITEMS.c.kind == VOTE)
    )
    vote = connection.execute(query).first()
    if vote is None:
        raise Missing("There is no vote of yours on this item.")
    if vote.excluded is None:
        row = {"study_id": study.id, "rater_id": rater.id, "vote_id": vote.id, "reason": REASON}
        connection.execute(insert(EXCLUSIONS).values(row | {"made_by": BY_RATER, "made_at": time.time()}))
        connection.execute(update(ITEMS).where(ITEMS.c.id == vote.item_id).values(given=ITEMS.c.given - 1))
    return {"item": wish.item, "status": "taken back"}
