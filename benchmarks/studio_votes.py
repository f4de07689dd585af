"""Votes of many raters at once over loopback, on SQLite and PostgreSQL, beside one transaction for each vote.

``PYTHONPATH=tests python benchmarks/studio_votes.py [--raters 100 --votes 100]``
"""

from __future__ import annotations

import argparse
import asyncio
import os
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from sqlalchemy import func, insert, select

from editscope.studio.settings import DATABASE_VARIABLE, Settings
from editscope.studio.store.engine import Store
from editscope.studio.studies.exporting import csv_lines, export_rows
from editscope.studio.studies.records import find_study, raters_of
from editscope.studio.studies.tables import ITEMS, VOTES
from support.studio.made_study import made_study
from support.studio.postgres import installed, postgres
from support.studio.studio_server import StudioProcess
from support.studio.voting_crowd import Crowd, vote

ALONE = """
from editscope.cli import main
from editscope.studio.store.group_commit import GroupCommit
from editscope.studio.studies import rater_pages

rater_pages.writer = lambda studio: GroupCommit(studio.store, most=1)
main()
"""
"""The studio with a transaction for each vote: the baseline."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--raters", type=int, default=100)
    parser.add_argument("--votes", type=int, default=100)
    parser.add_argument("--export", type=int, default=100_000, help="votes to export; 0: leave it out")
    parser.add_argument("--only", choices=["sqlite", "postgresql"])
    given = parser.parse_args()
    print(f"{given.raters} raters, {given.votes} votes each")
    headings = ("votes/s", "p50 ms", "p95 ms", "p99 ms", "again", "in db")
    print(f"{'database':<12}{'commit':<12}{'pause':>6}" + "".join(f"{heading:>9}" for heading in headings))
    if given.only != "postgresql":
        measured("sqlite", "", given.raters, given.votes)
    if given.only != "sqlite" and installed():
        with postgres() as server:
            for pause, alone in ((0.5, False), (0.0, False), (0.0, True)):
                once("postgresql", server.database(), given.raters, given.votes, pause, alone)
    if given.export:
        exported(given.export)


def measured(kind: str, database: str, raters: int, votes: int) -> None:
    for pause, alone in ((0.5, False), (0.0, False), (0.0, True)):
        once(kind, database, raters, votes, pause, alone)


def once(kind: str, database: str, raters: int, votes: int, pause: float, alone: bool) -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        store = Store.opened(Settings(folder, database=database))
        _, people = made_study(store, folder, cases=votes, raters=raters, votes=raters)
        env = {**os.environ, DATABASE_VARIABLE: database}
        studio = StudioProcess(folder, env=env, program=("-c", ALONE) if alone else ("-m", "editscope"))
        try:
            started = time.perf_counter()
            secrets = [rater.secret for rater in people]
            crowd: Crowd = asyncio.run(vote(lambda: studio.address, secrets, votes, pause=pause))
            took = time.perf_counter() - started
        finally:
            studio.kill()
        with store.reading() as connection:
            there = int(connection.execute(select(func.count()).select_from(VOTES)).scalar_one())
        store.close()
    p50, p95, p99 = (1000 * quantile(crowd.first, q) for q in (0.5, 0.95, 0.99))
    commit = "one by one" if alone else "in groups"
    figures = (len(crowd.saved) / took, p50, p95, p99, len(crowd.again), there)
    print(f"{kind:<12}{commit:<12}{pause:>6}" + "".join(f"{figure:>9.0f}" for figure in figures), flush=True)


def quantile(values: Sequence[float], q: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(q * len(ordered)))] if ordered else float("nan")


def exported(votes: int) -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        store = Store.opened(Settings(folder))
        raters = 100
        made_study(store, folder, cases=-(-votes // raters // 3) + 1, raters=raters, votes=raters)
        with store.writing() as connection:
            study = find_study(connection, "people")
            people = raters_of(connection, study.id)
            items = list(connection.execute(select(ITEMS.c.id)).scalars())
            pairs = [(rater.id, item) for item in items for rater in people][:votes]
            shared = {"study_id": study.id, "choice": "first", "swapped": False, "scores": {}, "seconds": 1.0}
            more = {"answered_at": time.time(), "saved_at": time.time(), "browser": "b"}
            rows = [{**shared, **more, "rater_id": r, "item_id": i, "key": f"{r}-{i}"} for r, i in pairs]
            connection.execute(insert(VOTES), rows)
        started, size = time.perf_counter(), 0
        cpu = time.process_time()
        with store.reading() as connection:
            for part in csv_lines(study, export_rows(connection, study)):
                size += len(part)
        took, cpu = time.perf_counter() - started, time.process_time() - cpu
        print(f"export of {votes:,} votes as CSV: {took:.2f} s ({cpu:.2f} s CPU, {size / 1e6:.0f} MB)")
        store.close()


if __name__ == "__main__":
    main()
