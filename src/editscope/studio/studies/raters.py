"""Raters of a study: private links, and what an admin may do with them."""

from __future__ import annotations

import secrets
import time
from collections.abc import Sequence

from sqlalchemy import Connection, func, insert, select, update

from editscope.errors import BadInput
from editscope.studio.failures import Missing
from editscope.studio.studies.records import Rater, Study, raters_of
from editscope.studio.studies.tables import RATERS, STUDIES

MOST_RATERS = 10_000
PATH = "/rate/"


def add_raters(connection: Connection, study: Study, number: int, names: Sequence[str] = ()) -> list[Rater]:
    """Add raters, each with a link of their own, and return the new ones."""
    wanted = len(names) or number
    # Whoever adds raters to this study at the same moment waits here, and gets the numbers after these.
    connection.execute(select(STUDIES.c.id).where(STUDIES.c.id == study.id).with_for_update())
    there = connection.execute(select(func.count()).where(RATERS.c.study_id == study.id)).scalar_one()
    if wanted < 1 or there + wanted > MOST_RATERS:
        raise BadInput(
            f"a study has 1 to {MOST_RATERS:,} raters; {study.name} has {there:,}, and {wanted:,} are asked for"
        )
    last = connection.execute(select(func.max(RATERS.c.number)).where(RATERS.c.study_id == study.id)).scalar() or 0
    rows = [
        {
            "study_id": study.id,
            "number": last + place,
            "name": names[place - 1].strip()[:200] if names else "",
            "secret": secrets.token_urlsafe(24),
            "created_at": time.time(),
        }
        for place in range(1, wanted + 1)
    ]
    connection.execute(insert(RATERS), rows)
    return [rater for rater in raters_of(connection, study.id) if rater.number > last]


def set_revoked(connection: Connection, study: Study, number: int, revoked: bool) -> None:
    """Withdraw the link of a rater, or make it valid again. Votes stay."""
    changed = connection.execute(
        update(RATERS)
        .where(RATERS.c.study_id == study.id, RATERS.c.number == number)
        .values(revoked_at=time.time() if revoked else None)
    )
    if not changed.rowcount:
        raise Missing(f"{study.name} has no rater {number}")


def set_state(connection: Connection, study: Study, open_: bool) -> None:
    """Open or close a study. A closed one gives out no items, and still takes votes on those it gave out."""
    state = "open" if open_ else "closed"
    connection.execute(update(STUDIES).where(STUDIES.c.id == study.id).values(state=state))


def link(address: str, rater: Rater) -> str:
    """The private link of a rater.

    >>> link("http://example.org:8765/", Rater(1, 1, 1, "", "s3cret", None, None))
    'http://example.org:8765/rate/s3cret'
    """
    return f"{address.rstrip('/')}{PATH}{rater.secret}"
