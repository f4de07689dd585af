"""The drill of votes: a studio that is killed and a line that is cut in the middle, and what was lost or doubled."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest
from sqlalchemy import select

from drills.counts import times
from drills.tally import Tally
from editscope.studio.settings import DATABASE_VARIABLE, Settings
from editscope.studio.store.engine import Store
from editscope.studio.studies.tables import VOTES
from support.studio.cut_line import CutLine
from support.studio.made_study import made_study
from support.studio.postgres import installed, postgres
from support.studio.studio_server import StudioProcess
from support.studio.voting_crowd import Crowd, vote


async def crowd_with_faults(folder: Path, secrets: list[str], votes: int, kills: int, env: dict[str, str]) -> Crowd:
    """Votes of a crowd, while the studio is killed and the line is cut, in turn."""
    studio = StudioProcess(folder, env=env)
    line = CutLine(studio.port)
    await line.start()
    try:
        crowd = asyncio.ensure_future(vote(lambda: f"http://127.0.0.1:{line.port}", secrets, votes, pause=0.02))
        for turn in range(2 * kills):
            await asyncio.wait([crowd], timeout=0.4)
            if crowd.done():
                break
            if turn % 2:
                line.cut()
                continue
            studio.kill()
            studio = await asyncio.to_thread(StudioProcess, folder, line.target, env)
        return await crowd
    finally:
        await line.close()
        studio.kill()


@pytest.mark.slow
@pytest.mark.drill
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_no_vote_is_lost_or_doubled_through_kills_and_cuts(kind: str, tmp_path: Path) -> None:
    if kind == "sqlite":
        drill(kind, tmp_path, "")
    elif installed():
        with postgres() as server:
            drill(kind, tmp_path, server.database())
    else:
        pytest.skip("needs Debian's postgresql package")


def drill(kind: str, folder: Path, database: str) -> None:
    raters, votes, kills = times(6, 100), times(10, 100), times(1, 6)
    settings = Settings(folder, database=database)
    store = Store.opened(settings)
    try:
        _, people = made_study(store, folder, cases=votes, raters=raters, votes=raters)
        env = {**os.environ, DATABASE_VARIABLE: database}
        secrets = [rater.secret for rater in people]
        crowd = asyncio.run(crowd_with_faults(folder, secrets, votes, kills, env))
        with store.reading() as connection:
            rows = list(connection.execute(select(VOTES.c.key, VOTES.c.item_id, VOTES.c.rater_id)))
    finally:
        store.close()
    tally = Tally(f"votes, {kind}", runs=1, kills=kills, steps=len(rows))
    told = set(crowd.saved.values())
    tally.add("lost", "the studio said saved, and the vote is not there", len(told - {row.key for row in rows}))
    pairs = [(row.item_id, row.rater_id) for row in rows]
    tally.add("doubled", "two votes of a rater on an item", len(pairs) - len(set(pairs)))
    tally.keep()
    assert not tally.faults, tally.faults
    assert len(rows) == len(told) == raters * votes
