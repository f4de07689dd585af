"""The drill of votes: a studio that is killed and a line that is cut in the middle, and what was lost or doubled."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable
from pathlib import Path

import pytest
from sqlalchemy import select

from drills.counts import times
from drills.tally import Tally
from editscope.studio.settings import DATABASE_VARIABLE, Settings
from editscope.studio.store.engine import Store
from editscope.studio.studies.tables import VOTES
from support.studio.faulty_studio import Address, with_faults
from support.studio.made_study import made_study
from support.studio.postgres import database_of
from support.studio.voting_crowd import Crowd, vote


@pytest.mark.slow
@pytest.mark.drill
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_no_vote_is_lost_or_doubled_through_kills_and_cuts(kind: str, tmp_path: Path) -> None:
    with database_of(kind) as database:
        drill(kind, tmp_path, database)


def drill(kind: str, folder: Path, database: str) -> None:
    raters, votes, kills = times(6, 100), times(10, 100), times(1, 6)
    settings = Settings(folder, database=database)
    store = Store.opened(settings)
    try:
        _, people = made_study(store, folder, cases=votes, raters=raters, votes=raters)
        env = {**os.environ, DATABASE_VARIABLE: database}
        secrets = [rater.secret for rater in people]
        crowd = Crowd()

        def work(address: Address) -> Awaitable[object]:
            return vote(address, secrets, votes, pause=0.02, crowd=crowd)

        faults = asyncio.run(with_faults(folder, env, kills, raters * votes, work, lambda: len(crowd.saved)))
        with store.reading() as connection:
            rows = list(connection.execute(select(VOTES.c.key, VOTES.c.item_id, VOTES.c.rater_id)))
    finally:
        store.close()
    tally = Tally(f"votes, {kind}", runs=1, kills=faults.kills, steps=len(rows))
    told = set(crowd.saved.values())
    tally.add("lost", "the studio said saved, and the vote is not there", len(told - {row.key for row in rows}))
    pairs = [(row.item_id, row.rater_id) for row in rows]
    tally.add("doubled", "two votes of a rater on an item", len(pairs) - len(set(pairs)))
    tally.keep()
    assert not tally.faults, tally.faults
    assert faults.kills == faults.cuts == kills and faults.connections
    assert len(rows) == len(told) == raters * votes
    print(f"{kind}: {len(rows):,} votes of {raters} raters, {len(crowd.again):,} sent more than once; {faults}")
