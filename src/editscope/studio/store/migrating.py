"""Migration of the database with Alembic: up when a studio starts, and down by hand."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Engine

if TYPE_CHECKING:
    from alembic.config import Config

NEWEST = "head"
EMPTY = "base"


def upgrade(engine: Engine, revision: str = NEWEST) -> None:
    """Bring a database up to a revision, the newest by default; nothing happens where it is there already."""
    from alembic import command

    with engine.connect() as connection:
        command.upgrade(_config(connection), revision)


def downgrade(engine: Engine, revision: str = EMPTY) -> None:
    """Take a database back to a revision, by default to no tables at all: what they hold is gone."""
    from alembic import command

    with engine.connect() as connection:
        command.downgrade(_config(connection), revision)


def _config(connection: object) -> Config:
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.attributes["connection"] = connection
    return config
