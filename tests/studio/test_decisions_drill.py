"""The drill of review: decisions of several people through kills and cuts, on both databases."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable
from pathlib import Path

import aiohttp
import pytest
from sqlalchemy import select

from drills.counts import times
from drills.tally import Tally
from editscope.review_queue import QueueRecord, write_queue
from editscope.studio.review.decisions import add_reviewer
from editscope.studio.review.tables import DECISIONS
from editscope.studio.settings import DATABASE_VARIABLE, Settings
from editscope.studio.store.engine import Store
from support.studio.faulty_studio import Address, with_faults
from support.studio.postgres import database_of
from support.studio.voting_crowd import posted


async def review(address: Address, links: list[str], records: list[QueueRecord], saved: set[tuple[str, str]]) -> None:
    """Let everybody decide on every record; ``saved`` gets the link and the key of what the studio called saved."""

    async def person(session: aiohttp.ClientSession, secret: str) -> None:
        for record in records:
            key = f"key-{record.id}"
            decision = {"record": record.id, "fingerprint": record.fingerprint, "decision": "accept", "key": key}
            answer, _ = await posted(session, lambda: f"{address()}/rate/review/{secret}/api/decisions", decision)
            assert answer["saved"] == key
            saved.add((secret, key))

    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=30)) as session:
        await asyncio.gather(*(person(session, secret) for secret in links))


@pytest.mark.slow
@pytest.mark.drill
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_no_decision_is_lost_or_doubled_through_kills_and_cuts(kind: str, tmp_path: Path) -> None:
    with database_of(kind) as database:
        drill(kind, tmp_path, database)


def drill(kind: str, folder: Path, database: str) -> None:
    people, size, kills = times(3, 10), times(10, 100), times(1, 4)
    records = [QueueRecord(f"rec-{number}", {}, {"instruction": f"wish {number}"}) for number in range(size)]
    write_queue(folder / "q", records)
    store = Store.opened(Settings(folder, database=database))
    saved: set[tuple[str, str]] = set()
    try:
        with store.writing() as connection:
            reviewers = [add_reviewer(connection, "q", f"person {n}", "reviewer") for n in range(people)]

        def work(address: Address) -> Awaitable[object]:
            return review(address, [one.secret for one in reviewers], records, saved)

        env = {**os.environ, DATABASE_VARIABLE: database}
        faults = asyncio.run(with_faults(folder, env, kills, people * size, work, lambda: len(saved)))
        with store.reading() as connection:
            rows = list(connection.execute(select(DECISIONS.c.reviewer_id, DECISIONS.c.record, DECISIONS.c.key)))
    finally:
        store.close()
    secrets = {one.id: one.secret for one in reviewers}
    kept = {(secrets[row.reviewer_id], row.key) for row in rows}
    tally = Tally(f"decisions, {kind}", runs=1, kills=faults.kills, steps=len(rows))
    tally.add("lost", "the studio said saved, and the decision is not there", len(saved - kept))
    tally.add("doubled", "two decisions of a person on a record", len(rows) - len(kept))
    tally.keep()
    assert not tally.faults, tally.faults
    assert faults.kills == faults.cuts == kills
    assert len(rows) == len(saved) == people * size
