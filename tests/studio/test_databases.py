"""SQLite and PostgreSQL alike: migrations up and down, and votes that are counted once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import func, inspect, select

import editscope.studio.studies.tables
from editscope.studio.parts import PARTS
from editscope.studio.settings import Settings
from editscope.studio.store.engine import METADATA, Store, make_engine
from editscope.studio.store.migrating import downgrade, upgrade
from editscope.studio.studies.ledger import Ballot, Submission, save_ballots
from editscope.studio.studies.overview import study_overview
from editscope.studio.studies.tables import VOTES
from support.studio.made_study import NAMES, made_study
from support.studio.postgres import Postgres, installed, postgres
from support.studio.simulated_raters import by_strength, vote_all

assert editscope.studio.studies.tables


@pytest.fixture(scope="module")
def server() -> Iterator[Postgres]:
    if not installed():
        pytest.skip("needs Debian's postgresql package")
    with postgres() as started:
        yield started


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'test.db'}"
    started: Postgres = request.getfixturevalue("server")
    return started.database()


@pytest.mark.slow
def test_migrations_go_up_to_the_tables_of_the_code_and_down_to_none(database: str) -> None:
    for part in PARTS:  # each adds its tables to the metadata
        assert part.router is not None
    engine = make_engine(database)
    try:
        for _ in range(2):
            upgrade(engine)
            with engine.connect() as connection:
                assert compare_metadata(MigrationContext.configure(connection), METADATA) == []
            downgrade(engine)
            assert set(inspect(engine).get_table_names()) <= {"alembic_version"}
    finally:
        engine.dispose()


@pytest.mark.slow
def test_votes_stay_when_tables_of_other_parts_go_and_come_back(database: str, tmp_path: Path) -> None:
    store = Store.opened(Settings(tmp_path, database=database))
    try:
        study, raters = made_study(store, tmp_path, cases=2, raters=1)
        voted = vote_all(store, study, raters, by_strength(dict.fromkeys(NAMES, 0.0)))
        downgrade(store.engine, "0002")
        left = set(inspect(store.engine).get_table_names())
        assert "study_votes" in left and not any(name.startswith(("annotation", "review")) for name in left)
        upgrade(store.engine)
        with store.reading() as connection:
            assert connection.execute(select(func.count()).select_from(VOTES)).scalar_one() == voted == 6
            assert compare_metadata(MigrationContext.configure(connection), METADATA) == []
    finally:
        store.close()


@pytest.mark.slow
def test_a_study_runs_the_same_on_both(database: str, tmp_path: Path) -> None:
    store = Store.opened(Settings(tmp_path, database=database))
    try:
        study, raters = made_study(store, tmp_path, cases=4, raters=3, votes=3, check_every=5, qualification=2)
        votes = vote_all(store, study, raters, by_strength(dict(zip(NAMES, (2.0, 1.0, 0.0), strict=True))))
        with store.reading() as connection:
            overview = study_overview(connection, study)
            sent = [(vote.item_id, vote.rater) for vote in overview.votes]
            assert connection.execute(select(func.count()).select_from(VOTES)).scalar_one() == votes
        assert len(set(sent)) == len(sent) == 36 + sum(row.checks for row in overview.raters)
        kept = overview.results().kept
        assert kept.preferences is not None and kept.preferences.votes == 36
        assert {rating.model for rating in kept.preferences.bradley_terry} == set(NAMES)
        with store.writing() as connection:
            key = connection.execute(select(VOTES.c.key)).scalars().first()
            (answer,) = save_ballots(connection, [Submission(raters[0].secret, (Ballot("no-item", str(key), "left"),))])
            assert not isinstance(answer, Exception) and answer[0].status == "refused"
    finally:
        store.close()
