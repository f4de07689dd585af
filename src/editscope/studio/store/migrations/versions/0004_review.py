"""Review: reviewers with their links, and their decisions."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "review_reviewers",
        sa.Column("id", sa.Integer),
        sa.Column("queue", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("role", sa.String(16), nullable=False),
        sa.Column("secret", sa.String(64), nullable=False),
        sa.Column("created_at", sa.Float, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_review_reviewers"),
        sa.UniqueConstraint("secret", name="uq_review_reviewers_secret"),
        sa.UniqueConstraint("queue", "name", name="uq_review_reviewers_queue_name"),
    )
    op.create_table(
        "review_decisions",
        sa.Column("id", sa.Integer),
        sa.Column("queue", sa.Text, nullable=False),
        sa.Column("record", sa.Text, nullable=False),
        sa.Column("fingerprint", sa.String(16), nullable=False),
        sa.Column("reviewer_id", sa.Integer, nullable=False),
        sa.Column("decision", sa.String(8), nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("note", sa.Text, nullable=False),
        sa.Column("texts", sa.JSON, nullable=False),
        sa.Column("key", sa.String(64), nullable=False),
        sa.Column("saved_at", sa.Float, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_review_decisions"),
        sa.ForeignKeyConstraint(["reviewer_id"], ["review_reviewers.id"], name="fk_review_decisions_reviewer_id"),
        sa.UniqueConstraint("reviewer_id", "key", name="uq_review_decisions_reviewer_id_key"),
    )
    op.create_index("ix_review_decisions_queue_record", "review_decisions", ["queue", "record"])


def downgrade() -> None:
    """Remove the tables, and what they hold."""
    op.drop_table("review_decisions")
    op.drop_table("review_reviewers")
