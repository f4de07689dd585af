"""Studies: items, raters, what each rater was given, votes and exclusions."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "studies",
        sa.Column("id", sa.Integer),
        sa.Column("name", sa.String(80), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("design", sa.JSON, nullable=False),
        sa.Column("models", sa.JSON, nullable=False),
        sa.Column("secret", sa.String(64), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("created_at", sa.Float, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_studies"),
        sa.UniqueConstraint("name", name="uq_studies_name"),
    )
    op.create_table(
        "study_items",
        sa.Column("id", sa.Integer),
        _to("study_id", "studies", "study_items"),
        sa.Column("key", sa.String(32), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("case_id", sa.Text, nullable=False),
        sa.Column("level", sa.Text, nullable=False),
        sa.Column("tags", sa.JSON, nullable=False),
        sa.Column("instruction", sa.Text, nullable=False),
        sa.Column("first_model", sa.Text, nullable=False),
        sa.Column("second_model", sa.Text, nullable=False),
        sa.Column("pictures", sa.JSON, nullable=False),
        sa.Column("expected", sa.JSON, nullable=False),
        sa.Column("wanted", sa.Integer, nullable=False),
        sa.Column("given", sa.Integer, nullable=False),
        sa.Column("place", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_study_items"),
        sa.UniqueConstraint("key", name="uq_study_items_key"),
    )
    op.create_index("ix_study_items_next", "study_items", ["study_id", "kind", "given", "place"])
    op.create_table(
        "study_raters",
        sa.Column("id", sa.Integer),
        _to("study_id", "studies", "study_raters"),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("secret", sa.String(64), nullable=False),
        sa.Column("agreed_at", sa.Float),
        sa.Column("revoked_at", sa.Float),
        sa.Column("created_at", sa.Float, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_study_raters"),
        sa.UniqueConstraint("secret", name="uq_study_raters_secret"),
        sa.UniqueConstraint("study_id", "number", name="uq_study_raters_study_id_number"),
    )
    op.create_table(
        "study_given",
        _to("rater_id", "study_raters", "study_given"),
        _to("item_id", "study_items", "study_given"),
        sa.Column("place", sa.Integer, nullable=False),
        sa.Column("given_at", sa.Float, nullable=False),
        sa.PrimaryKeyConstraint("rater_id", "item_id", name="pk_study_given"),
    )
    op.create_index("ix_study_given_item_id", "study_given", ["item_id"])
    op.create_table(
        "study_votes",
        sa.Column("id", sa.Integer),
        _to("study_id", "studies", "study_votes"),
        _to("item_id", "study_items", "study_votes"),
        _to("rater_id", "study_raters", "study_votes"),
        sa.Column("key", sa.String(64), nullable=False),
        sa.Column("choice", sa.String(8), nullable=False),
        sa.Column("swapped", sa.Boolean, nullable=False),
        sa.Column("scores", sa.JSON, nullable=False),
        sa.Column("seconds", sa.Float, nullable=False),
        sa.Column("answered_at", sa.Float, nullable=False),
        sa.Column("saved_at", sa.Float, nullable=False),
        sa.Column("browser", sa.String(40), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_study_votes"),
        sa.UniqueConstraint("study_id", "item_id", "rater_id", name="uq_study_votes_study_id_item_id_rater_id"),
        sa.UniqueConstraint("study_id", "key", name="uq_study_votes_study_id_key"),
    )
    op.create_index("ix_study_votes_rater_id", "study_votes", ["rater_id"])
    op.create_index("ix_study_votes_item_id", "study_votes", ["item_id"])
    op.create_table(
        "study_exclusions",
        sa.Column("id", sa.Integer),
        _to("study_id", "studies", "study_exclusions"),
        _to("rater_id", "study_raters", "study_exclusions"),
        _to("vote_id", "study_votes", "study_exclusions", optional=True),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("made_by", sa.String(16), nullable=False),
        sa.Column("made_at", sa.Float, nullable=False),
        sa.Column("lifted_at", sa.Float),
        sa.PrimaryKeyConstraint("id", name="pk_study_exclusions"),
    )
    op.create_index("ix_study_exclusions_study_id", "study_exclusions", ["study_id"])


def downgrade() -> None:
    """Remove the tables, and with them every vote."""
    for table in ("study_exclusions", "study_votes", "study_given", "study_raters", "study_items", "studies"):
        op.drop_table(table)


def _to(column: str, table: str, of: str, *, optional: bool = False) -> sa.Column[int]:
    """A column that points to a row of another table."""
    pointer = sa.ForeignKey(f"{table}.id", name=f"fk_{of}_{column}")
    return sa.Column(column, sa.Integer, pointer, nullable=optional)
